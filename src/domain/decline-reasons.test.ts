import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclineReason, declineReasonOf } from "./decline-reasons.ts";

/* How gateways and banks write why they decline: Stripe, Peach, Paystack, PayFast, Yoco, Netcash, banks, the service itself. */
const WRITTEN: readonly (readonly [word: string | null, text: string, reason: DeclineReason])[] = [
  ["insufficient_funds", "Your card has insufficient funds.", "insufficient_funds"],
  ["failed", "Insufficient Funds", "insufficient_funds"],
  ["800.100.155", "transaction declined (amount exceeds credit)", "insufficient_funds"],
  ["02", "Insufficient funds", "insufficient_funds"],
  ["DRU 22", "The effects are not cleared (22).", "insufficient_funds"],
  ["do_not_honor", "Your card was declined.", "do_not_honour"],
  ["FAILED", "Do Not Honour", "do_not_honour"],
  ["800.100.152", "transaction declined by authorization system", "do_not_honour"],
  ["call_issuer", "Your card was declined.", "do_not_honour"],
  ["expired_card", "Your card has expired.", "expired_card"],
  ["100.100.303", "card expired", "expired_card"],
  [
    "authentication_required",
    "Your card was declined. This transaction requires authentication.",
    "authentication_failed",
  ],
  ["100.380.401", "User Authentication Failed", "authentication_failed"],
  ["payment.failed", "3D Secure failed", "authentication_failed"],
  ["incorrect_cvc", "Your card's security code is incorrect.", "invalid_details"],
  ["800.100.153", "transaction declined (invalid CVV)", "invalid_details"],
  ["800.100.157", "transaction declined (wrong expiry date)", "invalid_details"],
  ["card_token_error", "The bank no longer accepts this card: add it again.", "invalid_details"],
  ["not sent", "The card could not be used any more when the gateway was to charge it.", "invalid_details"],
  ["stolen_card", "Your card was declined.", "lost_or_stolen"],
  ["pickup_card", "Your card was declined.", "lost_or_stolen"],
  ["800.100.171", "transaction declined (pick up card)", "lost_or_stolen"],
  ["card_velocity_exceeded", "Your card was declined.", "limit_exceeded"],
  ["failed", "Exceeds withdrawal limit", "limit_exceeded"],
  ["transaction_not_allowed", "Your card does not support this type of purchase.", "not_permitted"],
  ["DRU 03", "Debits are not allowed to this account (03).", "not_permitted"],
  ["fraudulent", "Your card was declined.", "suspected_fraud"],
  ["DRU 34", "The account holder has cancelled the authority to debit (34).", "stopped_by_payer"],
  ["DRU", "The payment was disputed.", "stopped_by_payer"],
  ["DRU 12", "The account is closed (12).", "account_closed"],
  ["issuer_not_available", "Your card was declined.", "bank_unavailable"],
  ["900.100.100", "unexpected communication error with connector/acquirer", "bank_unavailable"],
  ["refused to start", "The amount is below the limit.", "refused_by_gateway"],
  ["never arrived", "The gateway has never received the charge.", "refused_by_gateway"],
  ["generic_decline", "Your card was declined.", "other"],
  ["declined", "The bank declined the card.", "other"],
  ["32", "Returned unpaid", "stopped_by_payer"],
  ["56", "Returned unpaid", "not_permitted"],
  ["26", "Returned unpaid", "account_closed"],
  ["DRU 28", "Recalled (28).", "other"],
  [null, "The payment was declined.", "other"],
];

for (const [word, text, reason] of WRITTEN)
  test(`${word}, ${text} is ${reason}`, () => assert.equal(declineReasonOf(word, text), reason));
