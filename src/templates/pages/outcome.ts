import { type Html, html } from "../html.ts";
import type { Refresh } from "./layout.ts";
import { name, sign } from "./parts.ts";

/** Seconds between two queries of a pending payment. */
const POLL_SECONDS = 3;

/** The text at the top of a result page. */
export interface OutcomeWords {
  readonly sign: Html;
  readonly heading: string;
  readonly sentence: Html;
}

/** A payment that is not refunded, by its verified status. */
export interface Outcome {
  readonly status: "pending" | "complete" | "failed" | "cancelled";
  /** The bank of a saved card, and a statement, confirm in days, not while the payer waits. */
  readonly confirmedBy: "gateway" | "saved_card" | "statement";
}

/** The text of every result page about a payment to a merchant. */
export function outcomeInWords({ status, confirmedBy }: Outcome, merchantName: string): OutcomeWords {
  const merchant = name(merchantName);
  switch (status) {
    case "pending":
      if (confirmedBy === "saved_card")
        return {
          sign: sign("clock", "wait"),
          heading: "Payment under way",
          sentence: html`Your saved card is being charged. Banks usually confirm within 1 to 3 business days. \
You can close this page; please do not pay a second time.`,
        };
      if (confirmedBy === "statement")
        return {
          sign: sign("clock", "wait"),
          heading: "Payment being confirmed",
          sentence: html`Your payment was made. ${merchant} waits until it is confirmed, mostly on the next business \
day. You can close this page; please do not pay a second time.`,
        };
      return {
        sign: sign("clock", "wait"),
        heading: "Waiting for confirmation",
        sentence: html`The payment provider has not confirmed this payment yet. This page looks again by itself; \
please do not pay a second time.`,
      };
    case "complete":
      return { sign: sign("tick", "good"), heading: "Payment received", sentence: html`Paid to ${merchant}` };
    case "failed":
      return {
        sign: sign("cross", "bad"),
        heading: "Payment failed",
        sentence: html`The payment provider reports that this payment did not go through. ${merchant} has not been paid.`,
      };
    case "cancelled":
      return {
        sign: sign("cross", "plain"),
        heading: "Payment cancelled",
        sentence: html`This payment was cancelled before it was made. ${merchant} has not been paid.`,
      };
  }
}

/** How a result page continues: it reloads while the payer waits for a gateway; then it redirects, when there is a target. */
export function goingOn(
  { status, confirmedBy }: { readonly status: string; readonly confirmedBy: Outcome["confirmedBy"] },
  onward: { readonly url: string | null; readonly afterSeconds: number },
): { readonly refresh: Refresh | null; readonly pollSeconds?: number } {
  if (status === "pending")
    return confirmedBy !== "gateway"
      ? { refresh: null }
      : { refresh: { seconds: POLL_SECONDS, url: null }, pollSeconds: POLL_SECONDS };
  return { refresh: onward.url === null ? null : { seconds: onward.afterSeconds, url: onward.url } };
}

export const CHECK_AGAIN: Html = html`<p><a class="button quiet" href="">Check again now</a></p>`;

/** The note that the page redirects automatically; `where` is such as `You go on`. Its button, which needs script, stops the redirect. */
export const leadsOn = (where: Html, seconds: number): Html =>
  html`<p class="muted small center">${where} in ${seconds} seconds. <button type="button" class="plain-button" \
data-stay hidden>Stay here</button></p>`;
