import { createHash, randomUUID } from "node:crypto";
import {
  json,
  newGatewayId,
  type OpenProtocol,
  pairsOf,
  randText,
  type StandInFrame,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  UNKNOWN,
} from "../stand-in.ts";

const CREDENTIALS = {
  siteCode: "TSTSTE0001",
  privateKey: "215114531AFF7134A94C88CEEA48E",
  apiKey: "EB5758F2C3B4DF3FF4F2",
};

/** Ozow's requests for payment, status queries, messages and refunds. */
export const standIn: StandInProtocol = {
  type: "ozow",
  credentials: CREDENTIALS,
  wrongCredentials: { ...CREDENTIALS, privateKey: "not-the-key-of-this-site" },
  signs: false,
  refundCall: "POST /secure/refunds/submit",
  beforeRefund: "POST /token",
  open,
};

interface PaymentRequest {
  readonly siteCode: string;
  readonly amount: number;
  readonly transactionReference: string;
  readonly cancelUrl: string;
  readonly errorUrl: string;
  readonly successUrl: string;
  readonly notifyUrl: string;
  readonly isTest: boolean;
}

interface Transaction {
  readonly id: string;
  readonly request: PaymentRequest;
  status: "Complete" | "Cancelled" | "Error" | "Pending";
  /** Whole cents. */
  amount: number;
  refunded: number;
}

interface Refund {
  readonly id: string;
  readonly transaction: Transaction;
  readonly notifyUrl: string;
  amount: number;
  status: "Pending" | "Complete" | "Failed";
}

/** What is hashed of a request for payment, in its order, and how long it may be. */
const REQUEST_FIELDS: readonly (readonly [name: string, most: number])[] = [
  ["siteCode", 50],
  ["countryCode", 2],
  ["currencyCode", 3],
  ["amount", 12],
  ["transactionReference", 50],
  ["bankReference", 20],
  ...[1, 2, 3, 4, 5].map((n) => [`optional${n}`, 50] as const),
  ["customer", 100],
  ["cancelUrl", 150],
  ["errorUrl", 150],
  ["successUrl", 150],
  ["notifyUrl", 150],
  ["isTest", 5],
];

const hashOf = (values: readonly string[]): string =>
  createHash("sha512")
    .update(`${values.join("")}${CREDENTIALS.privateKey}`.toLowerCase(), "utf8")
    .digest("hex");

/** What the gateway keeps. */
interface Books {
  readonly frame: StandInFrame;
  readonly transactions: Transaction[];
  readonly refunds: Refund[];
  readonly tokens: Set<string>;
}

function open(frame: StandInFrame): OpenProtocol {
  const books: Books = { frame, transactions: [], refunds: [], tokens: new Set() };
  return {
    answer: (request) => answer(books, request),
    payments: () =>
      books.transactions.map(({ request, status, amount, refunded }) => ({
        reference: request.transactionReference,
        status: ({ Complete: "paid", Cancelled: "cancelled", Error: "failed", Pending: "pending" } as const)[status],
        amount,
        refunded,
      })),
    acts: {
      async endsRefund(reference, outcome) {
        const refund = books.refunds.find(
          ({ transaction, status }) => transaction.request.transactionReference === reference && status === "Pending",
        );
        if (!refund) throw new Error(`no refund of ${reference} is open`);
        refund.status = outcome === "processed" ? "Complete" : "Failed";
        if (outcome === "failed") refund.transaction.refunded -= refund.amount;
        await tellRefund(books, refund);
      },
    },
  };
}

function answer(books: Books, request: StandInRequest): StandInReply {
  const route = ROUTES[`${request.method} ${request.path}`];
  if (!route) return UNKNOWN;
  const needsKey = request.path !== "/secure/refunds/submit";
  if (needsKey && request.headers["apikey"] !== CREDENTIALS.apiKey)
    return json(401, { message: "The API key is not valid" });
  return route(books, request);
}

