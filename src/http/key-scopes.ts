import { mayUse, type Scope } from "../modules/api-keys/rules.ts";
import type { Permission } from "../modules/members/rules.ts";
import type { Endpoint } from "./endpoint.ts";

type Subject<Text extends string> = Text extends `${infer Name}:${string}` ? Name : never;

/**
 * What a scope of keys is called where members of staff have a permission of a finer or another name (interface 5.6); null: keys never do
 * it. Those that are not named here have the permission's own name.
 */
const OF_PERMISSIONS = {
  products: "catalogue",
  packages: "catalogue",
  coupons: "catalogue",
  checkout_pages: "checkout",
  checkout_sessions: "checkout",
  card_charges: "cards",
  gateways: "settings",
  exports: "accounting",
  overview: "accounting",
  api_keys: null,
  members: null,
  emails: null,
  audit_log: null,
  personal_data: null,
  notes: null,
} as const satisfies Partial<Record<Subject<Permission>, Subject<Scope> | null>>;

/** The scope that stands for a permission of staff; null when no key may do it. */
function scopeOfPermission(permission: Permission): Scope | null {
  const [subject, access] = permission.split(":") as [Subject<Permission>, "read" | "write"];
  const scoped =
    subject in OF_PERMISSIONS ? OF_PERMISSIONS[subject as keyof typeof OF_PERMISSIONS] : (subject as Subject<Scope>);
  return scoped && `${scoped}:${access}`;
}

/** The scopes of which a key with scopes needs one for an endpoint (interface 5.6); none when any key may use it. */
export function scopesOf({ scope, permission }: Pick<Endpoint, "scope" | "permission">): readonly Scope[] {
  const needed = scope === undefined ? scopeOfPermission(permission) : scope;
  return needed === null ? [] : [needed].flat();
}

/** Whether a key with these scopes, null for all, may read what staff need a permission for. */
export function mayReadByKey(scopes: readonly string[] | null, permission: Permission): boolean {
  const scope = scopeOfPermission(permission);
  return scope !== null && mayUse(scopes, scope);
}
