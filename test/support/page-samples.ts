import type { Decimal } from "../../src/kernel/decimal.ts";
import { cents } from "../../src/kernel/money.ts";
import { type BusinessDay, instant } from "../../src/kernel/time.ts";
import type { Html } from "../../src/templates/html.ts";
import { type EftPageModel, eftPage } from "../../src/templates/pages/eft.ts";
import { errorPage, notFoundPage, rateLimitedPage, unreadablePage } from "../../src/templates/pages/messages.ts";
import { handOffPage, payPage, type Unavailable, unavailablePage } from "../../src/templates/pages/pay.ts";
import { portalHomePage } from "../../src/templates/pages/portal-home.ts";
import { portalConfirmPage, portalSentPage, portalSignInPage } from "../../src/templates/pages/portal-sign-in.ts";
import { statementPage } from "../../src/templates/pages/portal-statement.ts";
import { type QuotePageModel, quotePage } from "../../src/templates/pages/quote.ts";
import { type ResultPageModel, resultPage } from "../../src/templates/pages/result.ts";
import { sandboxGatewayDonePage, sandboxGatewayPage } from "../../src/templates/pages/sandbox-gateway.ts";

/** One hosted page: the sample, or with `text` instead of every text that users write. */
export type PageSample = (text?: string) => string;

const NOW = instant("2026-11-20T12:05:00Z");
const brand = {
  name: "Karoo Books",
  logoUrl: null,
  accentColour: "#b4431f",
  supportEmail: "hello@karoobooks.example",
  sandbox: false,
};
const amount = cents(123450);
const currency = "ZAR";
const title = "Order 1042: three second-hand novels";
const reference = "TEFO-20261120-9F3A1C0B";
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
const payfast = { id: "gw_1", name: "PayFast", methods: ["Visa", "Mastercard", "Instant EFT"], byHand: false };
const ozow = { id: "gw_2", name: "Ozow", methods: ["Instant EFT from your bank"], byHand: false };

