import type { Decimal } from "../../src/kernel/decimal.ts";
import { cents } from "../../src/kernel/money.ts";
import { type CalendarDay, instant } from "../../src/kernel/time.ts";
import type { PayPageModel, Unavailable } from "../../src/templates/pages/pay.ts";
import type { QuotePageModel } from "../../src/templates/pages/quote.ts";
import type { ResultPageModel } from "../../src/templates/pages/result.ts";
import type { SignMandateModel } from "../../src/templates/pages/sign-mandate.ts";

/** The time of every page. */
export const NOW = instant("2026-11-20T12:05:00Z");
/** The merchant of every page. */
export const brand = {
  name: "Karoo Books",
  logoUrl: null,
  accentColour: "#b4431f",
  supportEmail: "hello@karoobooks.example",
  sandbox: false,
};
/** 1 234.50 ZAR. */
export const amount = cents(123450);
export const currency = "ZAR";
export const title = "Order 1042: three second-hand novels";
/** Of every payment. */
export const reference = "TEFO-20261120-9F3A1C0B";
const field = (name: "email" | "firstName" | "lastName" | "phone" | "company" | "address" | "vatNumber") => ({
  name,
  value: "",
  required: name !== "lastName",
  error: null,
});
const payable = {
  title,
  description: "Cloth-bound, posted from Prince Albert within two working days.",
  amount,
  currency,
  invoice: null,
  recurring: null,
  expiresAt: null,
};
const ANSWERS = { byHand: false, isDown: false } as const;
/** A gateway with three methods of payment. */
export const payfast = { id: "gw_1", name: "PayFast", methods: ["Visa", "Mastercard", "Instant EFT"], ...ANSWERS };
/** A gateway with one method of payment. */
export const ozow = { id: "gw_2", name: "Ozow", methods: ["Instant EFT from your bank"], ...ANSWERS };

/** A pay page with two gateways and three fields. */
export const payModel = {
  brand,
  payable,
  gateways: [payfast, ozow],
  chosenGateway: null,
  signInPath: null,
  savedCards: [] as PayPageModel["savedCards"],
  chosenCard: null,
  underWay: null as PayPageModel["underWay"],
  fields: [field("email"), field("firstName"), field("lastName")],
  receipts: true,
  part: null,
  formToken: "token",
  problems: [],
};

/** Every field in error, an invoice, an expiry, a logo, a sandbox organisation. */
export const fullPayModel = {
  ...payModel,
  brand: { ...brand, logoUrl: "/logos/karoo.svg", sandbox: true },
  payable: {
    ...payable,
    description: "Four issues a year, ".repeat(15),
    amount: cents(1_000_000_000),
    invoice: {
      document: {
        number: "INV-000017",
        issueDate: "2026-11-01" as CalendarDay,
        lastDay: "2026-11-30" as CalendarDay,
        period: null,
        currency: "ZAR",
        taxInclusive: false,
        discount: { percent: "12.5" as Decimal },
        lines: ["15", "0"].map((taxRate) => ({
          description: "Four issues a year, ".repeat(20),
          details: "To your door.",
          quantity: "2.5" as Decimal,
          unitPrice: "1999.999999" as Decimal,
          taxRate: taxRate as Decimal,
          discount: { amount: cents(1_000_000) },
          taken: { own: cents(1_000_000), share: cents(62_500) },
          amount: cents(500_000),
          tax: cents(taxRate === "15" ? 75_000 : 0),
          periodStart: "2026-11-01" as CalendarDay,
          periodEnd: "2026-11-30" as CalendarDay,
        })),
        subtotal: cents(1_000_000),
        tax: cents(75_000),
        total: cents(1_075_000),
        paid: cents(75_000),
        due: cents(1_000_000),
        notes: "Thank you.",
      },
      pdf: "/pay/token/invoice.pdf",
    },
    recurring: { frequency: "quarterly", amount: cents(9900) } as const,
    expiresAt: NOW,
  },
  fields: (["email", "firstName", "lastName", "phone", "company", "address", "vatNumber"] as const).map((name) => ({
    ...field(name),
    value: "half",
    error: `Complete the field ${name}.`,
  })),
  savedCards: [
    { id: "card_1", text: "Visa ending in 4242" },
    { id: "card_2", text: "Mastercard ending in 4444" },
  ],
  underWay: { amount: cents(100_000), url: "/pay/token/result/TEFOC-1" },
  part: { value: "nothing", error: "Write an amount.", deposit: false },
  problems: ["PayFast did not answer. Try again, or choose another way to pay."],
};

