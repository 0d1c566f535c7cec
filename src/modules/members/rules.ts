import { type OwnRole, ROLES, type Role, type RoleId } from "./types.ts";

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

/** A role as it is at this moment. A member's is read with each request, so a change of it holds at once. */
export interface HeldRole {
  readonly id: RoleId;
  /** What people call it, such as `Viewer`. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** Every permission there is. */
export const ALL_PERMISSIONS: readonly Permission[] = [...READ_ALL, ...write(...RECORDS)];
const KNOWN: ReadonlySet<string> = new Set(ALL_PERMISSIONS);
const isKnown = (text: string): text is Permission => KNOWN.has(text);

const BUILT_IN: ReadonlyMap<string, HeldRole> = new Map(
  ROLES.map((id) => [id, { id, name: id.charAt(0).toUpperCase() + id.slice(1), permissions: PERMISSIONS[id] }]),
);

/** A built-in role. */
export const builtIn = (role: Role): HeldRole => BUILT_IN.get(role) as HeldRole;

/** The built-in role with this name; undefined for any other text. */
export const findBuiltIn = (role: string): HeldRole | undefined => BUILT_IN.get(role);

/** The role that a stored `role` names; one that is not there allows nothing. */
export const heldRole = (id: RoleId, own: Pick<OwnRole, "name" | "permissions"> | null): HeldRole =>
  findBuiltIn(id) ?? { id, name: own?.name ?? id, permissions: new Set((own?.permissions ?? []).filter(isKnown)) };

/**
 * What every role holds: the home page, search and names of records, and their timelines with notes, which all show
 * only what the role may read by its other permissions.
 */
export const EVERYBODYS: readonly Permission[] = ["overview:read", "notes:read"];

/**
 * The permissions of a role that is made of these: with what everybody holds, and with the reading of what it may
 * change; in the order of the list of all.
 */
export function completed(chosen: readonly Permission[]): Permission[] {
  const all = new Set<Permission>([...EVERYBODYS, ...chosen]);
  for (const permission of chosen) all.add(permission.replace(":write", ":read") as Permission);
  return ALL_PERMISSIONS.filter((permission) => all.has(permission));
}

/** Whether the role holds the permission (interface 14.1). */
export const mayDo = ({ permissions }: HeldRole, permission: Permission): boolean => permissions.has(permission);

/** The built-in roles that hold a permission. */
export const builtInWith = (permission: Permission): Role[] =>
  ROLES.filter((role) => PERMISSIONS[role].has(permission));

/** The permissions of a role that another one lacks. */
export const lacking = (actor: HeldRole, { permissions }: Pick<HeldRole, "permissions">): Permission[] =>
  [...permissions].filter((permission) => !actor.permissions.has(permission));

/**
 * Whether `actor` may give or take the role `target`: only owners change owners, and nobody gives or takes a permission
 * that they lack (interface 14.1).
 */
export const mayGrant = (actor: HeldRole, target: HeldRole): boolean =>
  actor.id === "owner" || (target.id !== "owner" && lacking(actor, target).length === 0);

/** What permissions are about, within a sentence, as the form of a role calls it; a test compares. */
const AREAS: Readonly<Record<RecordName, string>> = {
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
  const [subject, access] = permission.split(":") as [RecordName, "read" | "write"];
  return `${access === "read" ? "see" : "change"} ${AREAS[subject]} (${permission})`;
}
