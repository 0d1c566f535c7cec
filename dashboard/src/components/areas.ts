import type { Permission } from "../api/session.ts";
import { inSentence } from "../lib/words.ts";

type Subject = Permission extends `${infer Name}:${string}` ? Name : never;

/** What the permissions of a role are about, as its form shows it. */
interface Area {
  readonly name: Subject;
  readonly label: string;
  /** What may be done with it; both unless given. */
  readonly only?: "see" | "change";
}

/** What roles may see and change, in the order of the navigation. Everybody has the home page, search, timelines and their notes. */
export const AREA_GROUPS: readonly { readonly label: string; readonly areas: readonly Area[] }[] = [
  {
    label: "Get paid",
    areas: [
      { name: "invoices", label: "Invoices and aged debtors" },
      { name: "credit_notes", label: "Credit notes" },
      { name: "quotes", label: "Quotes" },
      { name: "payment_links", label: "Payment links" },
      { name: "checkout_sessions", label: "Checkouts" },
      { name: "subscriptions", label: "Subscriptions" },
      { name: "mandates", label: "Debit orders" },
    ],
  },
  {
    label: "Money",
    areas: [
      { name: "transactions", label: "Payments and disputes" },
      { name: "refunds", label: "Refunds" },
      { name: "eft_orders", label: "EFT payments" },
      { name: "cards", label: "Saved cards" },
      { name: "card_charges", label: "Charges of saved cards", only: "change" },
      { name: "reconciliation", label: "Bank lines" },
      { name: "accounting", label: "Books, VAT return and month end" },
      { name: "exports", label: "Exports of what they may see", only: "see" },
    ],
  },
  {
    label: "Records",
    areas: [
      { name: "customers", label: "Customers" },
      { name: "notes", label: "Notes", only: "change" },
      { name: "emails", label: "Emails and messages", only: "see" },
      { name: "personal_data", label: "All personal data of a customer, and erasing it" },
      { name: "products", label: "Products" },
      { name: "packages", label: "Packages and plans" },
      { name: "coupons", label: "Coupons" },
    ],
  },
  {
    label: "Setup",
    areas: [
      { name: "settings", label: "Settings" },
      { name: "gateways", label: "Gateways" },
      { name: "checkout_pages", label: "Checkout page design" },
      { name: "members", label: "Team and roles" },
      { name: "audit_log", label: "Audit log", only: "see" },
      { name: "api_keys", label: "API keys and request log" },
      { name: "webhooks", label: "Webhook endpoints" },
      { name: "events", label: "Events and their deliveries" },
      { name: "test_clock", label: "Sandbox clock and gateway" },
    ],
  },
];

const AREAS = AREA_GROUPS.flatMap(({ areas }) => areas);

/** The permission to see an area, if there is one. */
export const toSee = ({ name, only }: Area): Permission | null => (only === "change" ? null : `${name}:read`);
/** The permission to change it, if there is one. */
export const toChange = ({ name, only }: Area): Permission | null => (only === "see" ? null : `${name}:write`);

/** A permission in words: `see bank lines`. */
export function permissionWords(permission: Permission): string {
  const area = AREAS.find(({ name }) => permission.startsWith(`${name}:`));
  return `${permission.endsWith(":read") ? "see" : "change"} ${inSentence(area?.label ?? permission)}`;
}

/** The areas that permissions let see but not change, and those that they let change. */
export function areasOf(permissions: readonly Permission[]): Readonly<Record<"see" | "change", readonly string[]>> {
  const has = (permission: Permission | null) => permission !== null && permissions.includes(permission);
  const change = AREAS.filter((area) => has(toChange(area)));
  const see = AREAS.filter((area) => has(toSee(area)) && !change.includes(area));
  return { see: see.map(({ label }) => label), change: change.map(({ label }) => label) };
}
