import type { GatewayCall } from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import type { JsonAnswer, JsonRefusal } from "../json-api.ts";
import { ask } from "./client.ts";
import { paymentFact } from "./facts.ts";
import * as wire from "./wire.ts";

/** Whether Paystack says with 400 that it does not know the record. */
const isUnknown = ({ status, code, reason }: JsonRefusal): boolean =>
  status === 400 && (code === "transaction_not_found" || /not found/i.test(reason));

/** The data of an answer; null when Paystack does not know the record. Throws `GatewayUnclear` for a refused query. */
export function known<T>(answer: JsonAnswer<{ readonly data: T }>): T | null {
  if (answer.kind === "answer") return answer.value.data;
  if (answer.kind === "refused" && !isUnknown(answer)) throw new GatewayUnclear(`Paystack: ${answer.reason}`);
  return null;
}

/** The transaction of a reference as a fact; null when Paystack does not know it. */
export async function verifyTransaction(reference: string, call: GatewayCall): Promise<PaymentFact | null> {
  const path = `/transaction/verify/${encodeURIComponent(reference)}`;
  const transaction = known(await ask(call, { method: "GET", path }, wire.Transaction));
  return transaction && paymentFact(transaction);
}

/** The subscription of a code; null when Paystack does not know it. */
export async function findSubscription(code: string, call: GatewayCall): Promise<wire.Subscription | null> {
  const path = `/subscription/${encodeURIComponent(code)}`;
  return known(await ask(call, { method: "GET", path }, wire.Subscription));
}

/** The refunds of a transaction by Paystack's number of it, at most a hundred; null when Paystack has no list. */
export async function refundsOfTransaction(id: string, call: GatewayCall): Promise<readonly wire.Refund[] | null> {
  const query = new URLSearchParams({ transaction: id, perPage: "100" });
  return known(await ask(call, { method: "GET", path: `/refund?${query}` }, wire.Refunds));
}
