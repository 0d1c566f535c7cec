import type { Shape } from "../api/client.ts";

type Reason = Shape<"DeclineReason">;

/** Why payments are declined, as banks say it, and what helps. */
export const DECLINE_REASONS: Readonly<Record<Reason, { readonly label: string; readonly help: string }>> = {
  insufficient_funds: { label: "Insufficient funds", help: "Collect on or just after payday, or send a payment link." },
  do_not_honour: {
    label: "Do not honour",
    help: "The bank gives no detail. The payer asks their bank, or pays another way.",
  },
  expired_card: { label: "Expired card", help: "Ask the payer to save their new card." },
  authentication_failed: {
    label: "3-D Secure failed",
    help: "The payer did not approve it in time. Ask them to try again with their bank's app open.",
  },
  invalid_details: { label: "Wrong card details", help: "Ask the payer to enter the card again." },
  lost_or_stolen: { label: "Lost or stolen card", help: "Do not retry. Ask the payer for another card." },
  limit_exceeded: {
    label: "Limit exceeded",
    help: "The payer raises the card's limit at their bank, or pays by EFT.",
  },
  not_permitted: {
    label: "Not permitted",
    help: "The card or account does not allow this payment. Offer another way to pay.",
  },
  suspected_fraud: { label: "Suspected fraud", help: "Do not retry. The payer clears it with their bank." },
  stopped_by_payer: {
    label: "Stopped or disputed by payer",
    help: "Speak to the payer before you collect again.",
  },
  account_closed: { label: "Account closed or frozen", help: "Ask the payer for another account." },
  bank_unavailable: { label: "Bank or gateway unavailable", help: "Retry later." },
  refused_by_gateway: {
    label: "Not taken by the gateway",
    help: "The bank was not asked. Check the payment's timeline, and the gateway's settings.",
  },
  other: { label: "Other or not told", help: "The payment's timeline has what the gateway said." },
};
