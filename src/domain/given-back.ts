import { type Part, part, type Tx } from "../platform/database.ts";

/* What was given back of the payment with an id, in cents, as parts of statements. */

/** Refunded; a refund that the gateway has not made yet counts. */
export const refundedOf = (tx: Tx, payment: Part): Part => part`
  coalesce((select sum(refunded.amount_cents) from refunds refunded
    where refunded.organisation_id = ${tx.organisation} and refunded.transaction_id = ${payment} and refunded.status <> 'failed'), 0)`;

/** Taken back by a bank, and posted. */
export const reversedOf = (tx: Tx, payment: Part): Part => part`
  coalesce((select sum(reversed.amount_cents) from reversals reversed
    where reversed.organisation_id = ${tx.organisation} and reversed.transaction_id = ${payment} and reversed.reversed_at is not null), 0)`;

/**
 * What was used of customers' credit, by the payment, the invoice's payment or the bank line that made it: paid out, or applied to an
 * invoice. `entry_kind` and `entry_subject` name the entry of the journal.
 */
export const creditUsed = (tx: Tx): Part => part`(
  select transaction_id, invoice_payment_id, match_id, match_place, amount_cents, 'credit_refund' as entry_kind,
         credit_refund_id as entry_subject from credit_refund_sources where organisation_id = ${tx.organisation}
  union all
  select transaction_id, invoice_payment_id, match_id, match_place, amount_cents, 'credit_use', id
    from credit_applications where organisation_id = ${tx.organisation})`;

/** Used of the credit that it left. */
export const usedOf = (tx: Tx, payment: Part): Part => part`
  coalesce((select sum(used.amount_cents) from ${creditUsed(tx)} used where used.transaction_id = ${payment}), 0)`;

/** Joins what was refunded or reversed of each payment, as `back`; for sums over many payments. */
export const leftJoinGivenBack = (tx: Tx, payment: Part): Part => part`
  left join (
    select given.transaction_id, sum(given.amount_cents) as cents from (
      select f.transaction_id, f.amount_cents from refunds f where f.organisation_id = ${tx.organisation} and f.status <> 'failed'
      union all
      select v.transaction_id, v.amount_cents from reversals v
       where v.organisation_id = ${tx.organisation} and v.reversed_at is not null) given
     group by given.transaction_id) back on back.transaction_id = ${payment}`;
