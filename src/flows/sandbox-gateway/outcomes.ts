import { type Outcome, type SandboxPayment, settle } from "../../gateways/sandbox/server.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import { addDays, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { subscriptionOfInvoice } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { SandboxStepsBody } from "../../modules/sandbox-gateway/schema.ts";
import {
  countMatch,
  insertSteps,
  lockWaitingSteps,
  markStepUsed,
} from "../../modules/sandbox-gateway/store/outcomes.ts";
import type { SandboxKind, SandboxStep } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";

/** Tells the sandbox gateway what to do next (interface 13.9). */
export function scriptOutcomes(tx: Tx, ctx: Ctx, { steps }: SandboxStepsBody): SandboxStep[] {
  // Steps are used in the order of their ids.
  const ids = steps.map(() => newId("sbo")).sort();
  const made = steps.map(({ match, outcome, delayDays }, place): SandboxStep => {
    const id = ids[place];
    assert(id, "each step has an id");
    const unused = { seen: 0, usedBy: null, usedAt: null };
    return { id, ...match, outcome, delayDays: delayDays ?? 0, ...unused, createdAt: ctx.now };
  });
  insertSteps(tx, made);
  return made;
}

/** An attempt at the sandbox gateway: of these kinds, for the payment with this reference. */
interface Attempt {
  readonly kinds: readonly SandboxKind[];
  readonly reference: string;
  readonly now: Instant;
}

/** The step that an attempt uses; null when none is for it. Each waiting step that the attempt matches counts it. Locks the steps. */
export async function stepFor(tx: Tx, { kinds, reference, now }: Attempt): Promise<SandboxStep | null> {
  const waiting = await lockWaitingSteps(tx, kinds);
  if (waiting.length === 0) return null;
  const about = await subjectsOf(tx, reference);
  const matching = waiting.filter(
    (step) =>
      (step.kind !== "renewal" || about.isRenewal || !kinds.includes("card_charge")) &&
      (step.customerId === null || step.customerId === about.customerId) &&
      (step.subscriptionId === null || about.subscriptions.includes(step.subscriptionId)),
  );
  countMatch(
    tx,
    matching.map(({ id }) => id),
  );
  const step = matching.find(({ nth, seen }) => nth === null || nth === seen + 1);
  if (!step) return null;
  markStepUsed(tx, step.id, reference, now);
  return step;
}

/** The customer and the subscriptions that a payment is of. */
async function subjectsOf(tx: Tx, reference: string) {
  const payment = await findByReference(tx, reference);
  const billed = payment?.invoiceId ? await subscriptionOfInvoice(tx, payment.invoiceId) : null;
  return {
    customerId: payment?.customerId ?? null,
    subscriptions: [billed?.id, payment?.subscriptionId].filter((id) => id != null),
    isRenewal: billed !== null,
  };
}

/** How a payment ends by a step; null for one that stays pending. */
export function endingOf({ outcome }: Pick<SandboxStep, "outcome">, kind: SandboxPayment["kind"]): Outcome | null {
  if (outcome === "pending") return null;
  if (outcome === "declined") return kind === "debit" ? "unpaid" : "declined";
  if (outcome === "insufficient_funds") return kind === "debit" ? "unpaid" : "insufficient_funds";
  if (outcome === "card_error") return kind === "debit" ? "unpaid" : "card_token_error";
  return "complete";
}

/**
 * A charge or renewal as a step wants it: settled at once where it would be, else on its day, or `delayDays` later; pending
 * for good; or disputed when it is settled.
 */
export function asScripted(payment: SandboxPayment, step: SandboxStep, now: Instant): SandboxPayment {
  const ending = endingOf(step, payment.kind);
  const scripted: SandboxPayment = {
    ...payment,
    status: "pending",
    decline: null,
    fee: null,
    decidedAt: null,
    ending,
    isDisputed: step.outcome === "disputed",
  };
  if (ending === null) return { ...scripted, settlesAt: null };
  if (step.delayDays > 0) return { ...scripted, settlesAt: startOfDay(addDays(calendarDay(now), step.delayDays)) };
  return payment.settlesAt === null ? settle(scripted, ending, now) : scripted;
}

/** The error by which the gateway's answer to a request is lost, though it has done what it was asked. */
export const lostAnswer = (): ApiError =>
  new ApiError("service_unavailable", 503, "The sandbox gateway's answer is lost, as it was told.");
