import type { Role } from "./types.ts";

/** Kinds of records; each has the permissions `<name>:read` and `<name>:write` (interface 14.1). */
const RECORDS = [
  "settings",
  "api_keys",
  "webhooks",
  "gateways",
  "members",
  "customers",
  "payment_links",
  "products",
  "packages",
  "coupons",
  "transactions",
  "refunds",
  "invoices",
  "quotes",
  "credit_notes",
  "eft_orders",
  "cards",
  "mandates",
  "card_charges",
  "subscriptions",
  "reconciliation",
  "overview",
  "emails",
  "events",
  "audit_log",
  "exports",
  "personal_data",
  "accounting",
  "test_clock",
  "checkout_pages",
  "checkout_sessions",
  "notes",
] as const;
type RecordName = (typeof RECORDS)[number];

export type Permission = `${RecordName}:${"read" | "write"}`;

/** Interface 5.6: permissions of API keys. */
export const KEY_PERMISSIONS = ["charge_saved_cards"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

const read = (records: readonly RecordName[]): Permission[] => records.map((record) => `${record}:read` as const);
const READ_ALL = read(RECORDS);
/** Only owners and admins, who are responsible for it, may read all personal data of a customer. */
const READ_BUT_PERSONAL_DATA = read(RECORDS.filter((record) => record !== "personal_data"));
/** Exports contain all records, so they are for roles that handle money. */
const READ_BUT_EXPORTS = read(RECORDS.filter((record) => record !== "exports" && record !== "personal_data"));
const write = (...records: RecordName[]): Permission[] => records.map((record) => `${record}:write` as const);

/** The permissions of each role (interface 14.1). Owners and admins have all; only owners change owners (`mayGrant`). */
const PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set([...READ_ALL, ...write(...RECORDS)]),
  admin: new Set([...READ_ALL, ...write(...RECORDS)]),
  finance: new Set([
    ...READ_BUT_PERSONAL_DATA,
    ...write("transactions", "refunds", "invoices", "quotes", "credit_notes", "eft_orders", "cards", "mandates"),
    ...write("accounting", "card_charges", "subscriptions", "reconciliation", "notes"),
  ]),
  support: new Set([
    ...READ_BUT_EXPORTS,
    ...write(
      "customers",
      "payment_links",
      "checkout_sessions",
      "invoices",
      "quotes",
      "cards",
      "events",
      "emails",
      "notes",
    ),
  ]),
  viewer: new Set(READ_BUT_EXPORTS),
};

/** Whether the role holds the permission (interface 14.1). */
export const mayDo = (role: Role, permission: Permission): boolean => PERMISSIONS[role].has(permission);

/** Every permission there is. */
export const ALL_PERMISSIONS: readonly Permission[] = [...READ_ALL, ...write(...RECORDS)];

/** All permissions of a role, from which the dashboard decides what it shows. */
export const permissionsOf = (role: Role): Permission[] => [...PERMISSIONS[role]];

/** Whether `actor` may give or take the role `target`: only owners change owners (interface 14.1). */
export const mayGrant = (actor: Role, target: Role): boolean => actor === "owner" || target !== "owner";
