import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { GatewaySubscriptionStatus } from "./types.ts";

export type SubscriptionAction = "pause" | "resume" | "cancel";

const MOVES: MoveTable<GatewaySubscriptionStatus, SubscriptionAction> = {
  pending: {},
  active: { pause: "paused", resume: "active", cancel: "cancelled" },
  past_due: { pause: "paused", resume: "past_due", cancel: "cancelled" },
  paused: { pause: "paused", resume: "active", cancel: "cancelled" },
  cancelled: { cancel: "cancelled" },
};

/** The status that an action leads to (interface 3.12). The present status: the action has taken effect before. Null: it is refused. */
export const moveSubscription = movesOf(MOVES);
