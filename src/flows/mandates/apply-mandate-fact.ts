import type { MandateFact } from "../../gateways/facts.ts";
import { MANDATE_CHECK } from "../../modules/mandates/declarations.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { lockMandateByReference, updateMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import type { ReportedBy } from "../payments/record-fact.ts";
import type { Services } from "../services.ts";
import { authorised, stopped } from "./authorise.ts";
import { appendSigned, appendStatusEvent } from "./mandate-events.ts";
import { readMandate } from "./read-mandate.ts";

/**
 * Applies a gateway's report of an electronic mandate (interface 4.10). A rejection stops the mandate permanently,
 * before or after an acceptance, so that the order of the two does not matter
 * (decisions.md#rejected-e-mandates-are-final). A fact about a mandate that is unknown or belongs to another account is
 * logged and changes nothing. Locks the mandate.
 */
export async function applyMandateFact(
  tx: Tx,
  ctx: Ctx,
  { accountId }: ReportedBy,
  fact: MandateFact,
  { log }: Pick<Services, "log">,
): Promise<void> {
  const mandate = await lockMandateByReference(tx, fact.accountReference);
  if (mandate?.gatewayAccountId !== accountId || mandate.authority !== "emandate") {
    log.warn(
      { account: accountId, mandate: fact.accountReference },
      "a report about a mandate that is not this account's",
    );
    return;
  }
  await applyToMandate(tx, ctx, mandate, fact);
}

/** Like `applyMandateFact`, for a locked mandate; returns the mandate afterwards. */
export async function applyToMandate(
  tx: Tx,
  ctx: Ctx,
  mandate: Mandate,
  fact: Pick<MandateFact, "kind" | "reason" | "signUrl">,
): Promise<Mandate> {
  const after = await changedBy(tx, ctx, mandate, fact);
  if (after === mandate) return after;
  updateMandate(tx, after);
  const record = await readMandate(tx, mandate.id);
  const signs = mandate.authorisedAt === null && after.authorisedAt !== null;
  (signs ? appendSigned : appendStatusEvent)(tx, ctx, mandate, record);
  return after;
}

async function changedBy(
  tx: Tx,
  ctx: Ctx,
  mandate: Mandate,
  { kind, reason, signUrl }: Pick<MandateFact, "kind" | "reason" | "signUrl">,
): Promise<Mandate> {
  if (mandate.status === "cancelled") return mandate;
  if (kind === "rejected") return stopped(tx, ctx, mandate, { reason });
  if (stageOf(mandate) !== "awaiting_signature") return mandate;
  if (kind === "waiting")
    return signUrl === null || signUrl === mandate.eMandateUrl
      ? mandate
      : { ...mandate, eMandateUrl: signUrl, updatedAt: ctx.now };
  cancelWork(tx, MANDATE_CHECK, mandate.id);
  return authorised(tx, ctx, mandate);
}
