import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import type { JsonAnswer } from "../json-api.ts";
import { ask } from "./client.ts";
import * as wire from "./wire.ts";

/** The answer; null when Stripe does not know the object. Throws `GatewayUnclear` for a refused query. */
export function known<T>(answer: JsonAnswer<T>): T | null {
  if (answer.kind === "refused") throw new GatewayUnclear(`Stripe: ${answer.reason}`);
  return answer.kind === "answer" ? answer.value : null;
}

const find =
  <T>(folder: string, shape: z.ZodType<T>, expand: readonly string[] = []) =>
  async (id: string, call: GatewayCall): Promise<T | null> => {
    const path = `/${folder}/${encodeURIComponent(id)}`;
    return known(await ask(call, { method: "GET", path, ...(expand.length > 0 ? { fields: { expand } } : {}) }, shape));
  };

/** With card and fee, which Stripe keeps with the charge. */
export const findSession = find("checkout/sessions", wire.Session, [
  "payment_intent.latest_charge.balance_transaction",
  "invoice.charge.balance_transaction",
  "subscription",
]);
export const findIntent = find("payment_intents", wire.PaymentIntent, ["latest_charge.balance_transaction"]);
export const findInvoice = find("invoices", wire.Invoice, ["charge.balance_transaction", "subscription"]);
/** The refunds of a payment, at most its newest hundred. */
export const refundsOfIntent = async (payment_intent: string, call: GatewayCall) =>
  known(await ask(call, { method: "GET", path: "/refunds", fields: { payment_intent, limit: 100 } }, wire.Refunds));
export const findSubscription = find("subscriptions", wire.Subscription);
