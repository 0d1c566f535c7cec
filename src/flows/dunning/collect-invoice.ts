import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { addDays, addSeconds, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
  subscriptionOfInvoice,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { dueNow } from "../../modules/dunning/rules.ts";
import { findCollection, saveCollection } from "../../modules/dunning/store.ts";
import type { Collection } from "../../modules/dunning/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Tx } from "../../platform/database.ts";
import { type AskedCharge, chargeStoredCard } from "../card-charges/charge-stored-card.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { giveUp } from "./give-up.ts";
import { missedCollection } from "./missed-collection.ts";
import { begun, recordAttempt } from "./record-attempt.ts";

/** How long a collection waits for another payment of its invoice, such as one that was started on the page. */
const UNDER_WAY_SECONDS = 3600;

/**
 * Nothing was charged; `again` is when to try again, null when other work is enqueued or there is nothing left to
 * collect.
 */
interface NotYet {
  readonly again: Instant | null;
}

/**
 * `customer_subscription.collect`: charges the stored card for a subscription's invoice, for the first time or as a
 * retry on the days of the settings, or ends its collection by their final action (interface 16.14, 16.16). An invoice
 * is never collected twice at once: while a payment of it is under way, this waits. Locks the subscription, then as
 * `recordAttempt`.
 */
export async function collectInvoice(services: Services, ctx: Ctx, invoiceId: string): Promise<Instant | null> {
  const outcome = await chargeStoredCard(services, ctx, (tx) => collect(tx, ctx, invoiceId));
  return "again" in outcome ? outcome.again : null;
}

async function collect(tx: Tx, ctx: Ctx, invoiceId: string): Promise<AskedCharge | NotYet> {
  const found = await lockCollected(tx, ctx, invoiceId);
  if (!found) return { again: null };
  const { sub, collection } = found;
  // The bill at the end of a subscription is charged once, and not retried.
  if (hasEnded(sub) && collection.missedAt !== null) return closed(tx, { ...collection, ended: "stopped" });
  if (sub.status === "paused") return { again: tomorrow(ctx) };
  const { dunning } = await currentSettings(tx);
  const due = dueNow(collection, dunning, ctx.now);
  if (due === null || "again" in due) return { again: due?.again ?? null };
  if ("giveUp" in due) {
    await giveUp(tx, ctx, sub, collection);
    return { again: null };
  }
  const toCollect = { sub, collection, cause: due.attempt };
  const attempt = await recordAttempt(tx, ctx, toCollect);
  if (!("why" in attempt)) return attempt;
  switch (attempt.why) {
    case "closed":
      return closed(tx, { ...collection, ended: await endOf(tx, collection) });
    case "under_way":
      return { again: addSeconds(ctx.now, UNDER_WAY_SECONDS) };
    case "not_now":
      return { again: tomorrow(ctx) };
    case "no_charge":
      await missedCollection(tx, ctx, {
        sub,
        collection: begun(collection, due.attempt),
        attempt: { cause: due.attempt },
        reason: attempt.reason,
        isHard: false,
      });
      return { again: null };
  }
}

/**
 * Locks a subscription that is collected from a card, and returns it with the collection of one of its invoices; null
 * when there is none.
 */
export async function lockCollected(
  tx: Tx,
  ctx: Ctx,
  invoiceId: string,
): Promise<{ readonly sub: ShownSubscription; readonly collection: Collection } | null> {
  const of = await subscriptionOfInvoice(tx, invoiceId);
  if (of?.collectionMethod !== "gateway") return null;
  await lockCustomerSubscription(tx, of.id);
  const [sub, collection] = await Promise.all([
    findCustomerSubscription(tx, of.id, calendarDay(ctx.now)),
    findCollection(tx, invoiceId),
  ]);
  return sub && collection && { sub, collection };
}

const tomorrow = ({ now }: Ctx): Instant => startOfDay(addDays(calendarDay(now), 1));

const endOf = async (tx: Tx, { invoiceId }: Collection) =>
  (await findInvoice(tx, invoiceId))?.status === "paid" ? "paid" : "cancelled";

function closed(tx: Tx, collection: Collection): NotYet {
  saveCollection(tx, { ...collection, newCardId: null });
  return { again: null };
}
