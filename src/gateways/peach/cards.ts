import { toDecimalText } from "../../kernel/money.ts";
import { shortReference } from "../../kernel/references.ts";
import { DAY_SECONDS, secondsBetween } from "../../kernel/time.ts";
import type { ChargeRequest, GatewayCall, PaymentIdentity, StoredCardAbility } from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { declinedCharge } from "../refusals.ts";
import { ask } from "./client.ts";
import { ofCharge, paymentFact } from "./facts.ts";
import { isHardDecline, isTestResult, resultOf } from "./result-codes.ts";
import * as wire from "./wire.ts";

/** The credentials of the separate contract for charges without the payer. */
const recurring = ({ credentials }: GatewayCall) => ({
  entityId: String(credentials["recurringEntityId"]),
  bearer: String(credentials["recurringAccessToken"]),
});

/** Charges the registration. Peach has no idempotency key: a charge without an answer is queried. */
async function charge(request: ChargeRequest, call: GatewayCall): Promise<PaymentFact> {
  const { reference, amount, currency } = request;
  const { registrationId, initialTransactionId } = wire.StoredCard.parse(parsed(request.card.token));
  const { entityId, bearer } = recurring(call);
  const form = {
    entityId,
    amount: toDecimalText(amount),
    currency,
    paymentType: "DB",
    merchantTransactionId: shortReference(reference),
    "standingInstruction.source": "MIT",
    "standingInstruction.mode": "REPEATED",
    // This value says that amounts and dates are the merchant's choice.
    "standingInstruction.type": "UNSCHEDULED",
    ...(initialTransactionId ? { "standingInstruction.initialTransactionId": initialTransactionId } : {}),
  };
  const path = `/v1/registrations/${encodeURIComponent(registrationId)}/payments`;
  const answer = await ask(call, { to: "cards", method: "POST", path, bearer, form }, wire.Payment);
  if (answer.kind === "answer" && isTestResult(call, answer.value["result.code"]))
    return declinedCharge(request, { word: answer.value["result.code"], reason: IN_TEST, hard: false });
  if (answer.kind === "answer")
    return ofCharge(paymentFact({ amount: { amount }, currency, ...answer.value }, reference));
  const { code, reason } = answer.kind === "refused" ? answer : ABSENT;
  const result = code === null ? "failed" : resultOf(code);
  // The code of a time-out is as unclear as no answer.
  if (result !== "failed" && result !== "cancelled") throw new GatewayUnclear(`Peach: ${code}`);
  if (code === null) return declinedCharge(request, { reason, hard: false });
  return declinedCharge(request, { word: code, reason, hard: isHardDecline(code) });
}

const IN_TEST =
  "Peach has made this charge in its test mode, so no money has moved. Ask Peach to make the entity live.";
const ABSENT = { code: null, reason: "Peach does not keep this card any more." };

/** Peach found no payment of the merchant's with this id. */
const NOT_FOUND = "700.400.580";

/**
 * Asks for the charge by our short reference. A charge that Peach does not find may still be processed, so it is
 * unclear and never sent again; after a day it was never made (decisions.md#never-sent-again-without-a-key).
 */
async function query(
  { reference, amount, currency, startedAt }: PaymentIdentity,
  call: GatewayCall,
): Promise<PaymentFact> {
  const { entityId, bearer } = recurring(call);
  const merchantTransactionId = shortReference(reference);
  const path = `/v1/payments?${new URLSearchParams({ entityId, merchantTransactionId })}`;
  const answer = await ask(call, { to: "cards", method: "GET", path, bearer }, wire.Payments);
  const payments = answer.kind === "answer" ? answer.value.payments : [];
  const found = payments.find((payment) => payment.merchantTransactionId === merchantTransactionId);
  if (found) return ofCharge(paymentFact(found, reference));
  const isCertain = answer.kind === "answer" || (answer.kind === "refused" && answer.code === NOT_FOUND);
  if (!isCertain || secondsBetween(startedAt, call.now) < DAY_SECONDS)
    throw new GatewayUnclear("Peach: the charge is not found");
  const reason = "Peach has no such charge: it was never made.";
  return declinedCharge({ reference, amount, currency }, { word: NOT_FOUND, reason, hard: false });
}

/** Cards that a checkout has saved, charged without the payer. */
export const storedCards: StoredCardAbility = { brands: ["visa", "mastercard", "amex", "diners"], charge, query };
