import type { Instant } from "../../kernel/time.ts";
import type { PaymentLink } from "./types.ts";

/** Why a link cannot be paid (interface 3.2); the page says it in words. */
export type Unavailable = "paid" | "cancelled" | "deactivated" | "expired" | "account" | "quota" | "gateway";

/** Facts that a link's page and its payment depend on, from other records. */
export interface LinkFacts {
  readonly now: Instant;
  readonly organisationReadOnly: boolean;
  readonly monthlyLimitReached: boolean;
  readonly gatewayAvailable: boolean;
  /** Of the invoice it pays; null when it pays none. */
  readonly invoice: { readonly status: string } | null;
}

/** Interface 3.2: null while the link can be paid. The payer is told the first reason that holds. */
export function whyUnavailable(
  link: Pick<PaymentLink, "active" | "singleUse" | "paidCount" | "expiresAt" | "collectsBalance">,
  facts: LinkFacts,
): Unavailable | null {
  if (facts.invoice?.status === "paid") return "paid";
  if (facts.invoice?.status === "cancelled") return "cancelled";
  if (link.singleUse && link.paidCount > 0 && !link.collectsBalance) return "paid";
  if (!link.active) return "deactivated";
  if (link.expiresAt !== null && link.expiresAt <= facts.now) return "expired";
  if (facts.organisationReadOnly) return "account";
  if (facts.monthlyLimitReached) return "quota";
  return facts.gatewayAvailable ? null : "gateway";
}

/**
 * Interface 4.2, behaviour 3: the return URL with `reference` and `status` at the end of its query, in place of any that it had; the rest
 * of it as the merchant wrote it. In the form that a header takes.
 */
export function outcomeUrl(returnUrl: string, reference: string, status: "complete" | "failed" | "cancelled"): string {
  const [address = "", query = ""] = returnUrl.split(/\?(.*)/s);
  const kept = query.split("&").filter((part) => part !== "" && !isOutcome(part));
  const all = [...kept, `reference=${encodeURIComponent(reference)}`, `status=${status}`];
  return new URL(`${address}?${all.join("&")}`).href;
}

/** Whoever reads the query takes the first of a name, so the merchant's own would stand in for ours. */
const isOutcome = (part: string): boolean => {
  const given = new URLSearchParams(part);
  return given.has("reference") || given.has("status");
};
