import { closeOpenAgreement, findAgreement } from "../../modules/mandate-agreements/store.ts";
import type { MandateAgreement } from "../../modules/mandate-agreements/types.ts";
import { lockMandate } from "../../modules/mandates/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** Locks the mandate of an agreement, and reads the agreement under that lock. Null when there is none. */
export async function lockAgreement(tx: Tx, id: string): Promise<MandateAgreement | null> {
  const found = await findAgreement(tx, id);
  if (!found) return null;
  await lockMandate(tx, found.mandateId);
  return findAgreement(tx, id);
}

/** `mandate_agreement.expire`: ends an agreement that was not signed in time. The caller has locked its mandate. */
export async function expireAgreement(tx: Tx, ctx: Ctx, agreement: MandateAgreement): Promise<null> {
  if (agreement.status === "open" && agreement.expiresAt <= ctx.now)
    await closeOpenAgreement(tx, agreement.mandateId, "expired");
  return null;
}
