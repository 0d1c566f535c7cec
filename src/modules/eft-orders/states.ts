import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { Instant } from "../../kernel/time.ts";
import type { EftOrder, EftStatus } from "./types.ts";

export type EftAction = "upload" | "approve" | "reject" | "expire" | "cancel";

const MOVES: MoveTable<EftStatus, EftAction> = {
  awaiting_payment: { upload: "awaiting_review", approve: "paid", expire: "expired", cancel: "cancelled" },
  awaiting_review: { upload: "awaiting_review", approve: "paid", reject: "rejected", cancel: "cancelled" },
  rejected: { upload: "awaiting_review", approve: "paid", expire: "expired", cancel: "cancelled" },
  paid: {},
  expired: { approve: "paid" },
  cancelled: { cancel: "cancelled" },
};

/** Interface 3.10. Cancelling again changes nothing. */
export const moveEftOrder = movesOf(MOVES);

/** Statuses that end when expiry passes; an order in review waits for staff (interface 3.10). */
export const EXPIRING: readonly EftStatus[] = ["awaiting_payment", "rejected"];

/** The order's status at `now`: past its expiry it is expired, also while the work that records it is still to be done. */
export const statusAt = ({ status, expiresAt }: Pick<EftOrder, "status" | "expiresAt">, now: Instant): EftStatus =>
  EXPIRING.includes(status) && expiresAt <= now ? "expired" : status;

/** The order as it stands at `now`. */
export const asOf = <Order extends EftOrder>(order: Order, now: Instant): Order => ({
  ...order,
  status: statusAt(order, now),
});