/** A verified payment. */
export const resultModel: ResultPageModel = {
  brand,
  status: "complete",
  reference,
  title,
  amount,
  currency,
  paidAt: NOW,
  refundedAmount: cents(0),
  gatewayName: "PayFast",
  confirmedBy: "gateway",
  receiptEmail: "thandi@example.test",
  retryUrl: null,
  onward: null,
};
/** The redirect to the shop. */
export const returning = { url: `https://shop.example/back?reference=${reference}&status=complete`, afterSeconds: 600 };

/** One of each reason of interface 3.2. */
export const UNAVAILABLE: readonly Unavailable[] = [
  { reason: "expired", expiredAt: NOW },
  { reason: "invoice_paid", invoiceNumber: "INV-000017" },
  { reason: "invoice_cancelled", invoiceNumber: "INV-000017" },
  { reason: "replaced", invoiceNumber: "INV-000017", url: "https://pay.example/pay/newer" },
  ...(
    ["deactivated", "already_paid", "being_collected", "attempt_soon", "being_confirmed", "account_read_only"] as const
  ).map((reason) => ({ reason })),
  ...(["monthly_limit_reached", "no_gateway"] as const).map((reason) => ({ reason })),
];

const day = (text: string): CalendarDay => text as CalendarDay;
/** A customer with every kind of record. */
export const portalModel = {
  brand,
  customerName: "Thandi",
  subscriptions: [],
  owed: [
    {
      title: "Invoice INV-000017",
      amount: cents(100000),
      currency,
      invoice: {
        issueDay: day("2026-10-27"),
        dueDay: day("2026-11-10"),
        overdue: true,
        total: amount,
        paid: cents(23450),
        pdfPath: "/portal/karoo/invoices/a/pdf",
      },
      payUrl: "/pay/a",
    },
    {
      title: "Invoice INV-000018",
      amount,
      currency,
      invoice: {
        issueDay: day("2026-11-20"),
        dueDay: day("2026-12-04"),
        overdue: false,
        total: amount,
        paid: cents(0),
        pdfPath: "/portal/karoo/invoices/b/pdf",
      },
      payUrl: "/pay/b",
    },
    { title, amount, currency, invoice: null, payUrl: null },
  ],
  totals: [{ amount: cents(346900), currency }],
  quotes: [
    { number: "QUO-000003", amount: cents(2530000), currency, lastDay: day("2026-12-20"), url: "/quote/a" },
    { number: "QUO-000004", amount, currency, lastDay: null, url: "/quote/b" },
  ],
  credits: [{ amount: cents(5000), currency }],
  creditNotes: [
    {
      number: "CN-000002",
      description: "A copy was damaged",
      remaining: cents(5000),
      pdfPath: "/portal/karoo/credit-notes/a/pdf",
    },
    { number: "CN-000001", description: "Returned", remaining: cents(0), pdfPath: "/portal/karoo/credit-notes/b/pdf" },
  ].map((note) => ({ ...note, amount: cents(11500), currency, day: day("2026-11-18") })),
  pastInvoices: (["paid", "cancelled"] as const).map((status) => ({
    number: "INV-000012",
    amount,
    currency,
    issueDay: day("2026-09-01"),
    status,
    pdfPath: "/portal/karoo/invoices/c/pdf",
  })),
  payments: (["pending", "complete", "failed", "cancelled", "refunded", "partially_refunded"] as const).map(
    (status) => ({ title, reference, status, amount, currency, at: NOW }),
  ),
  statementPath: "/portal/karoo/statement",
  cardsPath: "/portal/karoo/cards",
  debitOrdersPath: "/portal/karoo/debit-orders",
  signOutPath: "/portal/karoo/sign-out",
  formToken: "token",
};
/** A statement of some weeks whose closing balance is a credit. */
export const statementModel = {
  brand,
  currency,
  otherCurrencies: [{ currency: "USD", path: "/portal/karoo/statement?currency=USD" }],
  from: "2026-10-01",
  to: "2026-11-20",
  problems: [],
  account: {
    start: day("2026-10-01"),
    end: day("2026-11-20"),
    opening: cents(10000),
    closing: cents(-5000),
    movements: [
      { day: day("2026-10-27"), description: "Invoice INV-000017", amount, balance: cents(133450) },
      { day: day("2026-11-02"), description: `Payment: ${title}`, amount: cents(-133450), balance: cents(0) },
      {
        day: day("2026-11-18"),
        description: "Credit note CN-000002: A copy was damaged",
        amount: cents(-5000),
        balance: cents(-5000),
      },
    ],
    unpaidDebits: [{ description: "Debit order of 3 November 2026, returned unpaid", amount: cents(35050) }],
    pdfPath: "/portal/karoo/statement.pdf",
  },
  homePath: "/portal/karoo",
};
/** The form that asks for an email address. */
export const signIn = { brand, formToken: "token", email: "", emailError: null, problems: [] };
/** A payment at the sandbox gateway. */
export const sandboxPayment = { merchantName: "Karoo Books", description: title, amount, currency, reference };
/** The sandbox gateway's page with every field wrong. */
export const sandboxForm = {
  payment: sandboxPayment,
  testCards: [{ number: "4242424242424242", effect: "Visa" }],
  canSaveCard: true,
  card: "4",
  expiry: "",
  saveCard: true,
  cardError: "This is not one of the test numbers.",
  expiryError: "Write it as MM/YY.",
  problem: "Choose how the payment ends.",
  formToken: "token",
};

