import { kindOf } from "../../kernel/ids.ts";
import { mayDo, type Permission } from "../../modules/members/rules.ts";
import type { Role } from "../../modules/members/types.ts";
import { NAMES, type NamedKind } from "../../modules/search/store/record-names.ts";
import type { Tx } from "../../platform/database.ts";

/** The permission that a role needs to read the names of a kind, and the path of its records. `list`: they have no pages of their own. */
interface Shown {
  readonly permission: Permission;
  readonly path: string;
  readonly list?: true;
}

const SHOWN: Readonly<Record<NamedKind, Shown>> = {
  cus: { permission: "customers:read", path: "/customers" },
  inv: { permission: "invoices:read", path: "/invoices" },
  ipm: { permission: "invoices:read", path: "/invoices" },
  quo: { permission: "quotes:read", path: "/quotes" },
  cn: { permission: "credit_notes:read", path: "/credit-notes" },
  crf: { permission: "refunds:read", path: "/customers" },
  txn: { permission: "transactions:read", path: "/transactions" },
  ref: { permission: "transactions:read", path: "/transactions" },
  rev: { permission: "transactions:read", path: "/transactions" },
  plink: { permission: "payment_links:read", path: "/payment-links" },
  eft: { permission: "eft_orders:read", path: "/eft-orders" },
  man: { permission: "mandates:read", path: "/mandates" },
  agr: { permission: "mandates:read", path: "/mandates" },
  dbat: { permission: "mandates:read", path: "/debit-batches" },
  csub: { permission: "subscriptions:read", path: "/customer-subscriptions" },
  gsub: { permission: "subscriptions:read", path: "/subscriptions" },
  gsm: { permission: "subscriptions:read", path: "/subscriptions/migrations", list: true },
  chk: { permission: "checkout_sessions:read", path: "/checkout-sessions" },
  pkg: { permission: "packages:read", path: "/packages" },
  plan: { permission: "packages:read", path: "/packages" },
  cpn: { permission: "coupons:read", path: "/coupons" },
  prod: { permission: "products:read", path: "/products" },
  card: { permission: "cards:read", path: "/customers" },
  cset: { permission: "cards:read", path: "/customers" },
  gw: { permission: "gateways:read", path: "/gateways" },
  rci: { permission: "reconciliation:read", path: "/reconciliation/items" },
  rcm: { permission: "reconciliation:read", path: "/reconciliation/items" },
  rcn: { permission: "reconciliation:read", path: "/reconciliation/runs" },
  rcr: { permission: "reconciliation:read", path: "/reconciliation/rules", list: true },
  mail: { permission: "emails:read", path: "/emails" },
  evt: { permission: "events:read", path: "/events" },
  we: { permission: "webhooks:read", path: "/webhook-endpoints" },
  whd: { permission: "events:read", path: "/webhook-deliveries" },
  key: { permission: "api_keys:read", path: "/api-keys", list: true },
  mem: { permission: "members:read", path: "/members", list: true },
  ivt: { permission: "members:read", path: "/members", list: true },
  org: { permission: "settings:read", path: "/settings", list: true },
};

/**
 * The names of the records with these ids (interface 14.2): one statement for each kind among them. Records that the role may not read, or that
 * have no name, are left out.
 */
export async function nameRecords(tx: Tx, role: Role, ids: readonly string[]) {
  const byKind = Map.groupBy(ids, kindOf);
  const found = await Promise.all(
    [...byKind].map(async ([kind, own]) => {
      if (!isNamed(kind) || !mayDo(role, SHOWN[kind].permission)) return [];
      const { path, list } = SHOWN[kind];
      return (await NAMES[kind](tx, own)).flatMap(({ id, name, target }) =>
        name ? [{ id, name, path: list ? path : `${path}/${encodeURIComponent(target)}` }] : [],
      );
    }),
  );
  return found.flat();
}

/** Whether a role may read the record with this id or reference. */
export function mayRead(role: Role, id: string): boolean {
  const kind = kindOf(id);
  return mayDo(role, isNamed(kind) ? SHOWN[kind].permission : "transactions:read");
}

const isNamed = (kind: string): kind is NamedKind => Object.hasOwn(NAMES, kind);
