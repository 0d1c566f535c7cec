import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { Instant } from "../../kernel/time.ts";
import type { CheckoutSession, CheckoutStatus } from "./types.ts";

export type CheckoutAction = "complete" | "fail" | "expire";

const MOVES: MoveTable<CheckoutStatus, CheckoutAction> = {
  pending: { complete: "completed", fail: "failed", expire: "expired" },
  failed: { complete: "completed", fail: "failed", expire: "expired" },
  expired: { complete: "completed" },
  completed: {},
};

/** Interface 3.9. */
export const moveCheckout = movesOf(MOVES);

/** The session with its status at `now`: past its end it is expired, even when the work that stores this has not run yet. */
export const asOf = <Session extends Pick<CheckoutSession, "status" | "expiresAt">>(
  session: Session,
  now: Instant,
): Session =>
  (session.status === "pending" || session.status === "failed") && session.expiresAt <= now
    ? { ...session, status: "expired" }
    : session;

/** Whether a payer may still check out with it. */
export const isOpen = ({ status }: Pick<CheckoutSession, "status">): boolean =>
  status === "pending" || status === "failed";
