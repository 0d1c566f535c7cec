import { z } from "zod";
import {
  beginBatches,
  endBatches,
  finishBatches,
  readBatch,
  sendBatch,
} from "../../flows/debit-batches/change-batch.ts";
import { holdDebits, releaseDebits } from "../../flows/debit-batches/hold-debits.ts";
import { sendBatchAgain } from "../../flows/debit-batches/send-again.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { hostedUrl } from "../../flows/hosted-links.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  BatchDebitObject,
  BatchDebitQuery,
  DebitBatchCreate,
  DebitBatchObject,
  DebitBatchQuery,
  DebitBatchSendAgain,
  DebitBatchSummary,
  DebitsHoldBack,
  DebitsRelease,
  MadeDebitBatch,
  UnpaidDebitObject,
  UnpaidDebitQuery,
} from "../../modules/debit-batches/schema.ts";
import { findDebitBatch, listDebitBatches, listDebits } from "../../modules/debit-batches/store/debit-batches.ts";
import { listReturnedDebits } from "../../modules/debit-batches/store/returned.ts";
import type { DebitBatch, ReturnedDebit } from "../../modules/debit-batches/types.ts";
import { batchDebitView, debitBatchSummary, returnedDebitView } from "../../modules/debit-batches/view.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint, gatewayEndpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { listed, listOf, withPaymentCursor } from "../lists.ts";
import { changed } from "../replies.ts";

const common = {
  audience: "staff",
  tag: {
    name: "Debit batches",
    about: "Debits of mandates that are sent to a gateway together, with their expected outcome.",
  },
  feature: "debit_orders",
} as const;
const params = z.object({ id: z.string() });

