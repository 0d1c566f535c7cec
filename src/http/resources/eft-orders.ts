import { z } from "zod";
import { addProof, checkProof } from "../../flows/eft-orders/add-proof.ts";
import { cancelEftOrder } from "../../flows/eft-orders/cancel-eft-order.ts";
import { createEftOrder } from "../../flows/eft-orders/create-eft-order.ts";
import { shownOrder, shownOrders } from "../../flows/eft-orders/shown-order.ts";
import { notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { PROOF_BYTES_MAX } from "../../modules/eft-orders/rules.ts";
import { EftOrderCreate, EftOrderObject, EftOrderQuery } from "../../modules/eft-orders/schema.ts";
import { asOf } from "../../modules/eft-orders/states.ts";
import { findEftOrder, listEftOrders } from "../../modules/eft-orders/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { endpoint, uploadEndpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";

const common = { tag: "EFT orders", feature: "payment_links" } as const;
const params = z.object({ id: z.string() });

/** Interface 4.9. */
export const eftOrderEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/eft-orders",
    summary: "Create an EFT order, or get the open one with the same externalReference",
    permission: "eft_orders:write",
    idempotent: true,
    body: EftOrderCreate,
    replies: { 200: EftOrderObject, 201: EftOrderObject },
    async handle({ ctx, body }, tx) {
      const { order, created } = await createEftOrder(tx, ctx, body);
      return {
        status: created ? 201 : 200,
        body: await shownOrder(tx, ctx, order),
        audit: {
          subject: order.id,
          after: { status: order.status, amount: toRand(order.amount), currency: order.currency },
        },
      };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/eft-orders",
    summary: "List EFT orders, newest first",
    permission: "eft_orders:read",
    query: EftOrderQuery,
    replies: { 200: listOf(EftOrderObject) },
    async handle({ ctx, query }, tx) {
      const [{ items, ...paging }, accounts] = await Promise.all([
        page(query, (wanted) => listEftOrders(tx, wanted, ctx.now)),
        listGatewayAccounts(tx),
      ]);
      const orders = items.map((order) => asOf(order, ctx.now));
      return { status: 200, body: listBody(ctx, shownOrders(ctx, orders, accounts), paging) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/eft-orders/{id}",
    summary: "Get an EFT order",
    permission: "eft_orders:read",
    params,
    replies: { 200: EftOrderObject },
    async handle({ ctx, params: { id } }, tx) {
      const order = await findEftOrder(tx, id);
      if (!order) throw notFound("EFT order");
      return { status: 200, body: await shownOrder(tx, ctx, asOf(order, ctx.now)) };
    },
  }),
  uploadEndpoint({
    ...common,
    path: "/eft-orders/{id}/proof",
    summary: "Upload a proof of payment: a PDF, PNG or JPEG of at most 10 MB",
    permission: "eft_orders:write",
    params,
    upload: { field: "file", maxBytes: PROOF_BYTES_MAX },
    replies: { 200: EftOrderObject },
    async handle({ ctx, params: { id }, body: file, member }, tx) {
      const order = await addProof(tx, ctx, id, await checkProof(file), member ? "dashboard" : "api");
      return {
        status: 200,
        body: await shownOrder(tx, ctx, order),
        audit: { subject: order.id, after: { status: order.status, proofs: order.proofs.length } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/eft-orders/{id}/cancel",
    summary: "Cancel an EFT order and its pending transaction",
    permission: "eft_orders:write",
    idempotent: true,
    params,
    replies: { 200: EftOrderObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await cancelEftOrder(tx, ctx, id);
      return {
        status: 200,
        body: await shownOrder(tx, ctx, after),
        audit: { subject: id, before: { status: before.status }, after: { status: after.status } },
      };
    },
  }),
];
