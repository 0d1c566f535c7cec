import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";

/** Whether the gateway has reported the refund's outcome; a processed refund may still be reported as failed later. */
export const isDecided = ({ status }: Pick<Refund, "status">): boolean => status === "processed" || status === "failed";

/** When the gateway is next asked about an undecided refund: after a minute, then in growing intervals, at least once a day. */
export const nextCheck = (createdAt: Instant, now: Instant): Instant =>
  addSeconds(now, Math.min(DAY_SECONDS, 60 + secondsBetween(createdAt, now)));
