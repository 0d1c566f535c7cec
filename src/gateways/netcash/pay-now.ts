import { toDecimalText, ZERO } from "../../kernel/money.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import type { GatewayCall, StartPaymentRequest } from "../contract.ts";
import { type CardBrand, type CardDetails, internalFact, type PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { cardToken } from "./card-token.ts";
import { type PayNowResult, reportedRand, VENDOR_KEY } from "./wire.ts";

const DESCRIPTION_MAX = 50;

/** The fields of the form that leads the payer to Pay Now, in the order in which they are documented. */
export function formFields(
  { reference, amount, description, payer, saveCard }: StartPaymentRequest,
  { credentials }: GatewayCall,
): (readonly [string, string])[] {
  const optional = [
    ["m9", payer.email],
    ["m11", payer.phone],
    ["m14", saveCard ? "1" : null],
  ] as const;
  return [
    ["m1", credentials["payNowKey"] ?? ""],
    ["m2", VENDOR_KEY],
    ["p2", reference],
    ["p3", truncate(singleLine(description), DESCRIPTION_MAX).trim() || reference],
    ["p4", toDecimalText(amount)],
    ["Budget", "N"],
    // Comes back on the statement, where p2 does not.
    ["m4", reference],
    ...optional.flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
  ];
}

/**
 * Netcash's answer about a payment on its pages, as a fact; null for an accepted amount of zero, which is an
 * authorisation and settles nothing. An accepted payment of an account that waits for its statement is pending until
 * then. A payment by bank transfer or QR code that was accepted may be declined later: then the payment is reversed.
 * Throws `GatewayUnclear` for an answer that is neither.
 */
export function payNowFact(
  result: PayNowResult,
  { credentials }: Pick<GatewayCall, "credentials">,
): PaymentFact | null {
  const accepted = { true: true, false: false }[result.TransactionAccepted.trim().toLowerCase()];
  if (accepted === undefined) throw new GatewayUnclear("netcash: neither accepted nor declined");
  const reported = reportedRand(result.Amount);
  const news = {
    ...internalFact(
      result.Reference,
      accepted ? `accepted ${result.Method ?? ""}`.trim() : (result.Reason ?? "declined"),
    ),
    providerRef: result.RequestTrace,
    ...reported,
    currency: "ZAR",
  };
  if (accepted) {
    if (reported.amount === ZERO && reported.inexactAmount === undefined) return null;
    if (credentials["waitForStatement"] === "on") return { ...news, kind: "pending", waitsFor: "statement" };
    return { ...news, kind: "paid", fee: null, card: cardOf(result) };
  }
  const reason = singleLine(result.Reason ?? "") || "The payment was declined";
  if (/cancel/i.test(reason)) return { ...news, kind: "abandoned" };
  return { ...news, kind: "declined", reason, hard: false, takesBack: { code: null } };
}

/** The card whose token the answer holds; null for a payment without one. */
function cardOf({ ccToken, ccHolder, ccMasked, ccExpiry }: PayNowResult): CardDetails | null {
  const masked = (ccMasked ?? "").replace(/\s/g, "");
  const last4 = /\d{4}$/.exec(masked)?.[0];
  if (!ccToken || !last4) return null;
  const [, month, year] = /^(\d{2})\D?(?:20)?(\d{2})$/.exec((ccExpiry ?? "").trim()) ?? [];
  const card = {
    brand: brandOf(masked),
    last4,
    expiryMonth: month === undefined ? null : Number(month),
    expiryYear: year === undefined ? null : 2000 + Number(year),
    holderName: ccHolder?.trim() || null,
    fingerprint: null,
  };
  return { ...card, token: cardToken({ ...card, token: ccToken, masked }) };
}

/** By the first digits, since Netcash does not name the network. */
function brandOf(masked: string): CardBrand {
  if (masked.startsWith("4")) return "visa";
  if (/^(5[1-5]|2[2-7])/.test(masked)) return "mastercard";
  if (/^3[47]/.test(masked)) return "amex";
  return /^3[068]/.test(masked) ? "diners" : "card";
}
