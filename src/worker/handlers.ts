import type { Ctx } from "../flows/context.ts";
import { expireEftOrder, remindOfEftOrder } from "../flows/eft-orders/when-due.ts";
import { lockToChange } from "../flows/invoices/lock-invoice.ts";
import { markOverdue, remindOfInvoice } from "../flows/invoices/watch-due-date.ts";
import { checkPayment } from "../flows/payments/check-payment.ts";
import { checkRefund } from "../flows/payments/check-refund.ts";
import { expireIfOver } from "../flows/quotes/quote-steps.ts";
import type { Services } from "../flows/services.ts";
import type { Instant } from "../kernel/time.ts";
import { lockEftOrder } from "../modules/eft-orders/store.ts";
import { lockQuote } from "../modules/quotes/store.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, enqueue, lockHeld } from "../platform/due-work.ts";
import { createComposeMail } from "./compose-mail.ts";
import { createDeliverWebhook } from "./deliver-webhook.ts";
import type { Handler, Handlers, WorkerParts } from "./job.ts";
import { createReact } from "./react.ts";
import { createSendMail } from "./send-mail.ts";

/** One handler for each kind of due work. */
export const createHandlers = (parts: WorkerParts): Handlers => ({
  "event.react": createReact(parts),
  "webhook.deliver": createDeliverWebhook(parts),
  "mail.compose": createComposeMail(parts),
  "mail.send": createSendMail(parts),
  "payment.check": asking(parts.services, checkPayment),
  "refund.check": asking(parts.services, checkRefund),
  "invoice.overdue": acting(parts.services, lockToChange, markOverdue),
  "invoice.remind": acting(parts.services, lockToChange, remindOfInvoice),
  "quote.expire": acting(parts.services, lockQuote, async (tx, ctx, quote) => {
    expireIfOver(tx, ctx, quote);
    return null;
  }),
  "eft.expire": acting(parts.services, lockEftOrder, expireEftOrder),
  "eft.remind": acting(parts.services, lockEftOrder, remindOfEftOrder),
});

/** Work that asks somebody until the answer is clear. `ask` runs transactions of its own, and answers when to ask again, or null. */
function asking(
  services: Services,
  ask: (services: Services, ctx: Ctx, subject: string) => Promise<Instant | null>,
): Handler {
  return async ({ work, ctx }) => {
    const again = await ask(services, ctx, work.subject);
    await services.db.transaction(work.organisation, async (tx) => {
      // Gone when the answer itself settled the matter, or asked for it anew.
      if (!(await lockHeld(tx, [work])).has(work.subject)) return;
      if (again) enqueue(tx, work.kind, work.subject, again);
      else completeWork(tx, [work]);
    });
    return "done";
  };
}

/**
 * Work of one transaction on one record. `lock` takes the record before the work is taken, as whoever asks for work or takes it back
 * has locked the record already: the other way round each would wait for the other. `act` answers when it is to be done again, or null;
 * nothing is left to do about a record that is gone.
 */
function acting<Locked>(
  services: Services,
  lock: (tx: Tx, subject: string) => Promise<Locked | null>,
  act: (tx: Tx, ctx: Ctx, locked: Locked) => Promise<Instant | null>,
): Handler {
  return async ({ work, ctx }) => {
    await services.db.transaction(work.organisation, async (tx) => {
      const [locked, held] = await Promise.all([lock(tx, work.subject), lockHeld(tx, [work])]);
      if (!held.has(work.subject)) return;
      completeWork(tx, [work]);
      const again = locked && (await act(tx, ctx, locked));
      if (again) enqueue(tx, work.kind, work.subject, again);
    });
    return "done";
  };
}
