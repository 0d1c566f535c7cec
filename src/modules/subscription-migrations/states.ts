import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { MigrationStatus } from "./types.ts";

export type MigrationAction = "send_link" | "authorise" | "cancel_legacy" | "cancel";

const MOVES: MoveTable<MigrationStatus, MigrationAction> = {
  link_sent: { send_link: "link_sent", authorise: "authorised", cancel: "cancelled" },
  authorised: { cancel_legacy: "legacy_cancelled" },
  legacy_cancelled: { cancel_legacy: "legacy_cancelled" },
  cancelled: { cancel: "cancelled" },
};

/** Where an action leads (interface 4.7); null when it is refused. */
export const moveMigration = movesOf(MOVES);
