import { findApiKey } from "../../modules/api-keys/store.ts";
import { type KeyPermission, mayDo } from "../../modules/members/rules.ts";
import { findMember, readRole } from "../../modules/members/store.ts";
import type { Tx } from "../../platform/database.ts";

const PERMISSION: KeyPermission = "charge_saved_cards";

/**
 * Whether an issuer may charge saved cards now: a key by its permission until it is revoked, a member of staff by their
 * role.
 */
export async function mayChargeCards(tx: Tx, issuer: string): Promise<boolean> {
  const [key, member] = await Promise.all([findApiKey(tx, issuer), findMember(tx, issuer)]);
  if (key) return key.revokedAt === null && key.permissions.includes(PERMISSION);
  return member !== null && mayDo(await readRole(tx, member.role), "card_charges:write");
}
