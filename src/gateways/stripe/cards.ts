import { truncate } from "../../kernel/text.ts";
import { secondsBetween } from "../../kernel/time.ts";
import type { ChargeRequest, GatewayCall, PaymentIdentity, StoredCardAbility } from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { declinedCharge } from "../refusals.ts";
import { ask } from "./client.ts";
import { intentFact, isHard, STORED_CARD, storedCard } from "./facts.ts";
import { findIntent, known } from "./queries.ts";
import * as wire from "./wire.ts";

/** Stripe repeats its first answer to a request with the same key for 24 hours; this leaves a margin of an hour. */
const KEY_SECONDS = 23 * 3600;

const DESCRIPTION_CHARACTERS = 250;

async function charge(request: ChargeRequest, call: GatewayCall): Promise<PaymentFact> {
  const { reference, amount, currency, description } = request;
  const { customer, method } = storedCard(request.card.token);
  const fields = {
    amount,
    currency: currency.toLowerCase(),
    customer,
    payment_method: method,
    off_session: true,
    confirm: true,
    description: truncate(description, DESCRIPTION_CHARACTERS),
    metadata: { reference, kind: STORED_CARD },
    expand: ["latest_charge.balance_transaction"],
  };
  const post = { method: "POST", path: "/payment_intents", fields, idempotencyKey: reference } as const;
  const answer = await ask(call, post, wire.PaymentIntent);
  if (answer.kind === "answer") {
    const { metadata } = answer.value;
    return intentFact({ ...answer.value, metadata: { refund_id: null, ...metadata, reference, kind: STORED_CARD } });
  }
  const { reason, code } =
    answer.kind === "refused" ? answer : { reason: "Stripe does not know the card.", code: "resource_missing" };
  return declinedCharge(request, { ...(code === null ? {} : { word: code }), reason, hard: isHard(code) });
}

/**
 * By Stripe's id, else by our reference. The search finds a charge only after a minute or more, so that one which is not found may exist
 * (decisions.md#stripe-searches-before-it-repeats). It is repeatable while its key is valid; after that it was never made.
 */
async function query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | "repeatable"> {
  const { providerRef, reference, startedAt } = payment;
  if (providerRef !== null) {
    const intent = await findIntent(providerRef, call);
    if (intent) return intentFact(intent);
    throw new GatewayUnclear("Stripe: a charge that it has named, and does not know");
  }
  const fields = { query: `metadata["reference"]:"${reference}"`, expand: ["data.latest_charge.balance_transaction"] };
  const found = known(await ask(call, { method: "GET", path: "/payment_intents/search", fields }, wire.PaymentIntents));
  if (!found) throw new GatewayUnclear("Stripe: no search");
  const [intent] = found.data;
  if (intent) return intentFact(intent);
  if (secondsBetween(startedAt, call.now) < KEY_SECONDS) return "repeatable";
  return declinedCharge(payment, {
    word: "unknown",
    reason: "Stripe has no such charge: it was never made.",
    hard: false,
  });
}

export const storedCards: StoredCardAbility = { brands: ["visa", "mastercard"], charge, query };
