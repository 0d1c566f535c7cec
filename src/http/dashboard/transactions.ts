import { z } from "zod";
import { recordRefund } from "../../flows/payments/record-refund.ts";
import { recordsOf } from "../../flows/payments/transaction-record.ts";
import { RefundCreate, TransactionObject, TransactionQuery } from "../../modules/payments/schema.ts";
import { listTransactions } from "../../modules/payments/store.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { endpoint, gatewayEndpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";

const common = { tag: "Transactions" } as const;

/** Interface 14.2: what staff do with payments. */
export const staffTransactionEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/transactions",
    summary: "List transactions, newest first",
    permission: "transactions:read",
    query: TransactionQuery,
    replies: { 200: listOf(TransactionObject) },
    async handle({ ctx, query }, tx) {
      const { items, ...paging } = await page(query, (wanted) => listTransactions(tx, wanted));
      return { status: 200, body: listBody(ctx, (await recordsOf(tx, ctx, items)).map(transactionView), paging) };
    },
  }),
  gatewayEndpoint({
    ...common,
    method: "POST",
    path: "/transactions/{reference}/refunds",
    summary: "Refund a payment, through the gateway or by hand",
    permission: "refunds:write",
    params: z.object({ reference: z.string() }),
    body: RefundCreate.default({ amount: null, reason: null, method: null }),
    replies: { 201: TransactionObject },
    async run({ ctx, services, params, body }) {
      const record = await recordRefund(services, ctx, params.reference, body);
      return { status: 201, body: transactionView(record) };
    },
  }),
];
