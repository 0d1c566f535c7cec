import type { Ctx } from "../flows/context.ts";
import { checkPayment } from "../flows/payments/check-payment.ts";
import { checkRefund } from "../flows/payments/check-refund.ts";
import type { Services } from "../flows/services.ts";
import type { Instant } from "../kernel/time.ts";
import { completeWork, enqueue, lockHeld } from "../platform/due-work.ts";
import { createDeliverWebhook } from "./deliver-webhook.ts";
import type { Handler, Handlers, WorkerParts } from "./job.ts";
import { createReact } from "./react.ts";
import { createSendMail } from "./send-mail.ts";

/** One handler for each kind of due work. */
export const createHandlers = (parts: WorkerParts): Handlers => ({
  "event.react": createReact(parts),
  "webhook.deliver": createDeliverWebhook(parts),
  "mail.send": createSendMail(parts),
  "payment.check": asking(parts.services, checkPayment),
  "refund.check": asking(parts.services, checkRefund),
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
