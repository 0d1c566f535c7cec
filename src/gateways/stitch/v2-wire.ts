import { z } from "zod";
import { randAmount } from "../amounts.ts";

/*
 * Stitch's API: payment requests in JSON below `https://api.stitch.money/v2`, refunds by GraphQL at `/graphql`, an OAuth access token from
 * `https://secure.stitch.money/connect/token`. Amounts are `{quantity, currency}`, in rand with decimals, as a number or as text.
 */

const text = z.string().max(1000);
const id = text.min(1);

const Money = z.object({ quantity: z.union([z.number(), text]), currency: text }).transform((money, ctx) => {
  const amount = randAmount(String(money.quantity));
  if (amount) return { ...amount, currency: money.currency.toUpperCase() };
  ctx.addIssue("not an amount");
  return z.NEVER;
});

/** A status in one word, such as `completed`: REST writes the word, GraphQL the name of a type (`PaymentInitiationRequestCompleted`). */
const Status = z
  .union([text, z.object({ __typename: text }).transform(({ __typename }) => __typename)])
  .transform((word) => word.replace(/^(PaymentInitiationRequest|Refund)(?=.)/, "").toLowerCase());

export const Token = z.object({ access_token: id });

/** What an answer says of a refusal. */
const Refused = z.object({
  error_description: text.nullish().catch(null),
  detail: text.nullish().catch(null),
  title: text.nullish().catch(null),
  message: text.nullish().catch(null),
  error: z
    .union([text, z.object({ message: text }).transform(({ message }) => message)])
    .nullish()
    .catch(null),
});

/** The words of a refusal; null without any. */
export function reasonOf(json: unknown): string | null {
  const { error_description, detail, title, message, error } = Refused.safeParse(json).data ?? {};
  return error_description || detail || message || title || error || null;
}

/** A payment request, as `POST /payment-requests` answers it. */
export const Created = z.object({
  id,
  interaction: z.object({ type: text, url: z.url({ protocol: /^https?$/ }) }),
});

/** A payment request, as `GET /payment-requests/{id}` answers it. */
export const PaymentRequest = z.object({
  id,
  status: Status,
  externalReference: text.nullish(),
  amount: Money.nullish(),
});
export type PaymentRequest = z.infer<typeof PaymentRequest>;

const RefundNode = z.object({
  id,
  status: Status,
  amount: Money.nullish(),
  nonce: text.nullish(),
  paymentInitiationRequest: z.object({ id, externalReference: text.nullish() }).nullish(),
});
export type RefundNode = z.infer<typeof RefundNode>;

const GraphqlError = z.object({ message: text, extensions: z.object({ code: text }).nullish().catch(null) });

/** An answer of GraphQL with this as its data. With `errors`, which come with HTTP 200, nothing was done. */
export const graphql = <Data>(data: z.ZodType<Data>) =>
  z.union([z.object({ errors: z.array(GraphqlError).min(1) }), z.object({ data })]);

export const Initiated = z.object({ clientRefundInitiate: z.object({ refund: RefundNode }) });

/** Null, or without fields: Stitch has no refund of this id. */
export const FoundRefund = z.object({
  node: z.union([
    RefundNode,
    z
      .object({})
      .strict()
      .transform(() => null),
    z.null(),
  ]),
});

const Changed = z.object({ node: z.object({ id }) });
const told = <Shape extends z.ZodRawShape>(client: Shape) => z.object({ data: z.object({ client: z.object(client) }) });

/**
 * A message is of the subscription that it comes from: payment requests, or refunds. What it says is asked for again,
 * so its id alone is read.
 */
export const PaymentNotice = told({ paymentInitiationRequests: Changed });
export const RefundNotice = told({ refunds: Changed });

/** A message that is no more than the record, as REST writes it. */
export const PlainNotice = z.object({ type: text, data: z.object({ id }) });

/** What names any other message. */
export const AnyNotice = z.union([
  z.object({ type: text.min(1) }).transform(({ type }) => type),
  z
    .object({ data: z.object({ client: z.record(z.string(), z.unknown()) }) })
    .transform(({ data }) => Object.keys(data.client)[0] ?? "unnamed"),
  z.record(z.string(), z.unknown()).transform(() => "unnamed"),
]);
