import { z } from "zod";
import { DEFAULT_CURRENCY } from "../../flows/context.ts";
import { payOutCredit } from "../../flows/credit-refunds/pay-out-credit.ts";
import { payoutsHeldUntil } from "../../flows/gateways/bank-details.ts";
import { notFound } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { balancesOf } from "../../modules/books/store.ts";
import {
  CreditRefundCreate,
  CreditRefundObject,
  CreditRefundQuery,
  PayableCreditObject,
  PayableCreditQuery,
} from "../../modules/credit-refunds/schema.ts";
import { findCredit, listCreditRefunds } from "../../modules/credit-refunds/store.ts";
import { creditRefundView, payableCreditView } from "../../modules/credit-refunds/view.ts";
import { findCustomer, findWithBalance } from "../../modules/customers/store.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { created } from "../replies.ts";

const common = {
  audience: "clients",
  tag: { name: "Credit refunds", about: "Customers' credit that was paid out." },
  params: z.object({ id: z.string() }),
} as const;

const path = "/customers/{id}/credit-refunds";

/** The endpoints of interface 18.1. */
export const creditRefundEndpoints = [
  endpoint({
    ...common,
    path,
    method: "GET",
    summary: "List a customer's credit that was paid out, newest first",
    permission: "refunds:read",
    query: CreditRefundQuery,
    replies: { 200: listOf(CreditRefundObject) },
    async handle(call, tx) {
      const { id } = call.params;
      if (!(await findCustomer(tx, id))) throw notFound("customer");
      return listed(call, (wanted) => listCreditRefunds(tx, id, wanted), creditRefundView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customers/{id}/payable-credit",
    summary: "Tell how much of a customer's credit can be paid out, and of which payments it is",
    permission: "refunds:read",
    query: PayableCreditQuery,
    replies: { 200: PayableCreditObject },
    async handle({ ctx, params: { id }, query }, tx) {
      const customer = await findCustomer(tx, id);
      if (!customer) throw notFound("customer");
      const currency = query.currency ?? DEFAULT_CURRENCY;
      const [parts, balances, heldUntil] = await Promise.all([
        findCredit(tx, customer.id, currency),
        balancesOf(tx, customer.id),
        payoutsHeldUntil(tx, ctx),
      ]);
      const currencies = balances.filter(({ credit }) => credit > 0).map((balance) => balance.currency);
      return { status: 200, body: payableCreditView(customer.id, { currency, currencies, parts, heldUntil }) };
    },
  }),
  endpoint({
    ...common,
    path,
    operationId: "refundCustomerCredit",
    method: "POST",
    summary: "Record credit of a customer that was paid out",
    permission: "refunds:write",
    idempotent: true,
    body: CreditRefundCreate.default({ amount: null, currency: null, reason: null, method: null }),
    replies: { 201: CreditRefundObject },
    moves: async ({ ctx, params: { id }, body }, tx) =>
      body.amount ??
      (await findWithBalance(tx, id, body.currency ?? DEFAULT_CURRENCY, calendarDay(ctx.now)))?.owed.credit ??
      null,
    async handle({ ctx, params: { id }, body }, tx) {
      return created(creditRefundView(await payOutCredit(tx, ctx, id, body)));
    },
  }),
];
