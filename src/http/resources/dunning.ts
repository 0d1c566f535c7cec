import { z } from "zod";
import { type AskedCharge, askToCharge, settleCharge } from "../../flows/card-charges/charge-stored-card.ts";
import { requireSubscription } from "../../flows/customer-subscriptions/act-on-subscription.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { readAttempts } from "../../flows/dunning/read-attempts.ts";
import { recordRetry } from "../../flows/dunning/retry-now.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { toRand } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CustomerSubscriptionObject } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { AttemptsQuery, CollectionAttemptObject } from "../../modules/dunning/schema.ts";
import { attemptView } from "../../modules/dunning/view.ts";
import { endpoint, gatewayEndpoint } from "../endpoint.ts";
import { listOf, page } from "../lists.ts";
import { common } from "./customer-subscriptions.ts";

const params = z.object({ id: z.string() });

/** The endpoints of interface 4.8, retry and attempts. */
export const dunningEndpoints = [
  gatewayEndpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/retry",
    summary: "Charge the stored card for the unpaid cycle of a customer subscription now",
    permission: "subscriptions:write",
    params,
    idempotent: true,
    replies: { 200: CustomerSubscriptionObject },
    steps: {
      async record({ ctx, params: { id } }, tx) {
        const recorded = await recordRetry(tx, ctx, id);
        const after = { collected: toRand(recorded.transaction.amount), by: "card" };
        return { intent: recorded.transaction.id, audit: { subject: id, after }, known: recorded as AskedCharge };
      },
      ask: ({ ctx, services }, transaction, _again, recorded) =>
        askToCharge(services, ctx, transaction as TransactionId, recorded),
      async settle({ ctx, params: { id } }, tx, _transaction, answer) {
        await settleCharge(tx, ctx, answer);
        const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
        return { status: 200, body: subscriptionObject(ctx, found) };
      },
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/attempts",
    summary: "List the attempts to collect a customer subscription, newest first, with their reasons",
    permission: "subscriptions:read",
    params,
    query: AttemptsQuery,
    replies: { 200: listOf(CollectionAttemptObject) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
      const { items, ...paging } = await page(query, (wanted) => readAttempts(tx, ctx, found, wanted));
      return { status: 200, body: { data: items.map(attemptView), ...paging } };
    },
  }),
];