/** The page of an electronic mandate at the sandbox gateway, after a submission without a valid button. */
export const sandboxMandate = {
  merchantName: "Karoo Books",
  accountReference: "DO0123456789",
  description: title,
  amount,
  frequency: "quarterly",
  debitDay: 31,
  startDate: "2026-12-01" as CalendarDay,
  status: "waiting",
  reason: null,
  problem: "Choose how you answer.",
  formToken: "token",
} as const;

/** An agreement that can be signed. */
export const signMandateModel: SignMandateModel = {
  brand,
  amount,
  currency,
  description: "Gym membership, gold",
  account: "ending in 7701",
  accountReference: "DO0123456789",
  blocks: [
    { kind: "heading", text: "Authority" },
    { kind: "paragraph", text: "I authorise the merchant to collect R 350.50 every month.\nBy debit order." },
    { kind: "heading", text: "Notes" },
    { kind: "paragraph", text: "A-very-long-word-".repeat(12) },
  ],
  pdf: "/sign-mandate/token/agreement.pdf",
  state: { kind: "open", formToken: "token", expiresAt: NOW },
  fullName: "",
  accepted: false,
  errors: {},
  problem: null,
};

/** One of each state but open. */
export const SIGN_STATES: readonly SignMandateModel["state"][] = [
  { kind: "paused" },
  { kind: "shown", expiresAt: NOW },
  { kind: "signed", by: "Thandi Nkosi", at: NOW },
  { kind: "cancelled" },
  { kind: "expired", at: NOW },
];

/** An open quote: two VAT rates, a unit price with four decimals, details, a period. */
export const quoteModel: QuotePageModel = {
  brand,
  acceptedBy: { value: "", error: null },
  vatNumber: "4123456789",
  customerName: "Thandi Nkosi",
  quote: {
    number: "QUO-000042",
    issueDate: "2026-11-20" as CalendarDay,
    lastDay: "2026-12-04" as CalendarDay,
    period: { start: "2026-12-01" as CalendarDay, end: "2026-12-31" as CalendarDay },
    currency,
    taxInclusive: false,
    discount: null,
    lines: [
      {
        description: "Shelves of Karoo pine, sanded and oiled",
        details: "Six boards of 1.8 m.\nFitted on site.",
        quantity: "6" as Decimal,
        unitPrice: "412.5" as Decimal,
        taxRate: "15" as Decimal,
        amount: cents(247500),
        tax: cents(37125),
        periodStart: null,
        periodEnd: null,
      },
      {
        description: "School readers, second-hand",
        details: null,
        quantity: "40" as Decimal,
        unitPrice: "12.3456" as Decimal,
        taxRate: "0" as Decimal,
        amount: cents(49382),
        tax: cents(0),
        periodStart: "2026-12-01" as CalendarDay,
        periodEnd: "2026-12-31" as CalendarDay,
      },
    ],
    subtotal: cents(296882),
    tax: cents(37125),
    total: cents(334007),
    paid: cents(0),
    due: cents(334007),
    notes: "Delivery within ten working days of your answer.\nHalf is due before we begin.",
  },
  pdf: "/quote/token/quote.pdf",
  state: { kind: "open", formToken: "token" },
  problems: [],
};
/** One of each state that looks different. */
export const QUOTE_STATES: readonly QuotePageModel["state"][] = [
  { kind: "paused" },
  { kind: "expired", lastDay: "2026-12-04" as CalendarDay },
  { kind: "accepted", at: NOW, by: "Thandi Nkosi" },
  { kind: "declined", at: NOW },
  { kind: "invoiced", invoiceNumber: "INV-000017", payUrl: "/pay/a" },
];
