import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { Mandate, MandateStage, MandateStatus } from "./types.ts";

export type MandateAction = "activate" | "pause" | "resume" | "cancel" | "reject";

const MOVES: MoveTable<MandateStatus, MandateAction> = {
  pending: { activate: "active", cancel: "cancelled", reject: "cancelled" },
  active: { pause: "paused", cancel: "cancelled" },
  paused: { resume: "active", cancel: "cancelled" },
  cancelled: {},
};

/** The status that an action leads to, or null (interface 3.5). */
export const moveMandate = movesOf(MOVES);

/** The facts that decide the stage. */
type Staged = Pick<Mandate, "status" | "authorisedAt" | "approvedAt" | "rejectedAt">;

/** Interface 3.5. */
export function stageOf({ status, authorisedAt, approvedAt, rejectedAt }: Staged): MandateStage {
  if (status === "cancelled") return rejectedAt === null ? "cancelled" : "rejected";
  if (status !== "pending") return status;
  if (authorisedAt === null) return "awaiting_signature";
  return approvedAt === null ? "awaiting_approval" : "pending";
}
