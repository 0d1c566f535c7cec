import { z } from "zod";
import type { Refund } from "../../domain/refunds.ts";
import { giveUpCharge } from "../../flows/card-charges/give-up-charge.ts";
import type { Ctx } from "../../flows/context.ts";
import { recordRefundAndNote } from "../../flows/credit-notes/refund-credit-note.ts";
import { csvExport, type ExportQuery } from "../../flows/exports/csv-export.ts";
import { acceptedAudit, acceptRenewal, giveRenewalBack } from "../../flows/gateway-subscriptions/decide-renewal.ts";
import { refundLimits } from "../../flows/payments/preview-refund.ts";
import { askForRefund, settleRefund } from "../../flows/payments/refund-payment.ts";
import { recordOf, recordsOf, transactionSpans } from "../../flows/payments/transaction-record.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import type { Services } from "../../flows/services.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { subtract } from "../../kernel/money.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import { creditNoteOfRefund } from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import {
  ChargeGiveUp,
  RefundCreate,
  RefundedObject,
  RefundLimitsObject,
  RenewalAccept,
  RenewalGiveBack,
  TransactionObject,
  TransactionQuery,
} from "../../modules/payments/schema.ts";
import {
  exportTransactions,
  listTransactions,
  TRANSACTION_SORTS,
  transactionTotals,
} from "../../modules/payments/store/list.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { csvEndpoint, EXPORT_DAYS, PAGING } from "../csv-export.ts";
import { endpoint, gatewayEndpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { TRANSACTION } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listBody, listOf, page, withPaymentCursor } from "../lists.ts";

const common = { tag: { name: "Transactions", about: "Payments of every kind." } } as const;

const shown = (record: TransactionRecord, note: CreditNote | null) => ({
  status: 201,
  body: { ...transactionView(record), ...(note && { creditNote: { id: note.id, number: note.number } }) },
});

/** The steps of a request that recorded a refund: the refund is requested from its gateway, and the answer applied. */
const REFUND_STEPS = {
  ask: ({ ctx, services }: RefundRequest, refundId: string, again: boolean) =>
    askForRefund(services, ctx, refundId, again),
  async settle({ ctx }: RefundRequest, tx: Tx, refundId: string, answer: Awaited<ReturnType<typeof askForRefund>>) {
    const outcome = await settleRefund(tx, ctx, refundId, answer);
    return outcome instanceof ApiError ? outcome : shown(outcome, await creditNoteOfRefund(tx, refundId));
  },
};
interface RefundRequest {
  readonly ctx: Ctx;
  readonly services: Services;
}

const time = (value: Instant | null): string | null => value && toTimestamp(value);

interface PaidRow extends Transaction {
  readonly refunds: readonly Refund[];
}

/** Transactions, by the day on which they were created. */
const transactionsCsv = csvExport<PaidRow, ExportQuery<typeof TransactionQuery>>({
  columns: {
    reference: (row) => row.reference,
    status: (row) => row.status,
    type: (row) => row.type,
    amount: (row) => row.amount,
    fee: (row) => row.fee,
    net: (row) => (row.fee === null ? null : subtract(row.amount, row.fee)),
    refundedAmount: (row) => refundedAmount(row.refunds),
    currency: (row) => row.currency,
    gateway: (row) => row.gatewayType,
    description: (row) => row.description,
    providerRef: (row) => row.providerRef,
    payerEmail: (row) => row.payerEmail,
    customerId: (row) => row.customerId,
    externalReference: (row) => row.externalReference,
    paymentLinkId: (row) => row.paymentLinkId,
    invoiceId: (row) => row.invoiceId,
    eftOrderId: (row) => row.eftOrderId,
    flags: (row) => row.flags.join(" "),
    paidAt: (row) => time(row.paidAt),
    createdAt: (row) => time(row.createdAt),
  },
  async read(tx, { limit, after, from, until }, { from: _from, to: _to, risk, paidFrom, paidTo, ...filter }, ctx) {
    const transactions = await exportTransactions(
      tx,
      { ...(await withNamed(tx, filter)), limit, after, from, until },
      transactionSpans(ctx, { risk, paidFrom, paidTo }),
    );
    const refunds = Map.groupBy(
      await refundsOf(
        tx,
        transactions.map(({ id }) => id),
      ),
      ({ transactionId }) => transactionId,
    );
    return transactions.map((transaction) => ({ ...transaction, refunds: refunds.get(transaction.id) ?? [] }));
  },
  keyOf: ({ id }) => id,
});

