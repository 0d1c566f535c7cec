import { z } from "zod";
import { addProof, checkProof } from "../../flows/eft-orders/add-proof.ts";
import { cancelEftOrder } from "../../flows/eft-orders/cancel-eft-order.ts";
import { createEftOrder } from "../../flows/eft-orders/create-eft-order.ts";
import { eftOrderObject, eftOrderObjects } from "../../flows/eft-orders/eft-order-object.ts";
import { readProof } from "../../flows/eft-orders/read-proof.ts";
import { approveEftOrder, type EftOrderChange, rejectEftOrder } from "../../flows/eft-orders/review-eft-order.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { PROOF_BYTES_MAX } from "../../modules/eft-orders/rules.ts";
import { EftOrderCreate, EftOrderObject, EftOrderQuery, EftOrderReject } from "../../modules/eft-orders/schema.ts";
import { asOf } from "../../modules/eft-orders/states.ts";
import { eftOrderTotals, findEftOrder, listEftOrders } from "../../modules/eft-orders/store.ts";
import type { EftOrderRecord } from "../../modules/eft-orders/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { Tx } from "../../platform/database.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Call, downloadEndpoint, endpoint, type Reply, uploadEndpoint } from "../endpoint.ts";
import { EFT_ORDER } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listBody, listOf, page } from "../lists.ts";

const common = {
  tag: { name: "EFT orders", about: "Bank transfers by hand: bank details, proof of payment, review." },
  feature: "payment_links",
} as const;
const params = z.object({ id: z.string() });

/** EFT orders, with their status now. */
const eftOrdersCsv = listExport<EftOrderRecord, typeof EftOrderQuery>({
  columns: {
    id: (row) => row.id,
    reference: (row) => row.reference,
    status: (row) => row.status,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    description: (row) => row.description,
    customerId: (row) => row.customerId,
    payerEmail: (row) => row.payerEmail,
    externalReference: (row) => row.externalReference,
    proofs: (row) => String(row.proofs.length),
    rejectionReason: (row) => row.rejectionReason,
    expiresAt: (row) => toTimestamp(row.expiresAt),
    reviewedAt: (row) => toTimestampOrNull(row.reviewedAt),
    paidAt: (row) => toTimestampOrNull(row.paidAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const orders = await listEftOrders(tx, await withNamed(tx, query), now);
    return orders.map((order) => asOf(order, now));
  },
});

/** The endpoints of interface 4.9; 14.2: what staff do with bank transfers. */
export const eftOrderEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
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
        body: await eftOrderObject(tx, ctx, order),
        audit: {
          subject: order.id,
          after: { status: order.status, amount: toRand(order.amount), currency: order.currency },
        },
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/eft-orders",
    expands: EFT_ORDER,
    summary: "List EFT orders, newest first",
    permission: "eft_orders:read",
    query: EftOrderQuery,
    replies: { 200: listOf(EftOrderObject) },
    async handle({ ctx, query }, tx) {
      const named = await withNamed(tx, query);
      const [{ items, ...paging }, accounts] = await Promise.all([
        page(named, (wanted) => listEftOrders(tx, wanted, ctx.now)),
        listGatewayAccounts(tx),
      ]);
      const orders = items.map((order) => asOf(order, ctx.now));
      return { status: 200, body: listBody(eftOrderObjects(ctx, orders, accounts), paging) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/eft-orders/{id}",
    expands: EFT_ORDER,
    summary: "Get an EFT order",
    permission: "eft_orders:read",
    params,
    replies: { 200: EftOrderObject },
    async handle({ ctx, params: { id } }, tx) {
      const order = await findEftOrder(tx, id);
      if (!order) throw notFound("EFT order");
      return { status: 200, body: await eftOrderObject(tx, ctx, asOf(order, ctx.now)) };
    },
  }),
  uploadEndpoint({
    ...common,
    audience: "clients",
    path: "/eft-orders/{id}/proof",
    operationId: "uploadEftOrderProof",
    summary: "Upload a proof of payment: a PDF, PNG or JPEG of at most 10 MB",
    permission: "eft_orders:write",
    params,
    upload: { field: "file", maxBytes: PROOF_BYTES_MAX },
    replies: { 200: EftOrderObject },
    prepare: ({ ctx, services, body }) => checkProof(services, ctx, body),
    async handle({ ctx, params: { id }, member }, tx, proof) {
      const order = await addProof(tx, ctx, id, proof, member ? "dashboard" : "api");
      return {
        status: 200,
        body: await eftOrderObject(tx, ctx, order),
        audit: { subject: order.id, after: { status: order.status, proofs: order.proofs.length } },
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
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
        body: await eftOrderObject(tx, ctx, after),
        audit: { subject: id, before: { status: before.status }, after: { status: after.status } },
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/eft-orders/{id}/approve",
    summary: "Approve an EFT order: its money has arrived",
    permission: "eft_orders:write",
    idempotent: true,
    params,
    replies: { 200: EftOrderObject },
    moves: async ({ params: { id } }, tx) => (await findEftOrder(tx, id))?.amount ?? null,
    async handle({ ctx, services, params: { id } }, tx) {
      return reviewed(tx, { ctx, services }, await approveEftOrder(tx, ctx, id));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/eft-orders/{id}/reject",
    summary: "Reject the proof of an EFT order; the payer may send another",
    permission: "eft_orders:write",
    idempotent: true,
    params,
    body: EftOrderReject,
    replies: { 200: EftOrderObject },
    async handle({ ctx, services, params: { id }, body }, tx) {
      return reviewed(tx, { ctx, services }, await rejectEftOrder(tx, ctx, id, body.reason));
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/eft-orders/{id}/proofs/{proofId}",
    summary: "Download a proof of payment, as a file; the audit log gets an entry with the reader",
    permission: "eft_orders:read",
    params: z.object({ id: z.string(), proofId: z.string() }),
    media: "*/*",
    download: ({ ctx, services, params: { id, proofId } }) => readProof(services, ctx, id, proofId),
  }),
  totalsEndpoint("eft-orders", {
    what: "EFT orders",
    permission: "eft_orders:read",
    feature: "payment_links",
    query: EftOrderQuery.omit(PAGING),
    sums: ["amount"],
    read: async (tx, ctx, query, countTo) => eftOrderTotals(tx, await withNamed(tx, query), ctx.now, countTo),
  }),
  listEndpoint(
    "eft-orders",
    "EFT orders",
    "eft_orders:read",
    EftOrderQuery.omit(PAGING),
    eftOrdersCsv,
    "payment_links",
  ),
];

async function reviewed(
  tx: Tx,
  { ctx }: Pick<Call<unknown, unknown, unknown>, "ctx" | "services">,
  { before, after }: EftOrderChange,
): Promise<Reply> {
  return {
    status: 200,
    body: await eftOrderObject(tx, ctx, after),
    audit: {
      subject: after.id,
      before: { status: before.status },
      after: { status: after.status, rejectionReason: after.rejectionReason },
    },
  };
}
