import { fromRand } from "../../kernel/money.ts";
import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { CardChargeStatus } from "./types.ts";

/** Interface 8.2: the most that one charge of a saved card may be. */
export const CHARGE_MAX_RAND = 1_000_000;
/** The same in cents. */
export const CHARGE_MAX = fromRand(CHARGE_MAX_RAND);
/** Interface 8.2: charges of one organisation through the API in a minute of real time. */
export const CHARGES_A_MINUTE = 60;
/** Interface 8.2: charges of one customer's cards on a South African day, through pages and the API together. */
export const CHARGES_A_DAY = 10;

/** What a gateway reports of a charge. */
export type CardChargeAction = "complete" | "fail";

const MOVES: MoveTable<CardChargeStatus, CardChargeAction> = {
  pending: { complete: "complete", fail: "failed" },
  failed: { complete: "complete", fail: "failed" },
  complete: {},
};

/** Interface 3.8; a success that is reported after a failure replaces it, as for every payment (interface 3.1). */
export const moveCardCharge = movesOf(MOVES);
