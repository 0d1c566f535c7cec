import { DEBIT_RETURNS } from "../kernel/debit-returns.ts";

/**
 * Why an attempt to pay was declined, in the field's words, for people; `other` is any reason that is none of these, or
 * is not known. Whether a decline is final is said by the gateway's fact (`hard`), not by this.
 */
export const DECLINE_REASONS = [
  "insufficient_funds",
  "do_not_honour",
  "expired_card",
  "authentication_failed",
  "invalid_details",
  "lost_or_stolen",
  "limit_exceeded",
  "not_permitted",
  "suspected_fraud",
  "stopped_by_payer",
  "account_closed",
  "bank_unavailable",
  "refused_by_gateway",
  "other",
] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

/** What the service itself writes as the gateway's word of a payment that its gateway did not take. */
const NOT_TAKEN = new Set(["refused to start", "rejected", "never arrived"]);

/** Result codes whose descriptions do not say why (Peach): by their beginnings. */
const RESULT_CODES: readonly (readonly [RegExp, DeclineReason])[] = [
  [/^100\.3[89]0\./, "authentication_failed"],
  [/^800\.100\.152$/, "do_not_honour"],
  [/^800\.100\.15[78]$/, "invalid_details"],
  [/^800\.100\.160$/, "account_closed"],
  [/^900\.100\./, "bank_unavailable"],
];

/** How gateways and banks write a reason, as code or text; the first that matches counts. */
const WRITTEN: readonly (readonly [RegExp, DeclineReason])[] = [
  [/insufficient|not sufficient|not provided for|exceeds credit|not cleared|no funds/, "insufficient_funds"],
  [/stopped|stop payment|authority to debit|revocation|disputed/, "stopped_by_payer"],
  [/closed|frozen|sequestration|liquidation|another bank|has died|account blocked/, "account_closed"],
  [/lost|stolen|pick ?up/, "lost_or_stolen"],
  [/fraud|suspect|blacklist|security violation/, "suspected_fraud"],
  [
    /wrong expiry|invalid expiry|incorrect|invalid (?:card|cvv|cvc|number|account|pin)|cv[vc]|no such card/,
    "invalid_details",
  ],
  [/card token error|unknown token|does not know the card|no longer accepts|could not be used/, "invalid_details"],
  [/expired|expiry/, "expired_card"],
  [/3-?d[ -]?s|authenticat|confirm the charge|\botp\b/, "authentication_failed"],
  [/limit|velocity|frequency/, "limit_exceeded"],
  [/not permitted|not allowed|not supported|restricted|not identified|repeated unpaid/, "not_permitted"],
  [/do not hono|call issuer|refer to/, "do_not_honour"],
  [/unavailable|not available|time(?:d)?[ -]?out|try again later|processing error|inoperative/, "bank_unavailable"],
];

/** The reason of a decline, by the gateway's or the bank's `word`, its code where it has one, and its `text`. */
export function declineReasonOf(word: string | null, text: string): DeclineReason {
  const code = word?.trim() ?? "";
  if (NOT_TAKEN.has(code)) return "refused_by_gateway";
  const returned = DEBIT_RETURNS[/^(?:[A-Z]{3} )?(\d{2})$/.exec(code)?.[1] ?? ""];
  if (returned?.disputed) return "stopped_by_payer";
  const written = `${code} ${returned?.reason ?? ""} ${text}`.toLowerCase().replaceAll("_", " ");
  const [, reason] =
    RESULT_CODES.find(([pattern]) => pattern.test(code)) ?? WRITTEN.find(([pattern]) => pattern.test(written)) ?? [];
  return reason ?? "other";
}
