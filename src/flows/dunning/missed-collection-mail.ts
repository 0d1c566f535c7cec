import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { addDays, type CalendarDay, calendarDay } from "../../kernel/time.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Dunning, NextStep } from "../../modules/dunning/rules.ts";
import type { Collection } from "../../modules/dunning/types.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type AfterMissed, missedCollectionMail } from "../../templates/mails/missed-collection.ts";
import type { Ctx } from "../context.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";

/** The facts of the mail at the time of the failed attempt. */
type Facts = {
  readonly plan: string;
  readonly reason: string;
  readonly what: AfterMissed["what"];
  readonly on: AfterMissed["on"];
  readonly endsAfter?: AfterMissed["on"];
};

/** To the payer of a subscription: one of its invoices could not be collected. */
export const MISSED_COLLECTION_MAIL = declareMail<Facts>("missed_collection", async (tx, ctx, { about, facts }) => {
  const invoice = await findInvoice(tx, about);
  if (!invoice) return null;
  return fromMerchant(tx, ctx, (brand) =>
    missedCollectionMail({
      brand,
      plan: facts.plan,
      reason: facts.reason,
      next: { what: facts.what, on: facts.on, endsAfter: facts.endsAfter ?? null },
      amount: amountDue(invoice),
      currency: invoice.currency,
      invoiceNumber: invoice.number,
      url: invoicePayUrl(ctx, invoice),
    }),
  );
});

interface MissedCollection {
  readonly sub: ShownSubscription;
  readonly invoice: Invoice;
  /** Null for a debit order, and after the collection has ended. */
  readonly next: NextStep | null;
  readonly collection: Pick<Collection, "missedAt">;
  /** The date on which the debit order is retried; null when there is none. */
  readonly nextDebit: CalendarDay | null;
  readonly isHard: boolean;
  /** Whether a bank reversed the payment, and nothing is collected automatically. */
  readonly isTakenBack?: boolean;
  readonly dunning: Dunning;
  readonly reason: string;
}

/** Requests the mail about a failed attempt, or a reversed payment. False when the customer has no address. */
export const mailMissedCollection = (tx: Tx, ctx: Ctx, missed: MissedCollection): boolean =>
  requestMail(tx, ctx, MISSED_COLLECTION_MAIL, {
    about: missed.invoice.id,
    to: [missed.invoice.customer.email],
    facts: { plan: missed.sub.plan.name, reason: missed.reason, ...afterMissed(ctx, missed) },
  });

function afterMissed({ now }: Ctx, missed: MissedCollection): AfterMissed {
  const { sub, next, nextDebit, collection, isHard, isTakenBack, dunning } = missed;
  if (isTakenBack) return { what: "taken_back", on: null };
  if (hasEnded(sub)) return { what: "stop", on: null };
  if (sub.collectionMethod === "debit_order") return { what: "mandate", on: nextDebit };
  if (next?.step === "retry") {
    const last = dunning.retryDays.at(-1);
    const ends = dunning.finalAction === "cancel" && last !== undefined && collection.missedAt !== null;
    const endsAfter = ends ? addDays(calendarDay(collection.missedAt), last) : null;
    return { what: "try_again", on: calendarDay(next.at), endsAfter };
  }
  const cancels = dunning.finalAction === "cancel" && next !== null;
  if (isHard) return { what: "card", on: cancels && next.at > now ? calendarDay(next.at) : null };
  return { what: cancels ? "cancel" : "stop", on: null };
}
