import type { Instant } from "../../kernel/time.ts";
import { withQuery } from "../../kernel/urls.ts";
import type { PaymentLink } from "./types.ts";

/** Why a link cannot be paid (interface 3.2); the page shows it as a sentence. */
export type Unavailable =
  | "paid"
  | "cancelled"
  | "deactivated"
  | "expired"
  | "collecting"
  | "account"
  | "quota"
  | "gateway";

/** Facts of other records that decide whether a link can be paid. */
export interface LinkFacts {
  readonly now: Instant;
  readonly organisationReadOnly: boolean;
  readonly monthlyLimitReached: boolean;
  readonly gatewayAvailable: boolean;
  /** Whether the service is collecting the invoice automatically, from a saved card or by debit order: a payment here would pay it twice. */
  readonly collecting: boolean;
  /** The invoice that the link pays; null when it pays none. */
  readonly invoice: { readonly status: string } | null;
}

/** Why the link cannot be paid now, the first reason that applies; null when it can (interface 3.2). */
export function whyUnavailable(
  link: Pick<PaymentLink, "active" | "singleUse" | "paidCount" | "expiresAt" | "collectsBalance">,
  facts: LinkFacts,
): Unavailable | null {
  if (facts.invoice?.status === "paid") return "paid";
  if (facts.invoice?.status === "cancelled") return "cancelled";
  if (link.singleUse && link.paidCount > 0 && !link.collectsBalance) return "paid";
  if (!link.active) return "deactivated";
  if (link.expiresAt !== null && link.expiresAt <= facts.now) return "expired";
  if (facts.collecting) return "collecting";
  if (facts.organisationReadOnly) return "account";
  if (facts.monthlyLimitReached) return "quota";
  return facts.gatewayAvailable ? null : "gateway";
}

/** The return URL with `reference` and `status` in its query (interface 4.2, behaviour 3). */
export const outcomeUrl = (returnUrl: string, reference: string, status: "complete" | "failed" | "cancelled"): string =>
  withQuery(returnUrl, { reference, status });