function requestPayment(books: Books, { text }: StandInRequest): StandInReply {
  const body = JSON.parse(text) as Record<string, unknown>;
  const no = (errorMessage: string) => json(200, { paymentRequestId: null, url: null, errorMessage });
  // The amount is hashed as it was written.
  const written = /"amount":\s*(\d+\.\d\d)[,}]/.exec(text)?.[1];
  if (typeof body["amount"] !== "number" || written === undefined)
    return no("Amount must be a number with two decimals");
  const values = REQUEST_FIELDS.map(([name, most]) => {
    const value = name === "amount" ? written : body[name];
    return { name, most, value: value === undefined ? "" : String(value) };
  });
  const wrong = values.find(({ value, most }) => value.length > most || /[^\x20-\x7e]/.test(value));
  if (wrong) return no(`${wrong.name} is not valid`);
  if (body["siteCode"] !== CREDENTIALS.siteCode) return no("The SiteCode is not valid");
  if (body["countryCode"] !== "ZA" || body["currencyCode"] !== "ZAR") return no("Only ZA and ZAR are taken");
  if (!/^[A-Za-z0-9 -]{1,20}$/.test(String(body["bankReference"]))) return no("BankReference is not valid");
  if (String(body["hashCheck"]).toLowerCase() !== hashOf(values.map(({ value }) => value)))
    return no("The HashCheck value has failed");
  const request: PaymentRequest = JSON.parse(text);
  const url = books.frame.payerUrl({
    title: "Ozow",
    lines: [`${request.siteCode}: R ${written}`, `Reference ${request.transactionReference}`],
    outcomes: { paid: "Pay", failed: "Fail at the bank", cancelled: "Cancel", pending: "Leave it undecided" },
    decide: (outcome) => decided(books, request, outcome),
  });
  return json(200, { paymentRequestId: randomUUID(), url, errorMessage: null });
}

/** Each try of a payer is a transaction of its own. */
async function decided(books: Books, request: PaymentRequest, outcome: string): Promise<string> {
  const status = ({ paid: "Complete", failed: "Error", cancelled: "Cancelled" } as const)[outcome] ?? "Pending";
  const amount = Math.round(request.amount * 100);
  const transaction: Transaction = { id: randomUUID(), request, status, amount, refunded: 0 };
  books.transactions.push(transaction);
  await tell(books, transaction);
  return status === "Cancelled" ? request.cancelUrl : status === "Error" ? request.errorUrl : request.successUrl;
}

const tell = ({ frame }: Books, transaction: Transaction): Promise<void> =>
  frame.send({
    about: `payment ${transaction.request.transactionReference} ${transaction.status}`,
    url: transaction.request.notifyUrl,
    compose: (changed) => {
      // Ozow's own books then have the other amount too.
      if (changed.amount !== undefined) transaction.amount = changed.amount;
      const { request } = transaction;
      const hashed = [
        ["SiteCode", request.siteCode],
        ["TransactionId", transaction.id],
        ["TransactionReference", request.transactionReference],
        ["Amount", randText(transaction.amount)],
        ["Status", transaction.status],
        ...[1, 2, 3, 4, 5].map((n) => [`Optional${n}`, ""]),
        ["CurrencyCode", "ZAR"],
        ["IsTest", String(request.isTest)],
        ["StatusMessage", transaction.status === "Error" ? "Insufficient funds" : ""],
      ];
      return form([...hashed, ["BankName", "Capitec"], ["Hash", hashOf(hashed.map(([, value]) => value ?? ""))]]);
    },
  });

const tellRefund = ({ frame }: Books, refund: Refund): Promise<void> =>
  frame.send({
    about: `refund of ${refund.transaction.request.transactionReference} ${refund.status}`,
    url: refund.notifyUrl,
    compose: (changed) => {
      const hashed = [
        ["RefundId", refund.id],
        ["TransactionId", refund.transaction.id],
        ["CurrencyCode", "ZAR"],
        ["Amount", randText(changed.amount ?? refund.amount)],
        ["Status", refund.status],
        ["BankName", "Capitec"],
        ["AccountNumber", "XXXXXX7890"],
        ["StatusMessage", refund.status === "Failed" ? "Account closed" : ""],
      ];
      return form([...hashed, ["isRtc", "false"], ["Hash", hashOf(hashed.map(([, value]) => value ?? ""))]]);
    },
  });

