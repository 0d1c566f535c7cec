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

/** The status that an action leads to, or null (interface 3.10). To cancel again changes nothing. */
export const moveEftOrder = movesOf(MOVES);

/** Statuses that expire; an order in review waits for staff (interface 3.10). */
export const EXPIRING: readonly EftStatus[] = ["awaiting_payment", "rejected"];

/**
 * The order's status at `now`: expired from its expiry on (decisions.md#expiry-is-read), even when the work that stores this has not run
 * yet.
 */
export const statusAt = ({ status, expiresAt }: Pick<EftOrder, "status" | "expiresAt">, now: Instant): EftStatus =>
  EXPIRING.includes(status) && expiresAt <= now ? "expired" : status;

/** The order with its status at `now`. */
export const asOf = <Order extends EftOrder>(order: Order, now: Instant): Order => ({
  ...order,
  status: statusAt(order, now),
});
