import type { CalendarDay } from "../../kernel/time.ts";
import { calendarDay } from "../../kernel/time.ts";
import { lastDayOf } from "../../modules/customer-subscriptions/rules/planner/periods.ts";
import { promisedCharges } from "../../modules/customer-subscriptions/rules/planner/promise.ts";
import { endOfRunningPeriod, nextBillingOn } from "../../modules/customer-subscriptions/states.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import {
  type SubscriptionChange,
  subscriptionChangeMail,
  trialEndingMail,
} from "../../templates/mails/customer-subscription.ts";
import type { Ctx } from "../context.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";

/** The change as it was at the time of the request; later changes do not affect the mail. */
type Change = {
  readonly change: SubscriptionChange;
  readonly planName: string;
  readonly paidUntil: CalendarDay | null;
  readonly nextBilling: CalendarDay | null;
};

const accountUrl = ({ baseUrl, organisation }: Ctx): string => `${baseUrl}/portal/${organisation.slug}`;

/** To the payer: a customer subscription was paused, resumed, cancelled or reactivated. */
export const SUBSCRIPTION_CHANGE_MAIL = declareMail<Change>("subscription_change", async (tx, ctx, { facts }) =>
  fromMerchant(tx, ctx, (brand) => subscriptionChangeMail({ brand, ...facts, accountUrl: accountUrl(ctx) })),
);

/** Requests the mail about a change. Sends none in mirror mode (interface 4.8), nor to a payer without an address. */
export function mailSubscriptionChange(tx: Tx, ctx: Ctx, of: ShownSubscription, change: SubscriptionChange): void {
  if (of.collectionMethod === "external") return;
  const { period } = of.state;
  const runsUntil = endOfRunningPeriod(of, calendarDay(ctx.now)) !== null && period !== null ? lastDayOf(period) : null;
  requestMail(tx, ctx, SUBSCRIPTION_CHANGE_MAIL, {
    about: of.id,
    to: [of.customer.email],
    facts: { change, planName: of.plan.name, paidUntil: runsUntil, nextBilling: nextBillingOn(of) },
  });
}

/** To the payer of a trial: the trial ends, and this amount is charged then. */
export const TRIAL_ENDING_MAIL = declareMail<{ readonly lastDay: CalendarDay }>(
  "trial_ending",
  async (tx, ctx, { about, facts }) => {
    const found = await findCustomerSubscription(tx, about, calendarDay(ctx.now));
    if (!found) return null;
    const { terms } = found.state;
    return fromMerchant(tx, ctx, (brand) =>
      trialEndingMail({
        brand,
        planName: found.plan.name,
        accountUrl: accountUrl(ctx),
        lastDay: facts.lastDay,
        charges: promisedCharges(found.state),
        currency: terms.price.currency,
        metered: terms.items.flatMap((item) => (item.kind === "metered" ? item.description : [])),
      }),
    );
  },
);

/** Requests the trial-ending notice, once for each end date. */
export const mailTrialEnding = (tx: Tx, ctx: Ctx, { id, customer }: ShownSubscription, lastDay: CalendarDay): boolean =>
  requestMail(tx, ctx, TRIAL_ENDING_MAIL, {
    about: id,
    to: [customer.email],
    once: `trial-ending:${id}:${lastDay}`,
    facts: { lastDay },
  });
