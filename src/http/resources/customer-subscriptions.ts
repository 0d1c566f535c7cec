import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { createSubscription, planSubscription } from "../../flows/customer-subscriptions/create-subscription.ts";
import { giveDiscount } from "../../flows/customer-subscriptions/give-discount.ts";
import { invoicesOfSubscription } from "../../flows/customer-subscriptions/read-invoices.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { notFound } from "../../kernel/errors.ts";
import { businessDay } from "../../kernel/time.ts";
import {
  CreatedCustomerSubscription,
  CustomerSubscriptionCreate,
  CustomerSubscriptionDryRun,
  CustomerSubscriptionObject,
  CustomerSubscriptionQuery,
  LineReason,
  SubscriptionDiscount,
  SubscriptionInvoicesQuery,
} from "../../modules/customer-subscriptions/schema.ts";
import {
  findCustomerSubscription,
  listCustomerSubscriptions,
  listInvoicedBills,
} from "../../modules/customer-subscriptions/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { billView } from "../../modules/customer-subscriptions/view.ts";
import { reserveNumber } from "../../modules/document-numbers/store.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";
import { endpoint } from "../endpoint.ts";
import { page, pagedListOf } from "../lists.ts";

const common = {
  tag: {
    name: "Customer subscriptions",
    about: "What customers pay each period, billed by the service, with the reason of each line.",
  },
  audience: "clients",
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string() });

const SubscriptionInvoice = InvoiceObject.extend({
  charge: z.enum(["first", "cycle", "proration"]),
  cycle: z.int(),
  reasons: z.array(LineReason).describe("Of each line, in their order."),
}).meta({ id: "SubscriptionInvoice" });

/** Interface 4.8. */
export const customerSubscriptionEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions",
    summary: "Create a customer subscription, or see what creating it would bill",
    permission: "subscriptions:write",
    idempotent: true,
    gathers: (tx) => reserveNumber(tx, "invoice"),
    body: CustomerSubscriptionCreate,
    replies: {
      200: z.union([CreatedCustomerSubscription, CustomerSubscriptionDryRun]),
      201: CreatedCustomerSubscription,
    },
    async preview({ ctx, body }, tx) {
      const { action, subscription, invoice, nextInvoice } = await planSubscription(tx, ctx, body);
      const shown = subscriptionObject(ctx, subscription, action === "create");
      const preview = { invoice: invoice && billView(invoice), nextInvoice: nextInvoice && billView(nextInvoice) };
      return { status: 200, body: { dryRun: true, action, subscription: shown, preview } };
    },
    async handle({ ctx, body }, tx) {
      const { subscription, created } = await createSubscription(tx, ctx, body);
      const view = subscriptionObject(ctx, subscription);
      return {
        status: created ? 201 : 200,
        body: { ...view, created },
        audit: { subject: subscription.id, after: created ? view : null },
      };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions",
    summary: "Find customer subscriptions, newest first",
    permission: "subscriptions:read",
    query: CustomerSubscriptionQuery,
    replies: { 200: pagedListOf(CustomerSubscriptionObject) },
    async handle({ ctx, query }, tx) {
      const today = businessDay(ctx.now);
      const { items, ...paging } = await page(query, (wanted) => listCustomerSubscriptions(tx, wanted, today));
      return { status: 200, body: { data: items.map((one) => subscriptionObject(ctx, one)), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}",
    summary: "Get a customer subscription",
    permission: "subscriptions:read",
    params,
    replies: { 200: CustomerSubscriptionObject },
    async handle({ ctx, params: { id } }, tx) {
      const found = await findCustomerSubscription(tx, id, businessDay(ctx.now));
      if (!found) throw notFound("customer subscription");
      return { status: 200, body: subscriptionObject(ctx, found) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/invoices",
    summary: "List the invoices of a customer subscription, newest first, with the reason of each line",
    permission: "subscriptions:read",
    params,
    query: SubscriptionInvoicesQuery,
    replies: { 200: pagedListOf(SubscriptionInvoice) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = await findCustomerSubscription(tx, id, businessDay(ctx.now));
      if (!found) throw notFound("customer subscription");
      const { items, ...paging } = await page(query, (wanted) => listInvoicedBills(tx, found.id, wanted));
      return { status: 200, body: { data: await invoicesOfSubscription(tx, ctx, items), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/discount",
    summary: "Give a customer subscription a discount on its next bill",
    permission: "subscriptions:write",
    idempotent: true,
    params,
    body: SubscriptionDiscount,
    replies: { 200: CustomerSubscriptionObject },
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await giveDiscount(tx, ctx, id, body)),
  }),
];

/** The answer of every action: the subscription. */
function acted(ctx: Ctx, { before, after }: { before: ShownSubscription; after: ShownSubscription }) {
  const body = subscriptionObject(ctx, after);
  return {
    status: 200,
    body,
    audit: { subject: after.id, before: subscriptionObject(ctx, before), after: body },
  } as const;
}