const shown = (one: Transaction) => ({
  transactionId: one.id,
  transactionReference: one.request.transactionReference,
  siteCode: one.request.siteCode,
  currencyCode: "ZAR",
  amount: one.amount / 100,
  status: one.status,
  statusMessage: one.status === "Error" ? "Insufficient funds" : null,
  isTest: one.request.isTest,
});

function found({ transactions }: Books, { query, path }: StandInRequest): StandInReply {
  if (query.get("siteCode") !== CREDENTIALS.siteCode) return json(400, { message: "The site code is not known" });
  const isTest = query.get("isTest") === "true";
  const ours = transactions.filter((one) => one.request.isTest === isTest);
  if (path === "/GetTransaction") {
    const one = ours.find(({ id }) => id === query.get("transactionId"));
    return json(200, one ? shown(one) : null);
  }
  const reference = query.get("transactionReference");
  return json(
    200,
    ours
      .filter((one) => one.request.transactionReference === reference)
      .map(shown)
      .slice(-10),
  );
}

function issueToken({ tokens }: Books, { text }: StandInRequest): StandInReply {
  const given = Object.fromEntries(pairsOf(text));
  if (given["grant_type"] !== "password" || given["SiteCode"] !== CREDENTIALS.siteCode)
    return json(400, { error: "invalid_grant", error_description: "The site code or the key is not valid." });
  const access_token = newGatewayId("", 16);
  tokens.add(access_token);
  return json(200, { access_token, token_type: "bearer", expires_in: 3599 });
}

function submitRefunds(books: Books, { headers, text }: StandInRequest): StandInReply {
  if (!books.tokens.has(String(headers["authorization"]).replace(/^Bearer /, "")))
    return json(401, { message: "Unauthorized" });
  const list = JSON.parse(text) as Record<string, unknown>[];
  const amounts = [...text.matchAll(/"amount":\s*(\d+\.\d\d)[,}]/g)].map(([, amount]) => amount ?? "");
  return json(
    200,
    list.map((asked, index) => submitted(books, asked, amounts[index] ?? "")),
  );
}

function submitted({ transactions, refunds }: Books, asked: Record<string, unknown>, amount: string): object {
  const { transactionId, refundReason = "", notifyUrl = "", HashCheck } = asked;
  const errors = (...messages: string[]) => ({ refundId: null, transactionId, errors: messages });
  const values = [transactionId, amount, refundReason, notifyUrl].map(String);
  if (HashCheck !== hashOf(values)) return errors("The HashCheck value has failed");
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (transaction?.status !== "Complete") return errors("The transaction cannot be refunded");
  const size = Math.round(Number(amount) * 100);
  if (size < 1 || size > transaction.amount - transaction.refunded) return errors("The amount is more than is left");
  transaction.refunded += size;
  const refund: Refund = {
    id: randomUUID(),
    transaction,
    notifyUrl: String(notifyUrl),
    amount: size,
    status: "Pending",
  };
  refunds.push(refund);
  return { refundId: refund.id, transactionId, refundAmount: size / 100, errors: [] };
}

const ROUTES: Readonly<Record<string, (books: Books, request: StandInRequest) => StandInReply>> = {
  "POST /PostPaymentRequest": requestPayment,
  "GET /GetTransaction": found,
  "GET /GetTransactionByReference": found,
  "POST /token": issueToken,
  "POST /secure/refunds/submit": submitRefunds,
};

const form = (pairs: readonly (readonly string[])[]) => ({
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(pairs.map(([name = "", value = ""]) => [name, value])).toString(),
});
