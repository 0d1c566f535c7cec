import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { CardStatus } from "./types.ts";

export type CardAction = "save" | "renew" | "expire" | "fail" | "remove";

const MOVES: MoveTable<CardStatus, CardAction> = {
  active: { save: "active", renew: "active", expire: "expired", fail: "failed", remove: "removed" },
  expired: { save: "active", renew: "active", fail: "failed", remove: "removed" },
  failed: { save: "active", renew: "failed", fail: "failed", remove: "removed" },
  removed: { save: "active" },
};

/** Interface 3.6. */
export const moveCard = movesOf(MOVES);
