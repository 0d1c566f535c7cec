import type { Permission } from "./rules.ts";

type Subject = Permission extends `${infer Name}:${string}` ? Name : never;

/** What permissions are about, within a sentence, as the form of a role calls it; a test compares. */
const AREAS: Readonly<Record<Subject, string>> = {
  invoices: "invoices and aged debtors",
  credit_notes: "credit notes",
  quotes: "quotes",
  payment_links: "payment links",
  checkout_sessions: "checkouts",
  subscriptions: "subscriptions",
  mandates: "debit orders",
  transactions: "payments and disputes",
  refunds: "refunds",
  eft_orders: "EFT payments",
  cards: "saved cards",
  card_charges: "charges of saved cards",
  reconciliation: "bank lines",
  accounting: "books, VAT return and month end",
  exports: "exports of what they may see",
  customers: "customers",
  notes: "notes",
  emails: "emails and messages",
  personal_data: "all personal data of a customer, and erasing it",
  products: "products",
  packages: "packages and plans",
  coupons: "coupons",
  settings: "settings",
  gateways: "gateways",
  checkout_pages: "checkout page design",
  members: "team and roles",
  audit_log: "audit log",
  api_keys: "API keys and request log",
  webhooks: "webhook endpoints",
  events: "events and their deliveries",
  test_clock: "sandbox clock and gateway",
  overview: "home page",
};

/** A permission in words, with its name: `change payment links (payment_links:write)`. */
export function permissionWords(permission: Permission): string {
  const [subject, access] = permission.split(":") as [Subject, "read" | "write"];
  return `${access === "read" ? "see" : "change"} ${AREAS[subject]} (${permission})`;
}
