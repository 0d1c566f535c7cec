import type { Refund } from "../../domain/refunds.ts";
import type { Cents } from "../../kernel/money.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";

/** Whether the gateway has reported the refund's outcome; a processed refund may still be reported as failed later. */
export const isDecided = ({ status }: Pick<Refund, "status">): boolean => status === "processed" || status === "failed";

/** When the gateway is next asked about an undecided refund: after a minute, then in growing intervals, at least once a day. */
export const nextCheck = (createdAt: Instant, now: Instant): Instant =>
  addSeconds(now, Math.min(DAY_SECONDS, 60 + secondsBetween(createdAt, now)));

/** What a gateway tells of a refund that is named by none of our ids. */
interface Told {
  readonly kind: "processed" | "pending" | "refused";
  readonly providerRefundRef: string | null;
  readonly amount: Cents | null;
}

/**
 * Whether a report that names a refund by none of our ids, nor by an id of the gateway's that is known, may be about
 * this refund of the payment. A refund that was recorded by hand may be the one that the gateway tells of. One that
 * failed was not made, unless the report is an older one of the same refund.
 */
export function mayBe(refund: Refund, { kind, providerRefundRef, amount }: Told): boolean {
  if (amount !== null && refund.amount !== amount) return false;
  if (providerRefundRef !== null && refund.providerRef !== null) return false;
  if (refund.method === "manual") return kind !== "refused";
  return refund.status !== "failed" || kind === "refused" || (kind === "pending" && providerRefundRef === null);
}
