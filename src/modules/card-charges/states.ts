import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { CardChargeStatus } from "./types.ts";

/** What a gateway reports of a charge. */
export type CardChargeAction = "complete" | "fail";

const MOVES: MoveTable<CardChargeStatus, CardChargeAction> = {
  pending: { complete: "complete", fail: "failed" },
  failed: { complete: "complete", fail: "failed" },
  complete: {},
};

/** Interface 3.8; a success that is reported after a failure replaces it, as for every payment (interface 3.1). */
export const moveCardCharge = movesOf(MOVES);
