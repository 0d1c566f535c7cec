import type { Decimal } from "../../src/kernel/decimal.ts";
import type { PricedLine } from "../../src/kernel/lines.ts";
import { priceLine, totalsOf } from "../../src/kernel/lines.ts";
import { ZERO } from "../../src/kernel/money.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import type { DocumentHead, InvoiceDocument, Recipient, Supplier } from "../../src/templates/printed.ts";

/* Sample documents for tests and the benchmark. */

const DAY = "2026-11-20" as CalendarDay;

export const SUPPLIER: Supplier = {
  companyName: "Karoo Coffee Roasters (Pty) Ltd",
  tradingName: "Karoo Coffee",
  address: "14 Church Street\nGraaff-Reinet\n6280",
  vatNumber: "4012345678",
  logo: null,
  accentColour: "#7a3b12",
  supportEmail: "accounts@karoocoffee.example",
};

export const RECIPIENT: Recipient = {
  name: "Thandi Mokoena",
  company: "Bluegum Guest House CC",
  address: "22 Long Street\nCape Town\n8001",
  vatNumber: "4987654321",
  email: "thandi@bluegum.example",
};

export const HEAD: DocumentHead = {
  supplier: SUPPLIER,
  recipient: RECIPIENT,
  issueDate: DAY,
  currency: "ZAR",
  sandbox: false,
};

/** A line with its amount and VAT computed. */
export function line(
  description: string,
  quantity: string,
  unitPrice: string,
  more: { taxRate?: string; details?: string; taxInclusive?: boolean } = {},
): PricedLine {
  const { taxRate = "15", details = null, taxInclusive = false } = more;
  const item = { quantity: quantity as Decimal, unitPrice: unitPrice as Decimal, taxRate: taxRate as Decimal };
  return priceLine({ ...item, description, details, periodStart: null, periodEnd: null }, taxInclusive, 1);
}

/** Lines of R 10 228.46: above the limit for the short form of a tax invoice. */
export const LINES: readonly PricedLine[] = [
  line("House blend espresso beans, 1 kg", "24", "285", { details: "Whole beans, medium roast. Batch KC-1182." }),
  line("Monthly machine rental", "1", "1850.5"),
  line("Brown bread (zero-rated)", "12.5", "18.75", { taxRate: "0" }),
];

/** A sent invoice with these lines, unless `change` says otherwise. */
export function invoiceOf(lines = LINES, change: Partial<InvoiceDocument> = {}): InvoiceDocument {
  const totals = totalsOf(lines, false);
  return {
    ...HEAD,
    ...totals,
    number: "INV-000042",
    status: "sent",
    lastDay: "2026-12-04" as CalendarDay,
    period: null,
    lines,
    discount: null,
    taxInclusive: false,
    externalReference: "PO-7781",
    paid: ZERO,
    due: totals.total,
    notes: "Beans are roasted on Mondays.",
    payUrl: "https://pay.example/i/abc",
    bank: {
      bankName: "First National Bank",
      accountName: "Karoo Coffee Roasters",
      accountNumber: "6212345678901",
      branchCode: "250655",
      accountType: "Current",
      reference: "INV-000042",
    },
    ...change,
  };
}