/** A pay page with two gateways and three fields. */
export const payModel = {
  brand,
  payable,
  gateways: [payfast, ozow],
  chosenGateway: null,
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
        issueDate: "2026-11-01" as BusinessDay,
        lastDay: "2026-11-30" as BusinessDay,
        period: null,
        currency: "ZAR",
        taxInclusive: false,
        lines: ["15", "0"].map((taxRate) => ({
          description: "Four issues a year, ".repeat(20),
          details: "To your door.",
          quantity: "2.5" as Decimal,
          unitPrice: "1999.999999" as Decimal,
          taxRate: taxRate as Decimal,
          amount: cents(500_000),
          tax: cents(taxRate === "15" ? 75_000 : 0),
          periodStart: "2026-11-01" as BusinessDay,
          periodEnd: "2026-11-30" as BusinessDay,
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
  part: { value: "nothing", error: "Write an amount." },
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
  receiptEmail: "thandi@example.test",
  retryUrl: null,
  onward: null,
};
const returning = { url: `https://shop.example/back?reference=${reference}&status=complete`, afterSeconds: 600 };

/** One of each reason of interface 3.2. */
export const UNAVAILABLE: readonly Unavailable[] = [
  { reason: "deactivated" },
  { reason: "already_paid" },
  { reason: "expired", expiredAt: NOW },
  { reason: "invoice_paid", invoiceNumber: "INV-000017" },
  { reason: "invoice_cancelled", invoiceNumber: "INV-000017" },
  { reason: "replaced", invoiceNumber: "INV-000017", url: "https://pay.example/pay/newer" },
  { reason: "account_read_only" },
  { reason: "monthly_limit_reached" },
  { reason: "no_gateway" },
];

const day = (text: string): BusinessDay => text as BusinessDay;
/** A customer with every kind of record. */
export const portalModel = {
  brand,
  customerName: "Thandi",
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
  signOutPath: "/portal/karoo/sign-out",
  formToken: "token",
};
/** Some weeks of an account that ends in the customer's favour. */
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
    pdfPath: "/portal/karoo/statement.pdf",
  },
  homePath: "/portal/karoo",
};
const signIn = { brand, formToken: "token", email: "", emailError: null, problems: [] };
const sandboxPayment = { merchantName: "Karoo Books", description: title, amount, currency, reference };
const sandboxForm = {
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

/** A quote that waits for an answer: two rates, a price finer than a cent, details, a period. */
const quoteModel: QuotePageModel = {
  brand,
  vatNumber: "4123456789",
  customerName: "Thandi Nkosi",
  quote: {
    number: "QUO-000042",
    issueDate: "2026-11-20" as BusinessDay,
    lastDay: "2026-12-04" as BusinessDay,
    period: { start: "2026-12-01" as BusinessDay, end: "2026-12-31" as BusinessDay },
    currency,
    taxInclusive: false,
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
        periodStart: "2026-12-01" as BusinessDay,
        periodEnd: "2026-12-31" as BusinessDay,
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
const QUOTE_STATES: readonly QuotePageModel["state"][] = [
  { kind: "paused" },
  { kind: "expired", lastDay: "2026-12-04" as BusinessDay },
  { kind: "accepted", at: NOW },
  { kind: "declined", at: NOW },
  { kind: "invoiced", invoiceNumber: "INV-000017", payUrl: "/pay/a" },
];

/** A bank transfer that waits for its payment. */
const eftModel: EftPageModel = {
  brand,
  title,
  amount,
  currency,
  reference: "EFT-7KQM3XWB",
  bank: {
    bankName: "First National Bank",
    accountName: "Karoo Books and Stationers (Pty) Ltd",
    accountNumber: "62 123 456 789",
    branchCode: "250655",
    accountType: "current",
  },
  proofs: [],
  state: openTransfer("awaiting_payment"),
  formToken: "token",
  problem: null,
};
function openTransfer(status: "awaiting_payment" | "awaiting_review" | "rejected", paused = false) {
  return {
    kind: "open",
    status,
    expiresAt: NOW,
    rejectionReason: "Too dark to read.\nPlease take another.",
    paused,
  } as const;
}
const EFT_STATES: Readonly<Record<string, EftPageModel["state"]>> = {
  "in review": openTransfer("awaiting_review"),
  rejected: openTransfer("rejected"),
  paused: openTransfer("awaiting_payment", true),
  paid: { kind: "paid", at: NOW, onwardUrl: "https://shop.example/back?reference=x&status=complete" },
  cancelled: { kind: "cancelled", onwardUrl: null },
  expired: { kind: "expired", at: NOW },
};
const proofs = [{ fileName: "IMG_0042.jpg", size: 2_412_345, createdAt: NOW }];

const sample =
  <Model>(view: (model: Model) => Html, model: Model): PageSample =>
  (text) =>
    view(text === undefined ? model : withText(model, text)).toString();

/** Every hosted page, in every state that looks different. */
export const PAGES: Readonly<Record<string, PageSample>> = {
  pay: sample(payPage, payModel),
  "pay, one gateway": sample(payPage, { ...payModel, gateways: [payfast], fields: [] }),
  "pay, everything": sample(payPage, fullPayModel),
  ...Object.fromEntries(
    UNAVAILABLE.map((unavailable) => [
      `unavailable, ${unavailable.reason}`,
      sample(unavailablePage, { brand, title, amount, currency, unavailable, pdf: "/pay/token/invoice.pdf" }),
    ]),
  ),
  "hand-off": sample(handOffPage, {
    brand,
    amount,
    currency,
    gatewayName: "PayFast",
    action: "https://gateway.example/process",
    inputs: [["merchant_id", "1"]],
  }),
  "result, complete": sample(resultPage, resultModel),
  "result, complete and going on": sample(resultPage, { ...resultModel, onward: returning }),
  "result, pending": sample(resultPage, { ...resultModel, status: "pending", paidAt: null }),
  "result, failed": sample(resultPage, { ...resultModel, status: "failed", retryUrl: "/pay/x", onward: returning }),
  "result, cancelled": sample(resultPage, { ...resultModel, status: "cancelled", retryUrl: "/pay/x" }),
  "result, refunded": sample(resultPage, { ...resultModel, status: "refunded" }),
  "result, partly refunded": sample(resultPage, {
    ...resultModel,
    status: "partially_refunded",
    refundedAmount: cents(23450),
  }),
  quote: sample(quotePage, quoteModel),
  "quote, answered too late": sample(quotePage, {
    ...quoteModel,
    quote: { ...quoteModel.quote, taxInclusive: true, period: null, notes: null },
    vatNumber: null,
    state: { kind: "declined", at: NOW },
    problems: ["The quote was declined in the meantime, so it can no longer be accepted here."],
  }),
  ...Object.fromEntries(
    QUOTE_STATES.map((state) => [`quote, ${state.kind}`, sample(quotePage, { ...quoteModel, state })]),
  ),
  eft: sample(eftPage, eftModel),
  "eft, refused": sample(eftPage, { ...eftModel, problem: "The file is empty." }),
  ...Object.fromEntries(
    Object.entries(EFT_STATES).map(([name, state]) => [
      `eft, ${name}`,
      sample(eftPage, { ...eftModel, proofs, state }),
    ]),
  ),
  "not found": () => notFoundPage().toString(),
  unreadable: () => unreadablePage().toString(),
  "rate limited": sample((of: typeof brand) => rateLimitedPage(of, 540), brand),
  error: sample(({ id }: { id: string }) => errorPage(500, id), { id: "req-1a2b3c" }),
  "unavailable service": () => errorPage(503, null).toString(),
  "portal, link opened": sample(portalConfirmPage, {
    brand,
    customerName: "Thandi Nkosi",
    email: "thandi@example.co.za",
    formToken: "token",
    problems: [],
  }),
  "portal, link used": sample(portalSignInPage, { ...signIn, reason: "used" }),
  "portal, sign in again": sample(portalSignInPage, {
    ...signIn,
    reason: "none",
    email: "thandi@",
    emailError: "Write an email address such as name@example.test.",
    problems: ["Too many attempts."],
  }),
  "portal, link sent": sample(portalSentPage, { brand, email: "thandi@example.test" }),
  "portal, home": sample(portalHomePage, portalModel),
  "portal, nothing owed": sample(portalHomePage, {
    ...portalModel,
    owed: [],
    totals: [],
    quotes: [],
    credits: [],
    creditNotes: [],
    pastInvoices: [],
    payments: [],
  }),
  "portal, one to pay": sample(portalHomePage, { ...portalModel, owed: portalModel.owed.slice(0, 1), credits: [] }),
  "portal, statement": sample(statementPage, statementModel),
  "portal, statement of quiet days": sample(statementPage, {
    ...statementModel,
    otherCurrencies: [],
    account: { ...statementModel.account, opening: cents(-5000), movements: [] },
  }),
  "portal, statement of no days": sample(statementPage, {
    ...statementModel,
    from: "",
    problems: [{ message: "Choose the first day as a date, such as 2026-11-01.", inputId: "from" }],
    account: null,
  }),
  "sandbox gateway": sample(sandboxGatewayPage, sandboxForm),
  "sandbox gateway, done": sample(sandboxGatewayDonePage, {
    payment: sandboxPayment,
    outcome: "complete",
    returnUrl: "/pay/x/result",
  }),
};

/** Keys whose text is fixed or validated. */
const OURS =
  /^(reason|status|kind|outcome|mismatch|method|frequency|\w*[dD]ay|start|end|inputId|.*Path|\w+Date|period\w+|quantity|unitPrice|taxRate|accentColour|supportEmail|.*[uU]rl|action)$/;
const isFieldName = (key: string, holder: object): boolean => key === "name" && "required" in holder;

/** A copy of `value` in which every text that others may write is `text`. */
function withText<Value>(value: Value, text: string): Value {
  return replaceText(value, text) as Value;
}

function replaceText(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((item) => replaceText(item, text));
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "currency") return [key, text.slice(0, 3)]; // its longest form
      return [key, OURS.test(key) || isFieldName(key, value) ? item : replaceText(item, text)];
    }),
  );
}
