import { assert } from "../../kernel/assert.ts";
import { notFound } from "../../kernel/errors.ts";
import type { MandateId } from "../../kernel/ids.ts";
import { AGREEMENT_PAGE } from "../../modules/mandate-agreements/declarations.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate, lockMandate } from "../../modules/mandates/store.ts";
import type { Mandate, MandateRecord } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { PayerPage } from "../search/record-kind.ts";

/** Locks the mandate until the transaction ends, so that its changes run one after the other. Throws 404. */
export async function lockMandateForChange(tx: Tx, id: string): Promise<Mandate> {
  const mandate = await lockMandate(tx, id);
  if (!mandate) throw notFound("mandate");
  return mandate;
}

/** Reads a mandate that exists, including the changes of this transaction. */
export async function readMandate(tx: Tx, id: MandateId): Promise<MandateRecord> {
  const record = await findMandate(tx, id);
  assert(record, "a locked mandate stays");
  return record;
}

/** The page with the text of a mandate's newest agreement, else the gateway's own page. */
export const mandatePage: PayerPage = async (tx, ctx, id) => {
  const mandate = await findMandate(tx, id);
  if (!mandate) return null;
  if (mandate.latestAgreement) return hostedUrl(ctx, AGREEMENT_PAGE, mandate.latestAgreement.id);
  return stageOf(mandate) === "awaiting_signature" ? mandate.eMandateUrl : null;
};