/** Debit batches. */
const debitBatchesCsv = listExport<DebitBatch, typeof DebitBatchQuery>({
  columns: {
    id: (row) => row.id,
    actionDate: (row) => row.actionDate,
    movedFrom: (row) => row.movedFrom,
    status: (row) => row.status,
    gateway: (row) => row.gatewayAccountId,
    count: (row) => String(row.debits),
    amount: (row) => row.amount,
    currency: () => MANDATE_CURRENCY,
    problem: (row) => row.problem,
    submittedAt: (row) => toTimestampOrNull(row.submittedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listDebitBatches,
});

/** Debits that banks returned unpaid. */
const unpaidDebitsCsv = listExport<ReturnedDebit, typeof UnpaidDebitQuery>({
  columns: {
    reference: (row) => row.reference,
    customerId: (row) => row.customerId,
    customerName: (row) => row.customerName,
    mandateId: (row) => row.mandateId,
    debitBatchId: (row) => row.batchId,
    actionDate: (row) => row.actionDate,
    amount: (row) => row.amount,
    currency: () => MANDATE_CURRENCY,
    code: (row) => row.code,
    reason: (row) => row.reason,
    unpaidAt: (row) => toTimestamp(row.unpaidAt),
    invoiceId: (row) => row.invoiceId,
    paymentLinkId: (row) => row.payLinkId,
    settled: (row) => String(row.settled),
  },
  list: listReturnedDebits,
});

/** The endpoints of interface 14.2: the daily work makes and submits batches automatically; staff can do so earlier. */
export const debitBatchEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/debit-batches",
    summary: "List debit batches, newest first",
    permission: "mandates:read",
    scope: "debit_batches:read",
    query: DebitBatchQuery,
    replies: { 200: listOf(DebitBatchSummary) },
    handle: (call, tx) => listed(call, (wanted) => listDebitBatches(tx, wanted), debitBatchSummary),
  }),
  gatewayEndpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/debit-batches",
    summary: "Gather the debits that are due by a date",
    permission: "mandates:write",
    scope: "debit_batches:write",
    idempotent: true,
    body: DebitBatchCreate,
    replies: { 201: MadeDebitBatch },
    steps: {
      async record({ ctx, body }, tx) {
        const intent = await beginBatches(tx, ctx, body.actionDate);
        return { intent, audit: { subject: intent, after: body } };
      },
      // There may be very many due debits: they are added in separate transactions.
      ask: ({ ctx, services }, intent) => finishBatches(services, ctx, intent),
      settle: async ({ ctx }, tx, intent) => ({ status: 201, body: await endBatches(tx, ctx, intent) }),
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/debit-batches/{id}",
    summary: "Get a debit batch, with its results and forecast",
    permission: "mandates:read",
    scope: "debit_batches:read",
    params,
    replies: { 200: DebitBatchObject },
    handle: async ({ ctx, params: { id } }, tx) => ({ status: 200, body: await readBatch(tx, ctx, id) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/debit-batches/{id}/debits",
    summary: "List the debits of a batch, and how each ended",
    permission: "mandates:read",
    scope: "debit_batches:read",
    params,
    query: BatchDebitQuery,
    replies: { 200: listOf(BatchDebitObject) },
    async handle(call, tx) {
      const batch = await findDebitBatch(tx, call.params.id);
      if (!batch) throw notFound("debit batch");
      return listed(
        { query: await withPaymentCursor(tx, call.query) },
        (wanted) => listDebits(tx, { batch: batch.id }, wanted),
        batchDebitView,
      );
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/mandates/{id}/debits",
    summary: "List the debits of a mandate, newest first",
    permission: "mandates:read",
    params,
    query: BatchDebitQuery,
    replies: { 200: listOf(BatchDebitObject) },
    async handle(call, tx) {
      const mandate = await findMandate(tx, call.params.id);
      if (!mandate) throw notFound("mandate");
      return listed(
        { query: await withPaymentCursor(tx, call.query) },
        (wanted) => listDebits(tx, { mandate: mandate.id }, wanted),
        batchDebitView,
      );
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/unpaid-debits",
    summary: "List debits that banks returned unpaid, newest first",
    permission: "mandates:read",
    scope: "debit_batches:read",
    query: UnpaidDebitQuery,
    replies: { 200: listOf(UnpaidDebitObject) },
    handle: async (call, tx) =>
      listed(
        { query: await withPaymentCursor(tx, call.query) },
        (wanted) => listReturnedDebits(tx, wanted),
        (debit) => returnedDebitView(debit, debit.payLinkId && hostedUrl(call.ctx, PAY_PAGE, debit.payLinkId)),
      ),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/debit-batches/{id}/submit",
    summary: "Submit a debit batch now",
    permission: "mandates:write",
    scope: "debit_batches:write",
    idempotent: true,
    params,
    moves: async ({ params: { id } }, tx) => (await findDebitBatch(tx, id))?.amount ?? null,
    replies: { 200: DebitBatchObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await sendBatch(tx, ctx, id);
      return changed(before, after);
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/debit-batches/{id}/hold-back",
    operationId: "holdBackDebits",
    summary: "Hold debits of an open batch back until their mandates' next debit days",
    permission: "mandates:write",
    scope: "debit_batches:write",
    params,
    body: DebitsHoldBack,
    replies: { 200: DebitBatchObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await holdDebits(tx, ctx, id, body);
      return { ...changed(before, after), audit: { subject: id, before, after: { ...after, ...body } } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/debit-batches/{id}/release",
    operationId: "releaseDebits",
    summary: "Put debits that were held back into their open batch again",
    permission: "mandates:write",
    scope: "debit_batches:write",
    params,
    body: DebitsRelease,
    replies: { 200: DebitBatchObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await releaseDebits(tx, ctx, id, body);
      return { ...changed(before, after), audit: { subject: id, before, after: { ...after, ...body } } };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/debit-batches/{id}/send-again",
    summary: "Send a batch again whose upload had no answer, and which its gateway does not have",
    permission: "mandates:write",
    scope: "debit_batches:write",
    params,
    body: DebitBatchSendAgain,
    replies: { 200: DebitBatchObject },
    async run({ ctx, services, params: { id } }) {
      return { status: 200, body: await sendBatchAgain(services, ctx, id) };
    },
  }),
  listEndpoint(
    "unpaid-debits",
    "Unpaid debits",
    "mandates:read",
    UnpaidDebitQuery.omit(PAGING),
    unpaidDebitsCsv,
    "debit_orders",
  ),
  listEndpoint(
    "debit-batches",
    "Debit batches",
    "mandates:read",
    DebitBatchQuery.omit(PAGING),
    debitBatchesCsv,
    "debit_orders",
  ),
];
