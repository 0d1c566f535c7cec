import { type Exchange, inRand } from "../../../kernel/exchange.ts";
import type { LineItem, Totals } from "../../../kernel/lines.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import type { PartiesSnapshot } from "../types.ts";

/** A particular that the VAT Act requires and the document lacks. */
export interface MissingParticular {
  /** The section of the Value-Added Tax Act 89 of 1991, such as `20(4)(b)`. */
  readonly section: string;
  /** The missing particular, in words that complete the sentence "This needs …". */
  readonly what: string;
  /** Where staff set it. */
  readonly where: string;
}

/** The titles of an invoice. */
export type InvoiceTitle = "Tax Invoice" | "Invoice" | "Draft invoice" | "Cancelled invoice";

/** Supplier and recipient, as far as the law requires. */
interface Parties {
  readonly supplier: PartiesSnapshot["supplier"];
  readonly recipient: {
    readonly name: string | null;
    readonly company: string | null;
    readonly address: string | null;
  };
}

/** The parts of an invoice that the law regulates. */
export interface TaxInvoiceFacts extends Parties, Totals {
  readonly number: string;
  readonly status: string;
  readonly currency: string;
  /** How it is reckoned in rand; none for one in rand, and when no rate is known. */
  readonly exchange?: Exchange | null;
  readonly lines: readonly Pick<LineItem, "description" | "quantity">[];
}

/** Section 20(5): up to this amount, customer and quantities may be left out. */
const SHORT_FORM_MAX = cents(5_000_00);
/** Section 20(6): up to this amount no tax invoice is needed. */
const NONE_NEEDED_MAX = cents(50_00);

const SETTINGS = "Settings, Branding";
const blank = (text: string | null): boolean => text === null || text.trim() === "";

/**
 * The title of an invoice under section 20 of the VAT Act, and the particulars that it lacks to be a tax invoice. It is a "Tax
 * Invoice" only with every particular. An invoice without VAT is an "Invoice" and lacks nothing; one of up to R50 lacks nothing
 * either.
 */
export function taxInvoiceProblems(facts: TaxInvoiceFacts): {
  readonly title: InvoiceTitle;
  readonly problems: readonly MissingParticular[];
} {
  const { status, supplier, tax } = facts;
  const total = totalInRand(facts);
  const missing = tax === 0 ? [] : missingParticulars(facts);
  // VAT without a VAT number is always reported, whatever the amount.
  const needed = total > NONE_NEEDED_MAX || blank(supplier.vatNumber);
  const valid = tax > 0 && missing.length === 0;
  const title: InvoiceTitle =
    status === "draft"
      ? "Draft invoice"
      : status === "cancelled"
        ? "Cancelled invoice"
        : valid
          ? "Tax Invoice"
          : "Invoice";
  return { title, problems: needed ? missing : [] };
}

/** The total by which the law measures: in rand, where the rate is known. */
const totalInRand = ({ total, exchange }: TaxInvoiceFacts): Cents => (exchange ? inRand(total, exchange) : total);

function missingParticulars(facts: TaxInvoiceFacts): MissingParticular[] {
  const { recipient, number, currency, exchange, lines, subtotal, tax, total } = facts;
  const full = totalInRand(facts) > SHORT_FORM_MAX;
  const section = full ? "20(4)" : "20(5)";
  const found = supplierProblems(`${section}(b)`, facts.supplier);
  const ask = (missing: boolean, letter: string, what: string, where: string) => {
    if (missing) found.push({ section: `${section}${letter}`, what, where });
  };
  ask(
    currency !== "ZAR" && !exchange,
    "",
    "its VAT in rand",
    "the invoice's exchange rate, or Settings, Exchange rates",
  );
  if (full) {
    ask(
      blank(recipient.company) && blank(recipient.name),
      "(c)",
      "the customer's name",
      "the customer's name or company",
    );
    ask(blank(recipient.address), "(c)", "the customer's address", "the customer's address");
  }
  ask(blank(number), full ? "(d)" : "(c)", "a number", "the invoice's number");
  ask(lines.length === 0, full ? "(e)" : "(d)", "a description of what was supplied", "the invoice's lines");
  for (const [index, line] of lines.entries()) {
    const where = `line ${index + 1} of the invoice`;
    ask(blank(line.description), full ? "(e)" : "(d)", "a description of what was supplied", where);
    ask(full && !(Number(line.quantity) > 0), "(f)", "a quantity", where);
  }
  const wrong = subtotal + tax !== total;
  ask(wrong, full ? "(g)" : "(e)", "a total that is its value and its tax together", "the invoice's lines");
  return found;
}

function supplierProblems(section: string, supplier: PartiesSnapshot["supplier"]): MissingParticular[] {
  const particulars: [string | null, string, string][] = [
    [supplier.companyName, "your company's name", `${SETTINGS}, Company name`],
    [supplier.address, "your address", `${SETTINGS}, Address`],
    [supplier.vatNumber, "your VAT number", `${SETTINGS}, VAT number`],
  ];
  return particulars.filter(([value]) => blank(value)).map(([, what, where]) => ({ section, what, where }));
}

/** The parts of a credit note that the law regulates. */
export interface CreditNoteFacts extends Parties, Totals {
  readonly reason: string;
  /** The invoice it corrects. */
  readonly invoice: object | null;
  readonly transactionReference: string | null;
}

/**
 * The particulars that a credit note lacks under section 21(3) of the VAT Act. One without VAT lacks nothing, since that section
 * does not apply to it. The customer's particulars may be left out up to the same amount as on an invoice.
 */
export function creditNoteProblems(facts: CreditNoteFacts): {
  readonly title: "Credit Note";
  readonly problems: readonly MissingParticular[];
} {
  const { recipient, reason, invoice, transactionReference, subtotal, tax, total } = facts;
  if (tax === 0) return { title: "Credit Note", problems: [] };
  const found = supplierProblems("21(3)", facts.supplier);
  const ask = (missing: boolean, what: string, where: string) => {
    if (missing) found.push({ section: "21(3)", what, where });
  };
  if (total > SHORT_FORM_MAX) {
    ask(blank(recipient.company) && blank(recipient.name), "the customer's name", "the customer's name or company");
    ask(blank(recipient.address), "the customer's address", "the customer's address");
  }
  ask(subtotal + tax !== total, "a total that is its value and its tax together", "the credit note's amount");
  ask(blank(reason), "a reason", "the credit note's reason");
  ask(invoice === null && blank(transactionReference), "what it corrects", "the credit note's invoice");
  return { title: "Credit Note", problems: found };
}

/**
 * A party as an issued document shows it: the values of the snapshot, and present values where the snapshot has none. Without a
 * snapshot all are present values.
 */
export function withSnapshot<T extends object>(snapshot: T | null | undefined, now: T): T {
  const filled = Object.entries(snapshot ?? {}).filter(([, value]) => value !== null);
  return { ...now, ...Object.fromEntries(filled) };
}
