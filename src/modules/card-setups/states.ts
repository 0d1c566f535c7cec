import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { Instant } from "../../kernel/time.ts";
import type { CardSetup, CardSetupStatus } from "./types.ts";

export type CardSetupAction = "card_saved" | "attempt_without_card" | "expire";

const MOVES: MoveTable<CardSetupStatus, CardSetupAction> = {
  pending: { card_saved: "completed", attempt_without_card: "pending", expire: "expired" },
  completed: {},
  expired: {},
};

/** Interface 3.7. */
export const moveCardSetup = movesOf(MOVES);

/** The session with its status at `now`: past its end it is expired, even when the work that stores this has not run yet. */
export const asOf = (setup: CardSetup, now: Instant): CardSetup =>
  setup.status === "pending" && setup.expiresAt <= now ? { ...setup, status: "expired" } : setup;
