import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";

/** Whether the gateway has said how the refund ended; a processed one may still turn out to have failed. */
export const isDecided = ({ status }: Pick<Refund, "status">): boolean => status === "processed" || status === "failed";

/** When the gateway is next asked about an undecided refund: after a minute, then ever less often, once a day at least. */
export const nextCheck = (createdAt: Instant, now: Instant): Instant =>
  addSeconds(now, Math.min(DAY_SECONDS, 60 + secondsBetween(createdAt, now)));
