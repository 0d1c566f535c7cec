import { singleLine, truncate } from "../../kernel/text.ts";
import { DAY_SECONDS, secondsBetween } from "../../kernel/time.ts";
import type { ChargeRequest, GatewayCall, PaymentIdentity, StoredCardAbility } from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { declinedCharge } from "../refusals.ts";
import { askData } from "./client.ts";
import { findInHistory } from "./history.ts";
import { findProcessed } from "./queries.ts";
import { Charged, FIELD_MAX } from "./wire.ts";

/** The refusal of a token that was cancelled, or that belongs to a subscription. */
const NOT_VALID = /not in a valid state/i;

/**
 * Charges the card of a token. An accepted charge is queried at once, and is pending until the gateway reports its
 * outcome; `itn`, with which it reports the outcome, is on when the field is left out.
 */
async function charge(request: ChargeRequest, call: GatewayCall): Promise<PaymentFact> {
  const { reference, amount, description, card } = request;
  const path = `/subscriptions/${encodeURIComponent(card.token)}/adhoc`;
  const itemName = truncate(singleLine(description), FIELD_MAX.itemName).trim() || reference;
  const body = { amount, item_name: itemName, m_payment_id: reference };
  const answer = await askData(call, { method: "POST", path, body }, Charged);
  if (answer.kind === "absent")
    return declinedCharge(request, { word: "unknown token", reason: "PayFast does not know the card.", hard: true });
  if (answer.kind === "refused")
    return declinedCharge(request, { reason: answer.reason, hard: NOT_VALID.test(answer.reason) });
  const providerRef = idOf(answer.value);
  const known =
    providerRef === null ? null : await findProcessed({ reference, providerRef }, call).catch(unclearIsNull);
  return known ?? pendingFact(request, providerRef);
}

/** The gateway's id of the charge. */
function idOf({ pf_payment_id: id, response }: Charged): string | null {
  const found = id ?? (typeof response === "object" ? response.pf_payment_id : null);
  return found === null || found === undefined || String(found).trim() === "" ? null : String(found).trim();
}

/** The charge was accepted: when the query after it is unclear, its id must be kept all the same. */
function unclearIsNull(error: unknown): null {
  if (error instanceof GatewayUnclear) return null;
  throw error;
}

const pendingFact = ({ reference, amount, currency }: ChargeRequest, providerRef: string | null): PaymentFact => ({
  about: "payment",
  kind: "pending",
  occurredAt: null,
  gatewayWord: "accepted",
  reference,
  providerRef,
  payerEmail: null,
  card: null,
  subscription: null,
  amount,
  currency,
});

/** A charge whose answer was lost and which is in no history after this time was never made. */
const UNKNOWN_SECONDS = DAY_SECONDS;

export const storedCards: StoredCardAbility = {
  // PayFast does not return a card's network. It makes tokens of Visa and Mastercard cards only.
  brands: ["card"],
  charge,
  /** Never null: a charge has no idempotency key, so it is never sent again. */
  async query(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact> {
    const { reference, providerRef, startedAt } = payment;
    const known = providerRef === null ? null : await findProcessed({ reference, providerRef }, call);
    const fact = known ?? (await findInHistory(payment, call));
    if (fact) return fact;
    if (providerRef !== null || secondsBetween(startedAt, call.now) < UNKNOWN_SECONDS)
      throw new GatewayUnclear("PayFast: a charge that it does not know yet");
    const reason = "PayFast has no such charge: it was never made.";
    return declinedCharge(payment, { word: "unknown", reason, hard: false });
  },
};
