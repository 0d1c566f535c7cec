import { z } from "zod";
import { type Cents, toDecimalText } from "../../kernel/money.ts";
import { personName } from "../../kernel/person-name.ts";
import { truncate } from "../../kernel/text.ts";
import { randAmount } from "../amounts.ts";
import type { Payer } from "../contract.ts";
import { hashOf } from "./signing.ts";

/*
 * Ozow's protocol: requests for payment and status as JSON in camelCase at `api.ozow.com`, authenticated by the header
 * `ApiKey`; amounts in rand; messages to the merchant as forms. Requests and messages carry a hash (`signing.ts`).
 */

/** The most characters of an address that Ozow keeps. */
export const URL_CHARACTERS_MAX = 150;
const BANK_REFERENCE_MAX = 20;
const CUSTOMER_MAX = 100;
const REASON_MAX = 500;

/** The fields of a payment request. */
interface PaymentRequest {
  readonly siteCode: string;
  readonly reference: string;
  readonly amount: Cents;
  readonly payer: Payer | null;
  readonly cancelUrl: string;
  readonly returnUrl: string;
  readonly notifyUrl: string;
  readonly isTest: boolean;
}

/** The body of `POST /PostPaymentRequest`, its hash included. */
export function paymentRequestBody(request: PaymentRequest, privateKey: string): string {
  const customer = request.payer && customerOf(request.payer);
  const before = { siteCode: request.siteCode, countryCode: "ZA", currencyCode: "ZAR" };
  const after = {
    transactionReference: request.reference,
    bankReference: bankReferenceOf(request.reference),
    ...(customer ? { customer } : {}),
    cancelUrl: request.cancelUrl,
    errorUrl: request.returnUrl,
    successUrl: request.returnUrl,
    notifyUrl: request.notifyUrl,
    isTest: request.isTest,
  };
  const amount = toDecimalText(request.amount);
  const values = [...Object.values(before), amount, ...Object.values(after)].map(String);
  return withAmount({ ...before, ...after, hashCheck: hashOf(values, privateKey) }, amount);
}

/** The body of `POST /secure/refunds/submit`: a list of one refund, its hash included. */
export function refundBody(
  refund: {
    readonly transactionId: string;
    readonly amount: Cents;
    readonly reason: string | null;
    readonly notifyUrl: string;
  },
  privateKey: string,
): string {
  const amount = toDecimalText(refund.amount);
  const refundReason = asciiText(refund.reason ?? "", REASON_MAX) || "Refund";
  const { transactionId, notifyUrl } = refund;
  const HashCheck = hashOf([transactionId, amount, refundReason, notifyUrl], privateKey);
  return `[${withAmount({ transactionId, refundReason, notifyUrl, HashCheck }, amount)}]`;
}

/** JSON in which the amount is a number with both decimals, such as 1.00: the hash is made from the text that is sent. */
const withAmount = (object: object, amount: string): string => `{"amount":${amount},${JSON.stringify(object).slice(1)}`;

/** The text on both bank statements: our reference without its beginning, in letters, digits and dashes. */
const bankReferenceOf = (reference: string): string =>
  reference
    .replace(/^TEFO-/, "")
    .replaceAll(/[^A-Za-z0-9 -]/g, "-")
    .slice(0, BANK_REFERENCE_MAX);

const customerOf = (payer: Payer): string =>
  asciiText(personName(payer) ?? "", CUSTOMER_MAX) || asciiText(payer.email ?? "", CUSTOMER_MAX);

/**
 * Hashed text is sent in ASCII, because systems convert other letters to lower case differently: accents are removed,
 * and letters without an ASCII form are dropped.
 */
const asciiText = (text: string, max: number): string =>
  truncate(
    text
      .normalize("NFKD")
      .replaceAll(/[^\x20-\x7e]/g, "")
      .replaceAll(/ {2,}/g, " ")
      .trim(),
    max,
  );

const text = z.string().max(1000);
const flag = z.union([z.boolean(), z.string().transform((value) => value.toLowerCase() === "true")]);

/** Major units, as a number or as text. */
const rand = z.union([z.number(), text]).transform((value, ctx) => {
  const amount = randAmount(String(value));
  if (amount) return amount;
  ctx.addIssue("not an amount");
  return z.NEVER;
});

/** The answer of `POST /PostPaymentRequest`; a refused one has no `url`, also with HTTP 200. */
export const PaymentRequestAnswer = z.object({
  paymentRequestId: text.nullish(),
  url: z.union([z.url({ protocol: /^https?$/ }), z.literal("")]).nullish(),
  errorMessage: text.nullish(),
});

/** An attempt at a payment. */
export const Transaction = z.object({
  transactionId: text.min(1),
  transactionReference: text,
  currencyCode: text,
  amount: rand,
  status: text,
  statusMessage: text.nullish(),
  isTest: flag.nullish(),
});
export type Transaction = z.infer<typeof Transaction>;

/** The answer of `GET /GetTransaction`. */
export const FoundTransaction = Transaction.nullable();

/** The answer of `GET /GetTransactionByReference`: every attempt under one reference, at most ten. */
export const Transactions = z.array(Transaction).max(100).nullable();

/** The answer of `POST /token`. */
export const Token = z.object({ access_token: z.string().min(1) });

/** The answer of `POST /secure/refunds/submit`, in the order of the request. */
export const RefundAnswers = z
  .array(z.object({ refundId: text.nullish(), errors: z.union([z.array(text), text]).nullish() }))
  .min(1);

/** A message about a payment: the values that are hashed, in their order. */
export const PAYMENT_FIELDS = [
  "SiteCode",
  "TransactionId",
  "TransactionReference",
  "Amount",
  "Status",
  "Optional1",
  "Optional2",
  "Optional3",
  "Optional4",
  "Optional5",
  "CurrencyCode",
  "IsTest",
  "StatusMessage",
] as const;

/** A message about a refund: the values that are hashed, in their order. */
export const REFUND_FIELDS = [
  "RefundId",
  "TransactionId",
  "CurrencyCode",
  "Amount",
  "Status",
  "BankName",
  "AccountNumber",
  "StatusMessage",
] as const;

/** The fields of a message about a refund, after its hash was verified. */
export const RefundNotice = z.object({
  RefundId: z.guid(),
  TransactionId: text,
  CurrencyCode: z.literal("ZAR"),
  Amount: rand,
  Status: text,
  StatusMessage: text,
});
export type RefundNotice = z.infer<typeof RefundNotice>;

/** The reason in an answer of 4xx. */
export const ErrorAnswer = z.object({
  errorMessage: text.nullish(),
  message: text.nullish(),
  error_description: text.nullish(),
  error: text.nullish(),
});
