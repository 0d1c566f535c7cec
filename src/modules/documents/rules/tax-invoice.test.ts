import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HEAD, invoiceOf, LINES, line, RECIPIENT, SUPPLIER } from "../../../../test/support/pdf-documents.ts";
import type { Decimal } from "../../../kernel/decimal.ts";
import { cents, ZERO } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import {
  type CreditNoteFacts,
  creditNoteProblems,
  type TaxInvoiceFacts,
  taxInvoiceProblems,
  withSnapshot,
} from "./tax-invoice.ts";

const SHORT = [line("Coffee", "1", "4347.83")];
const LONG = [line("Coffee", "1", "4347.84")];
const SMALL = [line("Coffee", "1", "43.48")];
const noVat = { supplier: { ...SUPPLIER, vatNumber: null } };
const nobody = { recipient: { name: null, company: null, address: " ", vatNumber: null, email: "a@b.example" } };
const told = ({ section, where }: { section: string; where: string }) => `${section} ${where}`;
const NAME = "20(4)(c) the customer's name or company";
const ADDRESS = "20(4)(c) the customer's address";

const RATE = { rate: "18.5" as Decimal, date: "2026-11-20" as CalendarDay, source: "SARB" };

describe("the title of an invoice, and the particulars that it lacks", () => {
  const cases: [name: string, facts: TaxInvoiceFacts, title: string, problems: string[]][] = [
    ["with every particular", invoiceOf(), "Tax Invoice", []],
    [
      "a person in place of a company",
      invoiceOf(LINES, { recipient: { ...RECIPIENT, company: null } }),
      "Tax Invoice",
      [],
    ],
    [
      "a customer who is no vendor",
      invoiceOf(LINES, { recipient: { ...RECIPIENT, vatNumber: null } }),
      "Tax Invoice",
      [],
    ],
    ["R5 000.00 without the customer", invoiceOf(SHORT, nobody), "Tax Invoice", []],
    ["R5 000.02 without the customer", invoiceOf(LONG, nobody), "Invoice", [NAME, ADDRESS]],
    ["without VAT number", invoiceOf(LINES, noVat), "Invoice", ["20(4)(b) Settings, Branding, VAT number"]],
    ["without VAT number, R5 000", invoiceOf(SHORT, noVat), "Invoice", ["20(5)(b) Settings, Branding, VAT number"]],
    ["without VAT number, R50", invoiceOf(SMALL, noVat), "Invoice", ["20(5)(b) Settings, Branding, VAT number"]],
    [
      "without the supplier's address and name",
      invoiceOf(LINES, { supplier: { ...SUPPLIER, address: "", companyName: " " } }),
      "Invoice",
      ["20(4)(b) Settings, Branding, Company name", "20(4)(b) Settings, Branding, Address"],
    ],
    ["R50 without an address", invoiceOf(SMALL, { supplier: { ...SUPPLIER, address: null } }), "Invoice", []],
    ["no VAT charged, no VAT number", invoiceOf([line("Tea", "1", "90", { taxRate: "0" })], noVat), "Invoice", []],
    ["zero-rated throughout", invoiceOf([line("Bread", "1", "9000", { taxRate: "0" })]), "Invoice", []],
    [
      "in dollars",
      invoiceOf(LINES, { currency: "USD" }),
      "Invoice",
      ["20(4) the invoice's exchange rate, or Settings, Exchange rates"],
    ],
    ["in dollars, with the rate", invoiceOf(LINES, { currency: "USD", exchange: RATE }), "Tax Invoice", []],
    ["without number", invoiceOf(LINES, { number: "" }), "Invoice", ["20(4)(d) the invoice's number"]],
    ["R5 000 without number", invoiceOf(SHORT, { number: "" }), "Invoice", ["20(5)(c) the invoice's number"]],
    ["without lines", { ...invoiceOf(), lines: [] }, "Invoice", ["20(4)(e) the invoice's lines"]],
    [
      "a line without description",
      invoiceOf([LINES[1]!, line(" ", "1", "9000")]),
      "Invoice",
      ["20(4)(e) line 2 of the invoice"],
    ],
    [
      "a line without quantity",
      { ...invoiceOf(), lines: [{ ...LINES[0]!, quantity: "0" as Decimal }] },
      "Invoice",
      ["20(4)(f) line 1 of the invoice"],
    ],
    ["a wrong total", { ...invoiceOf(), total: cents(1_022_847) }, "Invoice", ["20(4)(g) the invoice's lines"]],
    ["a draft", invoiceOf(LINES, { status: "draft" }), "Draft invoice", []],
    [
      "a draft that lacks something",
      invoiceOf(LINES, { ...noVat, status: "draft" }),
      "Draft invoice",
      ["20(4)(b) Settings, Branding, VAT number"],
    ],
    ["a cancelled one", invoiceOf(LINES, { status: "cancelled" }), "Cancelled invoice", []],
    ["a paid one", invoiceOf(LINES, { status: "paid" }), "Tax Invoice", []],
  ];
  for (const [name, facts, title, problems] of cases)
    test(name, () => {
      const found = taxInvoiceProblems(facts);
      assert.equal(found.title, title);
      assert.deepEqual(found.problems.map(told), problems);
    });
});

describe("the particulars that a credit note lacks", () => {
  const note: CreditNoteFacts = {
    ...HEAD,
    reason: "Two bags were returned.",
    invoice: { number: "INV-000042", issueDate: HEAD.issueDate },
    transactionReference: null,
    subtotal: cents(500_000),
    tax: cents(75_000),
    total: cents(575_000),
  };
  const cases: [name: string, facts: CreditNoteFacts, problems: string[]][] = [
    ["with every particular", note, []],
    ["of a payment", { ...note, invoice: null, transactionReference: "TXN-1" }, []],
    ["of nothing", { ...note, invoice: null }, ["21(3) the credit note's invoice"]],
    ["without a reason", { ...note, reason: " " }, ["21(3) the credit note's reason"]],
    ["without VAT number", { ...note, ...noVat }, ["21(3) Settings, Branding, VAT number"]],
    [
      "over R5 000 without the customer",
      { ...note, ...nobody },
      ["21(3) the customer's name or company", "21(3) the customer's address"],
    ],
    [
      "of R5 000 without the customer",
      { ...note, ...nobody, subtotal: cents(434_783), tax: cents(65_217), total: cents(500_000) },
      [],
    ],
    ["a wrong total", { ...note, total: cents(575_001) }, ["21(3) the credit note's amount"]],
    ["no VAT", { ...note, ...noVat, ...nobody, invoice: null, tax: ZERO, total: note.subtotal }, []],
  ];
  for (const [name, facts, problems] of cases)
    test(name, () => assert.deepEqual(creditNoteProblems(facts).problems.map(told), problems));
});

interface Party {
  readonly name: string | null;
  readonly vatNumber: string | null;
}
const current: Party = { name: "New", vatNumber: "2" };
const PARTIES: readonly [string, Party | null | undefined, Party][] = [
  ["nothing was kept: as it is now", null, current],
  ["never asked", undefined, current],
  ["all was known: as it was", { name: "Old", vatNumber: "1" }, { name: "Old", vatNumber: "1" }],
  ["something was missing: filled in", { name: "Old", vatNumber: null }, { name: "Old", vatNumber: "2" }],
];
for (const [what, kept, shown] of PARTIES)
  test(`a document's party: ${what}`, () => assert.deepEqual(withSnapshot(kept, current), shown));
