import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { askForAction, recordAction, settleAction } from "../../flows/gateway-subscriptions/act-on-subscription.ts";
import type { MailedLink } from "../../flows/gateway-subscriptions/mailed-link.ts";
import {
  askForRetry,
  type RecordedRetry,
  recordRetry,
  settleRetry,
} from "../../flows/gateway-subscriptions/retry-subscription.ts";
import { askForUpdate, recordUpdate, settleUpdate } from "../../flows/gateway-subscriptions/update-subscription.ts";
import { recordsOf } from "../../flows/payments/transaction-record.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import {
  GatewaySubscriptionObject,
  GatewaySubscriptionQuery,
  RetriedSubscription,
  SubscriptionChargesQuery,
  SubscriptionRetryBody,
  SubscriptionUpdate,
  UpdatedSubscription,
} from "../../modules/gateway-subscriptions/schema.ts";
import type { SubscriptionAction } from "../../modules/gateway-subscriptions/states.ts";
import { findGatewaySubscription, listGatewaySubscriptions } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { gatewaySubscriptionView } from "../../modules/gateway-subscriptions/view.ts";
import { TransactionObject } from "../../modules/payments/schema.ts";
import { listChargesOfSubscription } from "../../modules/payments/store/payments.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint, gatewayEndpoint, type Reply } from "../endpoint.ts";
import { TRANSACTION } from "../expand/records.ts";
import { listBody, listed, listOf, page, withPaymentCursor } from "../lists.ts";

/** What all endpoints about gateway subscriptions share. */
export const common = {
  tag: { name: "Subscriptions", about: "Card subscriptions that a gateway runs, begun by recurring payment links." },
  audience: "clients",
} as const;
/**
 * Reading, pausing and cancelling need no feature: after a change of plan the gateway continues to collect, and that
 * can be ended (decisions.md#stopping-needs-no-feature).
 */
const feature = "recurring_card_billing" as const;
const params = z.object({ id: z.string() });

/** `POST /subscriptions/{id}/pause`, `/resume`, `/cancel` (interface 3.12). */
const actionEndpoint = (action: SubscriptionAction, summary: string): Endpoint =>
  gatewayEndpoint({
    ...common,
    ...(action === "resume" ? { feature } : {}),
    method: "POST",
    path: `/subscriptions/{id}/${action}`,
    summary,
    permission: "subscriptions:write",
    scope: "gateway_subscriptions:write",
    // Cancelling ignores an Idempotency-Key (interface 4.1).
    idempotent: action !== "cancel",
    params,
    replies: { 200: GatewaySubscriptionObject },
    steps: {
      async record({ ctx, params: { id } }, tx) {
        const { subscription, done } = await recordAction(tx, ctx, id, action);
        if (done) return { status: 200, body: gatewaySubscriptionView(subscription) };
        return {
          intent: id,
          audit: { subject: id, before: { status: subscription.status }, after: { asked: action } },
        };
      },
      ask: ({ ctx, services }, id) => askForAction(services, ctx, id, action),
      async settle({ ctx }, tx, id, answer) {
        const outcome = await settleAction(tx, ctx, id, action, answer);
        return outcome instanceof ApiError ? outcome : { status: 200, body: gatewaySubscriptionView(outcome) };
      },
    },
  });

const shownRetry = ({ subscription, amount, charge, mailed }: RecordedRetry): Reply => ({
  status: 200,
  body: {
    subscription: gatewaySubscriptionView(subscription),
    result: {
      mode: charge ? "card" : "link",
      amount: toRand(amount),
      reference: charge?.reference ?? null,
      status: charge?.status ?? null,
      checkoutUrl: mailed?.url ?? null,
      emailed: mailed?.emailed ?? false,
    },
  },
});

const shownUpdate = (subscription: GatewaySubscription, replacement: MailedLink | null): Reply => ({
  status: 200,
  body: {
    subscription: gatewaySubscriptionView(subscription),
    result: {
      mode: replacement ? "replace" : "in_place",
      checkoutUrl: replacement?.url ?? null,
      emailed: replacement?.emailed ?? false,
    },
  },
});

const retryEndpoint = gatewayEndpoint({
  ...common,
  feature,
  method: "POST",
  path: "/subscriptions/{id}/retry",
  summary: "Collect the latest missed charge of a gateway subscription again, or an amount now",
  permission: "subscriptions:write",
  scope: "gateway_subscriptions:write",
  idempotent: true,
  params,
  body: SubscriptionRetryBody.default({ amount: null }),
  replies: { 200: RetriedSubscription },
  steps: {
    async record({ ctx, params: { id }, body, receivedAt }, tx) {
      const retry = await recordRetry(tx, ctx, id, { amount: body.amount, receivedAt });
      const audit = { subject: id, after: { collected: toRand(retry.amount), by: retry.charge ? "card" : "link" } };
      return retry.charge ? { intent: retry.charge.id, audit } : { ...shownRetry(retry), audit };
    },
    ask: ({ ctx, services }, transaction, again) => askForRetry(services, ctx, transaction, again),
    async settle({ ctx }, tx, transaction, answer) {
      return shownRetry(await settleRetry(tx, ctx, transaction, answer));
    },
  },
});

