import { declineReasonOf } from "../../domain/decline-reasons.ts";
import type { EventDeclaration } from "../../events/event.ts";
import { appendEvents } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import type { MandateId, TransactionId } from "../../kernel/ids.ts";
import { type Cents, toRand } from "../../kernel/money.ts";
import { DEBIT_BATCH_COMPLETE } from "../../modules/debit-batches/declarations.ts";
import type { DebitOutcome } from "../../modules/debit-batches/store/debit-batches.ts";
import { saveUnpaid } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DatedDebit, DebitBatch } from "../../modules/debit-batches/types.ts";
import { MANDATE_DEBIT_COLLECTED, MANDATE_DEBIT_UNPAID } from "../../modules/mandates/declarations.ts";
import type { MandateDebitEventData } from "../../modules/mandates/schema.ts";
import { findMandates } from "../../modules/mandates/store.ts";
import type { Mandate, MandateRecord } from "../../modules/mandates/types.ts";
import { mandateView } from "../../modules/mandates/view.ts";
import { deactivatePaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { setDeclineReasons } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { alertDebitsUnpaid } from "../mail/staff-alerts.ts";
import { appendStatusEvent } from "../mandates/mandate-events.ts";
import { linkReturnedDebits } from "./returned-debits.ts";
import { mailReturnedDebit } from "./unpaid-debit-mail.ts";
import { messageReturnedDebits } from "./unpaid-debit-message.ts";

/** Why a debit was returned unpaid, and what is owed again, in cents. */
interface Returned {
  readonly code: string | null;
  readonly reason: string;
  readonly amount: Cents;
  /** It had been collected: staff are alerted of the payment. */
  readonly wasCollected: boolean;
}

/** How a debit ended. `cancelled` says why it was not collected although no bank returned it. */
export interface EndedDebit {
  readonly debit: DatedDebit;
  readonly payment: Transaction;
  readonly outcome: "collected" | { readonly cancelled: string } | Returned;
}

/** A debit that was returned unpaid. */
type ReturnedEnd = Omit<EndedDebit, "outcome"> & { readonly outcome: Returned };

const isReturned = (ended: EndedDebit): ended is ReturnedEnd =>
  ended.outcome !== "collected" && "code" in ended.outcome;

/**
 * Stores why debits were returned unpaid, makes the links on which their payers can still pay, and announces the
 * outcomes: by events of their mandates, mails to the payers of debits without an invoice, and messages where the
 * settings say so, one alert to staff for each batch and day. `before` are the mandates as they were, locked; the
 * present ones are saved. A batch whose debits all have a result is completed by due work.
 */
export async function announceOutcomes(
  tx: Tx,
  ctx: Ctx,
  before: ReadonlyMap<MandateId, Mandate>,
  ended: readonly EndedDebit[],
): Promise<void> {
  if (ended.length === 0) return;
  const mandates = await findMandates(tx, [...new Set(ended.map(({ debit }) => debit.mandateId))]);
  const mandateOf = ({ debit }: Pick<EndedDebit, "debit">): MandateRecord => {
    const mandate = mandates.get(debit.mandateId);
    assert(mandate, "the mandate of a debit stays");
    return mandate;
  };
  const returned = ended.filter(isReturned);
  const owed = returned
    .filter(({ payment }) => payment.invoiceId === null)
    .map((one) => ({ debit: one.debit, mandate: mandateOf(one), ...one.outcome }));
  const links = linkReturnedDebits(tx, ctx, owed);
  saveOutcomes(tx, ctx, ended, links);
  appendOutcomes(
    tx,
    ctx,
    ended.filter((one) => one.outcome === "collected" || isReturned(one)),
    mandateOf,
  );
  for (const [id, mandate] of mandates) {
    const was = before.get(id);
    if (was) appendStatusEvent(tx, ctx, was, mandate);
  }
  for (const one of owed) {
    const link = links.get(one.debit.transactionId);
    if (link) mailReturnedDebit(tx, ctx, one, { to: mandateOf(one).customer.email, link });
  }
  await messageReturnedDebits(tx, ctx, owed, links);
  await alertReturned(tx, ctx, returned);
  for (const batch of new Set(ended.map(({ debit }) => debit.batchId)))
    enqueue(tx, DEBIT_BATCH_COMPLETE, batch, ctx.now);
}

/** A debit that is collected after it was returned is not owed any more: its link is deactivated. */
function saveOutcomes(
  tx: Tx,
  { now }: Ctx,
  ended: readonly EndedDebit[],
  links: ReadonlyMap<TransactionId, PaymentLink>,
): void {
  saveUnpaid(
    tx,
    ended.map(({ debit, outcome }): DebitOutcome => {
      const { transactionId, payLinkId } = debit;
      if (outcome === "collected")
        return { transactionId, payLinkId, unpaidReason: null, unpaidCode: null, unpaidAt: null };
      if ("cancelled" in outcome)
        return { transactionId, payLinkId, unpaidReason: outcome.cancelled, unpaidCode: null, unpaidAt: null };
      const link = links.get(transactionId)?.id ?? payLinkId;
      return { transactionId, payLinkId: link, unpaidReason: outcome.reason, unpaidCode: outcome.code, unpaidAt: now };
    }),
  );
  setDeclineReasons(
    tx,
    ended
      .filter(isReturned)
      .flatMap(({ payment: { id }, outcome: { code, reason, wasCollected } }) =>
        wasCollected ? { id, reason: declineReasonOf(code, reason) } : [],
      ),
  );
  for (const { debit, outcome } of ended)
    if (outcome === "collected" && debit.payLinkId !== null) deactivatePaymentLink(tx, debit.payLinkId);
}

/**
 * Appends the events of the mandates, in order. Events of one statement are about different mandates, so those of a
 * mandate with several debits are in several.
 */
function appendOutcomes(
  tx: Tx,
  ctx: Ctx,
  ended: readonly EndedDebit[],
  mandateOf: (of: EndedDebit) => MandateRecord,
): void {
  const numbers = new Map<MandateId, number>();
  const numbered = ended.map((one) => {
    const number = (numbers.get(one.debit.mandateId) ?? 0) + 1;
    numbers.set(one.debit.mandateId, number);
    return { one, number };
  });
  for (const [, together] of Map.groupBy(numbered, ({ number }) => number))
    for (const [declared, group] of Map.groupBy(together, ({ one }) => eventOf(one)))
      appendEvents(
        tx,
        ctx.now,
        declared,
        group.map(({ one }) => ({ subject: one.debit.mandateId, data: dataOf(ctx, mandateOf(one), one) })),
      );
}

const eventOf = ({ outcome }: EndedDebit): EventDeclaration<typeof MandateDebitEventData> =>
  outcome === "collected" ? MANDATE_DEBIT_COLLECTED : MANDATE_DEBIT_UNPAID;

const dataOf = ({ now }: Ctx, mandate: MandateRecord, one: EndedDebit) => ({
  ...mandateView(mandate, now),
  debit: {
    transactionReference: one.payment.reference,
    amount: toRand(isReturned(one) ? one.outcome.amount : one.payment.amount),
    actionDate: one.debit.actionDate,
    code: isReturned(one) ? one.outcome.code : null,
    reason: isReturned(one) ? one.outcome.reason : null,
  },
});

/** Alerts staff once for each batch and day; of a payment that was reversed they are alerted as of any other. */
async function alertReturned(tx: Tx, ctx: Ctx, returned: readonly ReturnedEnd[]): Promise<void> {
  const unpaid = returned.filter(({ outcome }) => !outcome.wasCollected);
  for (const id of new Set<DebitBatch["id"]>(unpaid.map(({ debit }) => debit.batchId)))
    await alertDebitsUnpaid(tx, ctx, { id });
}
