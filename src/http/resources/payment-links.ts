import { z } from "zod";
import { hostedUrl } from "../../flows/hosted-links.ts";
import { createPaymentLink } from "../../flows/payment-links/create-payment-link.ts";
import { notFound } from "../../kernel/errors.ts";
import {
  PaymentLinkCreate,
  PaymentLinkObject,
  PaymentLinkQuery,
  PaymentLinkWithPayments,
} from "../../modules/payment-links/schema.ts";
import { findLinkWithPayments, listLinksWithPayments } from "../../modules/payment-links/store.ts";
import { paymentLinkView, paymentLinkWithPaymentsView } from "../../modules/payment-links/view.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";

const PAYMENTS_IN_LIST = 50;
const PAYMENTS_ALONE = 100;

const common = { tag: "Payment links", feature: "payment_links" } as const;

/** Spec 4.2. */
export const paymentLinkEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/payment-links",
    summary: "Create a payment link",
    permission: "payment_links:write",
    idempotent: true,
    body: PaymentLinkCreate,
    replies: { 201: PaymentLinkObject },
    async handle({ ctx, services, body }, tx) {
      const link = await createPaymentLink(tx, ctx, body);
      const view = paymentLinkView(link, hostedUrl(services, ctx.organisation, "pay", link.id));
      const { url: _secret, ...after } = view;
      return { status: 201, body: view, audit: { subject: link.id, after } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/payment-links",
    summary: "List payment links, newest first",
    permission: "payment_links:read",
    query: PaymentLinkQuery,
    replies: { 200: listOf(PaymentLinkWithPayments) },
    async handle({ ctx, services, query }, tx) {
      const { items, ...paging } = await page(query, (limit) =>
        listLinksWithPayments(tx, { ...query, limit }, PAYMENTS_IN_LIST),
      );
      const data = items.map((link) =>
        paymentLinkWithPaymentsView(link, hostedUrl(services, ctx.organisation, "pay", link.id)),
      );
      return { status: 200, body: listBody(ctx, data, paging) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/payment-links/{id}",
    summary: "Get a payment link",
    permission: "payment_links:read",
    params: z.object({ id: z.string() }),
    replies: { 200: PaymentLinkWithPayments },
    async handle({ ctx, services, params }, tx) {
      const link = await findLinkWithPayments(tx, params.id, PAYMENTS_ALONE);
      if (!link) throw notFound("payment link");
      return {
        status: 200,
        body: paymentLinkWithPaymentsView(link, hostedUrl(services, ctx.organisation, "pay", link.id)),
      };
    },
  }),
];
