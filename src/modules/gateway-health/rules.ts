import { type Instant, secondsBetween } from "../../kernel/time.ts";
import type { GatewayHealth } from "./types.ts";

/** After this many calls in a row without a clear answer the gateway counts as down. */
const IN_A_ROW = 3;
/** Seconds after the last of these calls in which the gateway counts as down; after them it is offered and tried as before. */
export const DOWN_SECONDS = 300;

/**
 * Whether a gateway counts as down at `now`, by the machine's clock (decisions.md#gateways-that-are-down): payers are then offered the
 * others first.
 */
export const isDown = (
  { inARow, lastAt }: Pick<GatewayHealth["unclear"], "inARow" | "lastAt">,
  now: Instant,
): boolean => inARow >= IN_A_ROW && lastAt !== null && secondsBetween(lastAt, now) < DOWN_SECONDS;

/** `failing`: the last call had no clear answer, or several, some time ago. */
export const standingOf = (unclear: GatewayHealth["unclear"], now: Instant): "up" | "failing" | "down" =>
  isDown(unclear, now) ? "down" : unclear.inARow > 0 ? "failing" : "up";
