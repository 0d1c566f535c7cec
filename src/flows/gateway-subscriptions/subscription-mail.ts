import { CARD_PAGE } from "../../modules/card-setups/declarations.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import { nextBillingOn } from "../../modules/customer-subscriptions/states.ts";
import { findSubscriptionAlone } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { findMigration } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { migrationMail, subscriptionLinkMail } from "../../templates/mails/subscription-link.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";

/**
 * To the payer of a subscription: a link that collects a missed charge, or restarts the subscription at another amount.
 */
export const SUBSCRIPTION_LINK_MAIL = declareMail<Record<string, never>>(
  "subscription_link",
  async (tx, ctx, { about }) => {
    const link = await findPaymentLink(tx, about);
    if (!link) return null;
    const { title, amount, currency, recurring } = link;
    const url = hostedUrl(ctx, PAY_PAGE, link.id);
    return fromMerchant(tx, ctx, (brand) =>
      subscriptionLinkMail({ brand, title, amount, currency, frequency: recurring?.frequency ?? null, url }),
    );
  },
);

/** Requests the mail with a link, each time that it is called. False when the payer has no known address. */
export async function mailSubscriptionLink(
  tx: Tx,
  ctx: Ctx,
  { payerEmail, customerId }: GatewaySubscription,
  { id }: PaymentLink,
): Promise<boolean> {
  const customer = payerEmail === null && customerId !== null ? await findCustomer(tx, customerId) : null;
  return requestMail(tx, ctx, SUBSCRIPTION_LINK_MAIL, {
    about: id,
    to: [payerEmail ?? customer?.email ?? null],
    facts: {},
  });
}

/** To the payer of a migration: the page on which they confirm their card. */
export const SUBSCRIPTION_MIGRATION_MAIL = declareMail<Record<string, never>>(
  "subscription_migration",
  async (tx, ctx, { about }) => {
    const migration = await findMigration(tx, about);
    if (!migration) return null;
    const { payerName, subscription, amount, frequency, nextDate, cardSetupId } = migration;
    const url = hostedUrl(ctx, CARD_PAGE, cardSetupId);
    const here = subscription.runs === "here" ? await findSubscriptionAlone(tx, subscription.id) : null;
    // The first charge is put off while the card is not confirmed.
    const charged = here
      ? { amount: regularPrice(here.state.terms).total, nextDate: nextBillingOn(here) ?? nextDate }
      : { amount, nextDate };
    const terms = { payerName, ...charged, currency: DEFAULT_CURRENCY, frequency };
    return fromMerchant(tx, ctx, (brand) => migrationMail({ brand, ...terms, url }));
  },
);

/** Requests the mail with the page of a migration, each time that it is called. */
export const mailMigrationLink = (tx: Tx, ctx: Ctx, { id, email }: SubscriptionMigration): boolean =>
  requestMail(tx, ctx, SUBSCRIPTION_MIGRATION_MAIL, { about: id, to: [email], facts: {} });
