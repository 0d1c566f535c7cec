import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { type Instant, startOfDay } from "../../kernel/time.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { stepAfterMiss } from "../../modules/dunning/rules.ts";
import { type ListedAttempt, listAttempts, openCollections } from "../../modules/dunning/store.ts";
import type { Collection, ShownAttempt } from "../../modules/dunning/types.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * The attempts to collect a subscription, newest first (interface 4.8, attempts). The time of the next attempt is
 * computed from present facts, so that none is announced once the invoice is paid or cancelled, the subscription is
 * paused or has ended, or the mandate no longer debits.
 */
export async function readAttempts(
  tx: Tx,
  ctx: Ctx,
  sub: ShownSubscription,
  query: Parameters<typeof listAttempts>[2],
): Promise<ShownAttempt[]> {
  const [attempts, open, settings, mandate] = await Promise.all([
    listAttempts(tx, sub.id, query),
    openCollections(tx, sub.id),
    currentSettings(tx),
    sub.mandateId && findMandate(tx, sub.mandateId),
  ]);
  const isCollected = !hasEnded(sub) && sub.status !== "paused";
  const nextOf = ({ isNewest, status, invoiceId }: ListedAttempt): Instant | null => {
    const collection = open.find((one) => one.invoiceId === invoiceId);
    const mayFollow = isCollected && isNewest && (status === "failed" || status === "cancelled");
    if (!mayFollow || !collection || collection.ended !== null) return null;
    if (sub.collectionMethod === "debit_order") return nextDebit(collection, mandate);
    const next = stepAfterMiss(collection, settings.dunning, ctx.now);
    return next?.step === "retry" ? next.at : null;
  };
  return attempts.map((attempt) => ({ ...attempt, nextAt: nextOf(attempt) }));
}

/** The next debit of an active mandate; after a hard decline only that of a mandate which was authorised later. */
function nextDebit({ isHard, missedAt }: Collection, mandate: Mandate | null): Instant | null {
  if (mandate?.status !== "active" || mandate.nextDebitDate === null) return null;
  const { authorisedAt } = mandate;
  const mayDebit = !isHard || (missedAt !== null && authorisedAt !== null && authorisedAt > missedAt);
  return mayDebit ? startOfDay(mandate.nextDebitDate) : null;
}