/** The endpoints of interface 4.3; staff may also list and refund (interface 14.2). */
export const transactionEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/transactions/{reference}",
    expands: TRANSACTION,
    summary: "Get a transaction by its reference",
    permission: "transactions:read",
    params: z.object({ reference: z.string() }),
    replies: { 200: TransactionObject },
    async handle({ ctx, params: { reference } }, tx) {
      const transaction = await findByReference(tx, reference);
      if (!transaction) throw notFound("transaction");
      return { status: 200, body: transactionView(await recordOf(tx, ctx, transaction)) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/transactions",
    expands: TRANSACTION,
    summary: "List transactions, newest first",
    permission: "transactions:read",
    query: TransactionQuery,
    sorts: TRANSACTION_SORTS,
    replies: { 200: listOf(TransactionObject) },
    async handle({ ctx, query: { risk, paidFrom, paidTo, ...query } }, tx) {
      const spans = transactionSpans(ctx, { risk, paidFrom, paidTo });
      const { items, ...paging } = await page(
        await withPaymentCursor(tx, await withNamed(tx, query)),
        (wanted) => listTransactions(tx, wanted, spans),
        TRANSACTION_SORTS,
      );
      return { status: 200, body: listBody((await recordsOf(tx, ctx, items)).map(transactionView), paging) };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/transactions/{reference}/give-up",
    operationId: "giveUpTransaction",
    summary: "Fail the charge of a saved card that had no answer, and which its gateway does not have",
    permission: "card_charges:write",
    params: z.object({ reference: z.string() }),
    body: ChargeGiveUp,
    replies: { 200: TransactionObject },
    async run({ ctx, services, params: { reference } }) {
      return { status: 200, body: await giveUpCharge(services, ctx, reference) };
    },
  }),
  endpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/transactions/{reference}/accept",
    summary: "Accept a renewal that its gateway collected at another amount than the subscription's",
    permission: "refunds:write",
    params: z.object({ reference: z.string() }),
    body: RenewalAccept.default({ asNewAmount: false }),
    replies: { 200: TransactionObject },
    idempotent: true,
    async handle({ ctx, params: { reference }, body }, tx) {
      const record = await acceptRenewal(tx, ctx, reference, body);
      return { status: 200, body: transactionView(record), audit: acceptedAudit(record, body) };
    },
  }),
  gatewayEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/transactions/{reference}/give-back",
    operationId: "giveBackTransaction",
    summary: "Give back a renewal that its gateway collected at another amount than the subscription's",
    permission: "refunds:write",
    params: z.object({ reference: z.string() }),
    body: RenewalGiveBack.default({ reason: null }),
    replies: { 201: TransactionObject },
    idempotent: true,
    moves: async ({ params }, tx) => (await findByReference(tx, params.reference))?.amount ?? null,
    steps: {
      async record({ ctx, params, body }, tx) {
        const { refund, made, audit } = await giveRenewalBack(tx, ctx, params.reference, body);
        return made ? { ...shown(made, null), audit } : { intent: refund.id, audit };
      },
      ...REFUND_STEPS,
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "GET",
    path: "/transactions/{reference}/refund-limits",
    operationId: "getRefundLimits",
    summary: "Tell how much of a payment can be refunded now",
    permission: "transactions:read",
    params: z.object({ reference: z.string() }),
    replies: { 200: RefundLimitsObject },
    run: async ({ ctx, services, params: { reference } }) => ({
      status: 200,
      body: await refundLimits(services, ctx, reference),
    }),
  }),
  gatewayEndpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/transactions/{reference}/refunds",
    operationId: "refundTransaction",
    summary: "Refund a payment, through the gateway or by hand",
    permission: "refunds:write",
    params: z.object({ reference: z.string() }),
    body: RefundCreate.default({ amount: null, reason: null, method: null, madeElsewhere: false, creditNote: false }),
    replies: { 201: RefundedObject },
    idempotent: true,
    moves: async ({ params, body }, tx) => body.amount ?? (await findByReference(tx, params.reference))?.amount ?? null,
    steps: {
      async record({ ctx, params, body }, tx) {
        const { refund, made, note, audit } = await recordRefundAndNote(tx, ctx, params.reference, body);
        return made ? { ...shown(made, note), audit } : { intent: refund.id, audit };
      },
      ...REFUND_STEPS,
    },
  }),
  totalsEndpoint("transactions", {
    what: "payments",
    permission: "transactions:read",
    query: TransactionQuery.omit(PAGING),
    sums: ["amount", "netPaid"],
    read: async (tx, ctx, { risk, paidFrom, paidTo, ...query }, countTo) =>
      transactionTotals(tx, await withNamed(tx, query), transactionSpans(ctx, { risk, paidFrom, paidTo }), countTo),
  }),
  csvEndpoint(
    "transactions",
    "Transactions as CSV, by the day they began; with every filter of the list",
    "transactions:read",
    TransactionQuery.omit(PAGING).extend(EXPORT_DAYS),
    transactionsCsv,
  ),
];
