import { ApiError } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { findAgreement } from "../../modules/mandate-agreements/store.ts";
import { MANDATE_CHECK } from "../../modules/mandates/declarations.ts";
import { deleteMandate, lockMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import { mandateView } from "../../modules/mandates/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { applyToMandate } from "./apply-mandate-fact.ts";
import type { EMandateAnswer, ProviderAnswer } from "./ask-provider.ts";
import { appendCreated } from "./mandate-events.ts";
import { readMandate } from "./read-mandate.ts";

const refusal = (reason: string | null): ApiError =>
  new ApiError(
    "invalid_request",
    400,
    `The provider rejected the electronic mandate${reason === null ? "." : `: ${reason}`}`,
  );

/**
 * Applies the provider's answer to a new mandate and returns the mandate as the API shows it (interface 4.10). While
 * the answer is unclear the mandate waits for its signature, and due work asks again. When the provider refused, the
 * mandate is deleted and the error 400 returned.
 */
export async function settleMandate(tx: Tx, ctx: Ctx, id: string, { warnings, eMandate }: ProviderAnswer) {
  const before = await lockMandate(tx, id);
  if (!before) return refusal(null);
  if (before.authority === "emandate" && !isRefusal(eMandate)) appendCreated(tx, ctx, await readMandate(tx, before.id));
  const mandate = eMandate === null ? before : await applyAnswer(tx, ctx, before, eMandate);
  const record = await readMandate(tx, mandate.id);
  if (record.rejectedAt !== null && record.authority === "emandate" && record.latestAgreement === null) {
    cancelWork(tx, MANDATE_CHECK, record.id);
    deleteMandate(tx, record.id);
    return refusal(record.rejectionReason);
  }
  const agreement =
    record.authority === "agreement" && record.latestAgreement
      ? await findAgreement(tx, record.latestAgreement.id)
      : null;
  const sent = agreement && {
    id: agreement.id,
    emailed: agreement.emailed,
    expiresAt: toTimestamp(agreement.expiresAt),
  };
  return { ...mandateView(record, ctx.now), warnings, ...(sent && { agreementSent: sent }) };
}

const isRefusal = (answer: EMandateAnswer | null): boolean =>
  answer !== null && answer !== "unclear" && (answer.kind === "refused" || answer.kind === "rejected");

/** Applies the provider's answer to a locked mandate: the link for signing, a refusal, or the customer's answer. */
export async function applyAnswer(tx: Tx, ctx: Ctx, mandate: Mandate, answer: EMandateAnswer): Promise<Mandate> {
  if (answer === "unclear") return mandate;
  switch (answer.kind) {
    case "created":
      return applyToMandate(tx, ctx, mandate, { kind: "waiting", reason: null, signUrl: answer.signUrl });
    case "refused":
      return applyToMandate(tx, ctx, mandate, { kind: "rejected", reason: answer.reason, signUrl: null });
    default:
      return applyToMandate(tx, ctx, mandate, answer);
  }
}
