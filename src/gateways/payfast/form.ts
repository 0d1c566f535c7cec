import { MONTHS } from "../../kernel/frequency.ts";
import { toDecimalText } from "../../kernel/money.ts";
import { codePoints, singleLine, truncate } from "../../kernel/text.ts";
import { addMonths, calendarDay } from "../../kernel/time.ts";
import type { GatewayCall, StartPaymentRequest } from "../contract.ts";
import { type Pair, signedForm } from "./signing.ts";
import { FIELD_MAX, FREQUENCY_CODES } from "./wire.ts";

/** `custom_str2` of a payment that starts a subscription; the history of transactions shows it. */
export const OF_SUBSCRIPTION = "tefo-subscription";
/** The same of a payment that saves a card (decisions.md#payfast-keeps-cards-only-when-needed). */
export const OF_CARD = "tefo-card";

/** One line of at most `max` characters: browsers change line breaks in fields, and the signature covers the posted text. */
const fitted = (text: string | null, max: number): string => truncate(singleLine(text ?? ""), max).trim();

/**
 * The payment form, signed, in the gateway's order. An email address that is too long is left out, since a shortened
 * one could belong to somebody else. The date of a subscription's first later collection is always sent: without it the
 * gateway would use today.
 */
export function startFields(request: StartPaymentRequest, { credentials, now }: GatewayCall): readonly Pair[] {
  const { merchantId = "", merchantKey = "", passphrase = "" } = credentials;
  const { payer, recurring, description, reference } = request;
  const itemName = fitted(description, FIELD_MAX.itemName) || reference;
  const whole = singleLine(description);
  const email = payer.email?.trim() ?? "";
  const next = recurring && (recurring.nextChargeOn ?? addMonths(calendarDay(now), MONTHS[recurring.frequency]));
  const fields: Pair[] = [
    ["merchant_id", merchantId],
    ["merchant_key", merchantKey],
    ["return_url", request.returnUrl],
    ["cancel_url", request.cancelUrl],
    ["notify_url", request.notifyUrl],
    ["name_first", fitted(payer.firstName, FIELD_MAX.name)],
    ["name_last", fitted(payer.lastName, FIELD_MAX.name)],
    ["email_address", codePoints(email) > FIELD_MAX.email ? "" : email],
    ["m_payment_id", reference],
    ["amount", toDecimalText(request.amount)],
    ["item_name", itemName],
    ["item_description", codePoints(whole) > FIELD_MAX.itemName ? fitted(whole, FIELD_MAX.itemDescription) : ""],
  ];
  if (recurring && next)
    fields.push(
      ["custom_str1", next],
      ["custom_str2", OF_SUBSCRIPTION],
      ["subscription_type", "1"],
      ["billing_date", next],
      ["recurring_amount", toDecimalText(recurring.amount)],
      ["frequency", FREQUENCY_CODES[recurring.frequency]],
      ["cycles", "0"],
    );
  // Such a payment can be made by card only.
  else if (request.forCard) fields.push(["custom_str2", OF_CARD], ["subscription_type", "2"]);
  return signedForm(fields, passphrase);
}
