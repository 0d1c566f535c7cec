import { z } from "zod";
import { recordOf } from "../../flows/payments/transaction-record.ts";
import { notFound } from "../../kernel/errors.ts";
import { TransactionObject } from "../../modules/payments/schema.ts";
import { findByReference } from "../../modules/payments/store.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { endpoint } from "../endpoint.ts";

/** Interface 4.3. */
export const transactionEndpoints = [
  endpoint({
    tag: "Transactions",
    method: "GET",
    path: "/transactions/{reference}",
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
];
