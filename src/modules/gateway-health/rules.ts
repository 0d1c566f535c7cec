import { type Instant, secondsBetween } from "../../kernel/time.ts";
import type { GatewayHealth } from "./types.ts";

/** So many calls without a clear answer, one after the other, and the gateway is taken to be down. */
const IN_A_ROW = 3;
/** Seconds after the last of them for which it is: then it is offered as before, and tried. */
export const DOWN_SECONDS = 300;

/** Whether a gateway is taken to be down at `now`, by the machine's clock: payers are then offered the others first. */
export const isDown = (
  { inARow, lastAt }: Pick<GatewayHealth["unclear"], "inARow" | "lastAt">,
  now: Instant,
): boolean => inARow >= IN_A_ROW && lastAt !== null && secondsBetween(lastAt, now) < DOWN_SECONDS;

/** `failing`: the last call had no clear answer, or several, some time ago. */
export const standingOf = (unclear: GatewayHealth["unclear"], now: Instant): "up" | "failing" | "down" =>
  isDown(unclear, now) ? "down" : unclear.inARow > 0 ? "failing" : "up";
