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

/** How PayFast refuses a token that was cancelled, or that is a subscription's. */
const NOT_VALID = /not in a valid state/i;

/**
 * Charges the card of a token. What is accepted is asked about at once, and is pending until the gateway says how it ended; `itn`, with which it reports
 * the end, is on when it is left out.
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

/** The charge was accepted: that the question after it stays open is no reason to forget its id. */
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

/** A charge whose answer was lost, and which stands in no history for so long, was never made. */
const UNKNOWN_SECONDS = DAY_SECONDS;

export const storedCards: StoredCardAbility = {
  // PayFast does not say of which network a card is. It makes tokens of Visa and Mastercard cards alone.
  brands: ["card"],
  charge,
  /** Never null: a charge has no key against repeats, so it is never sent again. */
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
