import { toRand } from "../../kernel/money.ts";
import { startOfDay, toTimestampOrNull } from "../../kernel/time.ts";
import type {
  PaymentMethodBody,
  PaymentMethodPreviewed,
} from "../../modules/customer-subscriptions/schema/payment-method.ts";
import { nextBillingOn } from "../../modules/customer-subscriptions/states.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import { dryRun } from "../../platform/dry-run.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { changePaymentMethod } from "./change-payment-method.ts";

/**
 * What a change of a subscription's payment method would do, by a dry run of `changePaymentMethod` (interface 4.8).
 * Throws as it does.
 */
export const previewPaymentMethod = (
  services: Services,
  ctx: Ctx,
  id: string,
  body: PaymentMethodBody,
): Promise<PaymentMethodPreviewed> =>
  dryRun(services.db, ctx.organisation.id, async (tx) => {
    const changed = await changePaymentMethod(tx, ctx, id, body);
    const { after, mandate } = changed;
    const collecting = after.mandateId && (await findMandate(tx, after.mandateId));
    const nextBilling = nextBillingOn(after);
    return {
      object: "payment_method_preview",
      subscriptionId: after.id,
      collectionMethod: after.collectionMethod,
      changes: after !== changed.before,
      nextBillingAt: toTimestampOrNull(nextBilling && startOfDay(nextBilling)),
      nextDebitDate: collecting ? collecting.nextDebitDate : null,
      mailTo: after.customer.email,
      invoices: changed.invoices.map(({ invoice, next, at }) => ({
        id: invoice.id,
        number: invoice.number,
        amountDue: toRand(amountDue(invoice)),
        currency: invoice.currency,
        next,
        at: toTimestampOrNull(at),
      })),
      pausedMandates: changed.paused.map(({ id: paused, accountReference }) => ({ id: paused, accountReference })),
      resumesMandate: mandate?.status === "paused",
      endsOwnAmount: mandate && mandate.subscriptionId === null ? toRand(mandate.amount) : null,
    };
  });
