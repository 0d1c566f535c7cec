import type { Instant } from "../../kernel/time.ts";
import { withQuery } from "../../kernel/urls.ts";
import type { PaymentLink } from "./types.ts";

/** Why a link takes no payment any more, whoever has begun one. */
export type Closed = "paid" | "cancelled" | "deactivated";

/** Why a link cannot be paid (interface 3.2); the page shows it as a sentence. */
export type Unavailable =
  | Closed
  | "expired"
  | "collecting"
  | "attempt_soon"
  | "confirming"
  | "account"
  | "quota"
  | "gateway";

/** Facts of other records that decide whether a link can be paid. */
export interface LinkFacts {
  readonly now: Instant;
  readonly organisationReadOnly: boolean;
  readonly monthlyLimitReached: boolean;
  readonly gatewayAvailable: boolean;
  /**
   * Whether the service is collecting the invoice automatically, from a saved card or by debit order: a payment here
   * would pay it twice.
   */
  readonly collecting: boolean;
  /** Whether the stored card is charged again within the hour. */
  readonly attemptSoon: boolean;
  /** Whether a payment of the link or its invoice waits until its gateway's statement confirms it: another one would pay twice. */
  readonly confirming: boolean;
  readonly invoice: PaidInvoice;
}

/** The invoice that a link pays; null when it pays none. */
type PaidInvoice = { readonly status: string } | null;

/** Why the link takes no payment any more: its invoice is paid or cancelled, or it was used up or deactivated. Null when it does. */
export function whyClosed(
  link: Pick<PaymentLink, "active" | "singleUse" | "paidCount" | "collectsBalance">,
  invoice: PaidInvoice,
): Closed | null {
  if (invoice?.status === "paid") return "paid";
  if (invoice?.status === "cancelled") return "cancelled";
  if (link.singleUse && link.paidCount > 0 && !link.collectsBalance) return "paid";
  return link.active ? null : "deactivated";
}

/** Why the link cannot be paid now, the first reason that applies; null when it can (interface 3.2). */
export function whyUnavailable(
  link: Pick<PaymentLink, "active" | "singleUse" | "paidCount" | "expiresAt" | "collectsBalance">,
  facts: LinkFacts,
): Unavailable | null {
  const closed = whyClosed(link, facts.invoice);
  if (closed) return closed;
  if (link.expiresAt !== null && link.expiresAt <= facts.now) return "expired";
  if (facts.collecting) return "collecting";
  if (facts.attemptSoon) return "attempt_soon";
  if (facts.confirming) return "confirming";
  if (facts.organisationReadOnly) return "account";
  if (facts.monthlyLimitReached) return "quota";
  return facts.gatewayAvailable ? null : "gateway";
}

/** The return URL with `reference` and `status` in its query (interface 4.2, behaviour 3). */
export const outcomeUrl = (returnUrl: string, reference: string, status: "complete" | "failed" | "cancelled"): string =>
  withQuery(returnUrl, { reference, status });
