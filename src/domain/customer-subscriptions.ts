import { part } from "../platform/database.ts";
import type { CustomerSubscriptionsRow } from "./rows.ts";

type Status = CustomerSubscriptionsRow["status"];

/** Whether it has ended; only a reactivation follows. */
export const hasEnded = ({ status }: { readonly status: Status }): boolean =>
  status === "cancelled" || status === "expired";

/** The same statuses in SQL: `s.status ${IN_ENDED}`. */
export const IN_ENDED = part`in ('cancelled', 'expired')`;
