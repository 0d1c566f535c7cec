// Writes nothing. Reads: transactions.

import type { DeclineReason } from "../../../domain/decline-reasons.ts";
import { createdIn, type RecordFilter } from "../../../domain/lists.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../../platform/database.ts";
import type { AttemptMethod, AttemptOutcome, Attempts } from "../types.ts";

/** Conditions of how an attempt ended; those of declined ones are that of their index. */
const OUTCOMES: Readonly<Record<AttemptOutcome, Part>> = {
  declined: part`(status = 'failed' or decline_reason is not null)`,
  abandoned: part`status = 'cancelled'`,
  pending: part`status = 'pending'`,
  succeeded: part`paid_at is not null and decline_reason is null`,
};

/** Conditions of how a payment was attempted. A bank transfer is not attempted: no gateway or bank decides it. */
const METHODS: Readonly<Record<AttemptMethod, Part>> = {
  debit_order: part`type = 'debit_order'`,
  saved_card: part`type = 'card_debit'`,
  gateway_renewal: part`type = 'recurring' and renewal and payment_link_id is null`,
  checkout: part`type not in ('debit_order', 'card_debit', 'eft') and not (type = 'recurring' and renewal and payment_link_id is null)`,
};

/** The filters of attempts. */
export interface AttemptFilter {
  readonly method?: AttemptMethod | undefined;
  readonly gateway?: string | undefined;
  readonly outcome?: AttemptOutcome | undefined;
  readonly declineReason?: DeclineReason | undefined;
}

/** Condition: the filters of attempts. */
export const attempted = (query: AttemptFilter): Part => part`
  ${query.method ? part`and ${METHODS[query.method]}` : NOTHING}
  ${query.outcome ? part`and type <> 'eft' and ${OUTCOMES[query.outcome]}` : NOTHING}
  ${when(query.declineReason, (reason) => part`and ${OUTCOMES.declined} and coalesce(decline_reason, 'other') = ${reason}`)}
  ${when(query.gateway, (gateway) => part`and gateway_type = ${gateway}`)}`;

/** The attempts to pay that were begun in some time in a currency, by South African day and how they were made and ended. */
export const attemptsIn = (
  tx: Tx,
  { currency, ...created }: RecordFilter & { readonly currency: string },
): Promise<Attempts[]> => tx.sql<Attempts>`
  select day_of(created_at) as day, gateway_type as gateway,
         case when ${METHODS.debit_order} then 'debit_order' when ${METHODS.saved_card} then 'saved_card'
           when ${METHODS.gateway_renewal} then 'gateway_renewal' else 'checkout' end as method,
         case when ${OUTCOMES.declined} then 'declined' when ${OUTCOMES.abandoned} then 'abandoned'
           when ${OUTCOMES.pending} then 'pending' else 'succeeded' end as outcome,
         case when ${OUTCOMES.declined} then coalesce(decline_reason, 'other') end as reason,
         count(*)::integer as count, sum(amount_cents)::bigint as amount
    from transactions
   where organisation_id = ${tx.organisation} and type <> 'eft' and currency = ${currency}
     ${createdIn(created, "txn", { id: part`id`, createdAt: part`created_at` })}
   group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;
