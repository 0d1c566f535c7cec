import type { AgreementStatus } from "../../domain/mandate-agreement.ts";
import { assert } from "../../kernel/assert.ts";
import type { MandateAgreementId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { AGREEMENT_EXPIRE } from "../../modules/mandate-agreements/declarations.ts";
import { statusAt } from "../../modules/mandate-agreements/rules.ts";
import { findAgreement, findAgreementByToken, saveSignature } from "../../modules/mandate-agreements/store.ts";
import type { MandateAgreement, Signature } from "../../modules/mandate-agreements/types.ts";
import { activated } from "../../modules/mandates/rules.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate, lockMandate, updateMandate } from "../../modules/mandates/store.ts";
import type { Mandate, MandateRecord } from "../../modules/mandates/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { authorised, authorisedAnew } from "./authorise.ts";
import { appendSigned } from "./mandate-events.ts";
import { mailSigned } from "./mandate-mails.ts";
import { readMandate } from "./read-mandate.ts";

/** The facts on the page of an agreement. */
export interface SignPageFacts {
  /** The agreement, with its present status. */
  readonly agreement: MandateAgreement;
  readonly mandate: MandateRecord;
  readonly settings: Settings;
}

/** The agreement of a sign URL's token, as stored. Null for an unknown token, and for another organisation's. */
async function findByToken(
  tx: Tx,
  { organisation }: Pick<Ctx, "organisation">,
  token: string,
): Promise<MandateAgreement | null> {
  const claim = readSecretToken(token);
  return claim?.organisation === organisation.id ? findAgreementByToken(tx, claim.hash) : null;
}

/** Reads the facts of the page with this token. Null for an unknown token. */
export const readSignPage = (services: Services, ctx: Ctx, token: string): Promise<SignPageFacts | null> =>
  readPage(services, ctx, (tx) => findByToken(tx, ctx, token));

/** Like `readSignPage`, for the agreement with this id. */
export const readAgreementPage = (
  services: Services,
  ctx: Ctx,
  id: MandateAgreementId,
): Promise<SignPageFacts | null> => readPage(services, ctx, (tx) => findAgreement(tx, id));

function readPage(
  services: Services,
  ctx: Ctx,
  find: (tx: Tx) => Promise<MandateAgreement | null>,
): Promise<SignPageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const agreement = await find(tx);
    if (!agreement) return null;
    const [mandate, settings] = await Promise.all([findMandate(tx, agreement.mandateId), currentSettings(tx)]);
    assert(mandate, "an agreement's mandate stays");
    return { agreement: { ...agreement, status: statusAt(agreement, ctx.now) }, mandate, settings };
  });
}

/**
 * Signs an open agreement (interface 4.10) and stores the evidence, which authorises a mandate by agreement. Requests
 * the mails to customer and staff. Returns whether this call signed it, and the agreement's status; when several calls
 * run at once, one of them signs. Locks the mandate.
 */
export function signAgreement(
  services: Services,
  ctx: Ctx,
  token: string,
  signer: Omit<Signature, "signedAt">,
): Promise<{ readonly signed: boolean; readonly status: AgreementStatus }> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const found = await findByToken(tx, ctx, token);
    assert(found, "an agreement that was shown stays");
    const mandate = await lockMandate(tx, found.mandateId);
    // Read again under the lock.
    const agreement = await findByToken(tx, ctx, token);
    assert(mandate && agreement, "an agreement and its mandate stay");
    const status = statusAt(agreement, ctx.now);
    if (status !== "open") return { signed: false, status };
    saveSignature(tx, agreement.id, { ...signer, signedAt: ctx.now });
    cancelWork(tx, AGREEMENT_EXPIRE, agreement.id);
    const marked = { ...mandate, agreementSignedAt: mandate.agreementSignedAt ?? ctx.now, updatedAt: ctx.now };
    const authorises = mandate.authority === "agreement" && stageOf(mandate) === "awaiting_signature";
    const after = authorises
      ? await authorised(tx, ctx, marked)
      : mandate.authorityLostAt !== null
        ? await authorisedAnew(tx, ctx, marked)
        : await collectable(tx, ctx, mandate, marked);
    updateMandate(tx, after);
    appendSigned(tx, ctx, mandate, await readMandate(tx, mandate.id));
    recordAudit(tx, {
      ...ctx,
      action: "POST /sign-mandate/{token}",
      subject: mandate.id,
      before: { stage: stageOf(mandate) },
      after: { stage: stageOf(after) },
    });
    const customer = await findCustomer(tx, mandate.customerId);
    await mailSigned(tx, ctx, agreement, { to: customer?.email ?? null, token, signerName: signer.name, at: ctx.now });
    return { signed: true, status: "signed" };
  });
}

/**
 * The signed mandate, if it is active. Where only signed mandates are collected, the dates before its first signature
 * are not collected later: the next date is the first one from today on.
 */
async function collectable(tx: Tx, ctx: Ctx, before: Mandate, signed: Mandate): Promise<Mandate> {
  if (before.status !== "active" || before.agreementSignedAt !== null) return signed;
  const { debitOrders } = await currentSettings(tx);
  return debitOrders.requireSignedAgreement ? activated(signed, calendarDay(ctx.now)) : signed;
}
