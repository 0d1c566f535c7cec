import { z } from "zod";
import { createCheckoutSession } from "../../flows/checkout/create-session.ts";
import { sessionObject, sessionUrl } from "../../flows/checkout/session-object.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  CheckoutSessionCreate,
  CheckoutSessionObject,
  CheckoutSessionQuery,
  CompatibleCheckout,
  CompatibleCheckoutReply,
  CreatedCheckoutSession,
} from "../../modules/checkout-sessions/schema.ts";
import { asOf } from "../../modules/checkout-sessions/states.ts";
import {
  countCheckoutSessions,
  findCheckoutSession,
  listCheckoutSessions,
  withPayments,
} from "../../modules/checkout-sessions/store.ts";
import type { ShownSession } from "../../modules/checkout-sessions/types.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { CHECKOUT_SESSION } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "clients",
  tag: { name: "Checkout sessions", about: "Pre-filled links to the checkout of a package or product." },
} as const;

/** Checkout sessions, with their status now; without their addresses, which give access to the payment. */
const checkoutSessionsCsv = listExport<ShownSession, typeof CheckoutSessionQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    source: (row) => row.source,
    packageId: (row) => row.packageId,
    planId: (row) => row.planId,
    productId: (row) => row.productId,
    customerId: (row) => row.customerId,
    subscriptionId: (row) => row.subscriptionId,
    couponCode: (row) => row.couponCode,
    email: (row) => row.prefill.email ?? null,
    firstName: (row) => row.prefill.firstName ?? null,
    lastName: (row) => row.prefill.lastName ?? null,
    company: (row) => row.prefill.company ?? null,
    phone: (row) => row.prefill.phone ?? null,
    transactionReference: (row) => row.payment?.reference ?? null,
    transactionStatus: (row) => row.payment?.status ?? null,
    amount: (row) => row.payment?.amount ?? null,
    currency: (row) => row.payment?.currency ?? null,
    discountAmount: (row) => row.payment?.discount ?? null,
    taxAmount: (row) => row.payment?.tax ?? null,
    paidAt: (row) => toTimestampOrNull(row.payment?.paidAt ?? null),
    expiresAt: (row) => toTimestamp(row.expiresAt),
    usedAt: (row) => toTimestampOrNull(row.usedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const sessions = await listCheckoutSessions(tx, query, now);
    return sessions.map((session) => asOf(session, now));
  },
});

/** The endpoints of interface 4.12. */
export const checkoutSessionEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/checkout-sessions",
    summary: "Create a pre-filled link to checkout",
    permission: "checkout_sessions:write",
    idempotent: true,
    body: CheckoutSessionCreate,
    replies: { 201: CreatedCheckoutSession },
    async handle({ ctx, body }, tx) {
      const session = sessionObject(ctx, await createCheckoutSession(tx, ctx, body));
      const { id } = session;
      return { status: 201, body: { ...session, sessionId: id }, audit: { subject: id, after: session } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/checkout-sessions",
    expands: CHECKOUT_SESSION,
    summary: "List checkout sessions, newest first",
    permission: "checkout_sessions:read",
    query: CheckoutSessionQuery,
    replies: { 200: listOf(CheckoutSessionObject) },
    async handle(call, tx) {
      const { ctx } = call;
      return listed(
        call,
        (wanted) => listCheckoutSessions(tx, wanted, ctx.now),
        (session) => sessionObject(ctx, session),
      );
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/checkout-sessions/{id}",
    expands: CHECKOUT_SESSION,
    summary: "Get a checkout session with its payment and subscription",
    permission: "checkout_sessions:read",
    params: z.object({ id: z.string() }),
    replies: { 200: CheckoutSessionObject },
    async handle({ ctx, params: { id } }, tx) {
      const found = await findCheckoutSession(tx, id);
      const [session] = found ? await withPayments(tx, [found]) : [];
      if (!session) throw notFound("checkout session");
      return { status: 200, body: sessionObject(ctx, session) };
    },
  }),
  endpoint({
    ...common,
    base: "/api/billing-webhook",
    method: "POST",
    path: "/checkout",
    summary: "Create a pre-filled link to checkout, for integrations that were made for another billing API",
    permission: "checkout_sessions:write",
    idempotent: true,
    body: CompatibleCheckout,
    replies: { 201: CompatibleCheckoutReply },
    async handle({ ctx, body }, tx) {
      const session = await createCheckoutSession(tx, ctx, body);
      const { id, expiresAt } = session;
      return {
        status: 201,
        body: { checkoutUrl: sessionUrl(ctx, session), sessionId: id, expiresAt: toTimestamp(expiresAt) },
        audit: { subject: id, after: sessionObject(ctx, session) },
      };
    },
  }),
  totalsEndpoint("checkout-sessions", {
    what: "checkout sessions",
    permission: "checkout_sessions:read",
    query: CheckoutSessionQuery.omit(PAGING),
    sums: [],
    read: (tx, ctx, query, countTo) => countCheckoutSessions(tx, query, ctx.now, countTo),
  }),
  listEndpoint(
    "checkout-sessions",
    "Checkout sessions",
    "checkout_sessions:read",
    CheckoutSessionQuery.omit(PAGING),
    checkoutSessionsCsv,
  ),
];
