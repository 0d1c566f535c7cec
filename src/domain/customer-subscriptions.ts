import { type Part, part, type Tx } from "../platform/database.ts";
import type { CustomerSubscriptionsRow } from "./rows.ts";

type Status = CustomerSubscriptionsRow["status"];

/** Whether it has ended; only a reactivation follows. */
export const hasEnded = ({ status }: { readonly status: Status }): boolean =>
  status === "cancelled" || status === "expired";

/** The same statuses in SQL: `s.status ${IN_ENDED}`. */
export const IN_ENDED = part`in ('cancelled', 'expired')`;

/** The bills `b` of customer subscriptions; conditions follow. */
export const fromBills = (tx: Tx): Part =>
  part`from customer_subscription_bills b where b.organisation_id = ${tx.organisation}`;

/** The ids, as `any (…)` takes them, of the invoices whose collection failed and is retried. */
export const retriedInvoices = (tx: Tx): Part => part`
  array(select k.invoice_id from subscription_collections k
    where k.organisation_id = ${tx.organisation} and k.missed_at is not null and k.ended is null)`;