const updateEndpoint = gatewayEndpoint({
  ...common,
  feature,
  method: "POST",
  path: "/subscriptions/{id}/update",
  summary: "Change amount or next date of a gateway subscription, in place or by a new checkout",
  permission: "subscriptions:write",
  scope: "gateway_subscriptions:write",
  idempotent: true,
  params,
  body: SubscriptionUpdate,
  replies: { 200: UpdatedSubscription },
  steps: {
    async record({ ctx, params: { id }, body }, tx) {
      const { subscription, replacement } = await recordUpdate(tx, ctx, id, body);
      const { amount, nextDate } = body;
      const before = { amount: toRand(subscription.amount), nextDate: subscription.nextChargeOn };
      const after = { amount: amount === null ? before.amount : toRand(amount), nextDate: nextDate ?? before.nextDate };
      const audit = { subject: id, before, after };
      return replacement ? { ...shownUpdate(subscription, replacement), audit } : { intent: id, audit };
    },
    ask: ({ ctx, services, body }, id) => askForUpdate(services, ctx, id, body),
    async settle({ ctx, body }, tx, id, answer) {
      const outcome = await settleUpdate(tx, ctx, id, body, answer);
      return outcome instanceof ApiError ? outcome : shownUpdate(outcome, null);
    },
  },
});

/** Subscriptions that gateways run, without the tokens of their cards. */
const gatewaySubscriptionsCsv = listExport<GatewaySubscription, typeof GatewaySubscriptionQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    description: (row) => row.description,
    frequency: (row) => row.frequency,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    gateway: (row) => row.gatewayType,
    paymentLinkId: (row) => row.paymentLinkId,
    customerId: (row) => row.customerId,
    payerEmail: (row) => row.payerEmail,
    externalReference: (row) => row.externalReference,
    nextChargeDate: (row) => row.nextChargeOn,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listGatewaySubscriptions(tx, await withNamed(tx, query)),
});

/** The endpoints of interface 4.7. */
export const gatewaySubscriptionEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/subscriptions",
    summary: "List gateway subscriptions, newest first",
    permission: "subscriptions:read",
    scope: "gateway_subscriptions:read",
    query: GatewaySubscriptionQuery,
    replies: { 200: listOf(GatewaySubscriptionObject) },
    async handle({ query }, tx) {
      const named = await withNamed(tx, query);
      return listed({ query: named }, (wanted) => listGatewaySubscriptions(tx, wanted), gatewaySubscriptionView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/subscriptions/{id}",
    summary: "Get a gateway subscription",
    permission: "subscriptions:read",
    scope: "gateway_subscriptions:read",
    params,
    replies: { 200: GatewaySubscriptionObject },
    async handle({ params: { id } }, tx) {
      const subscription = await findGatewaySubscription(tx, id);
      if (!subscription) throw notFound("subscription");
      return { status: 200, body: gatewaySubscriptionView(subscription) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/subscriptions/{id}/charges",
    expands: TRANSACTION,
    summary: "List the first payment, renewals and retries of a gateway subscription, newest first",
    permission: "subscriptions:read",
    also: ["transactions:read"],
    scope: "gateway_subscriptions:read",
    params,
    query: SubscriptionChargesQuery,
    replies: { 200: listOf(TransactionObject) },
    async handle({ ctx, params: { id }, query }, tx) {
      if (!(await findGatewaySubscription(tx, id))) throw notFound("subscription");
      const { items, ...paging } = await page(await withPaymentCursor(tx, query), (wanted) =>
        listChargesOfSubscription(tx, id, wanted),
      );
      return { status: 200, body: listBody((await recordsOf(tx, ctx, items)).map(transactionView), paging) };
    },
  }),
  actionEndpoint("pause", "Pause a gateway subscription, where its gateway can"),
  actionEndpoint("resume", "Resume a paused gateway subscription"),
  actionEndpoint("cancel", "Cancel a gateway subscription permanently"),
  updateEndpoint,
  retryEndpoint,
  listEndpoint(
    "subscriptions",
    "Subscriptions that gateways run",
    "subscriptions:read",
    GatewaySubscriptionQuery.omit(PAGING),
    gatewaySubscriptionsCsv,
  ),
];
