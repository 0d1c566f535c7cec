// Writes nothing. Reads: subscription_migrations, customer_subscriptions, gateway_subscriptions, card_setups.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Migrations against their subscriptions (interface 4.7): one whose subscription has started was authorised, and has
 * the card that was confirmed, or runs at its gateway when it was begun before.
 */
const migrations = examination(
  "subscription_migrations",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, customer_subscription_id, gateway_subscription_id, legacy_reference,
             card_setup_id, amount_cents, frequency
        from subscription_migrations where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select m.id, r.rule, r.expected, r.found from part m
        left join gateway_subscriptions g on g.organisation_id = ${tx.organisation} and g.id = m.gateway_subscription_id
        left join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = m.customer_subscription_id
        left join card_setups c on c.organisation_id = ${tx.organisation} and c.id = m.card_setup_id
       cross join lateral (values
        ('migration_begun', (m.status in ('authorised', 'legacy_cancelled'))::text,
           (coalesce(g.link_key, s.card_id) is not null
             or coalesce(s.status <> 'pending' and s.collection_method in ('debit_order', 'invoice'), false))::text, true),
        ('migration_waits', (m.status = 'link_sent')::text, (coalesce(g.status, s.status) = 'pending')::text, true),
        ('migration_customer', m.customer_id, coalesce(g.customer_id, s.customer_id), true),
        ('migration_reference', m.legacy_reference, g.external_reference, m.gateway_subscription_id is not null),
        ('migration_collected', 'gateway', s.collection_method, m.customer_subscription_id is not null and m.status = 'link_sent'),
        ('migration_terms', concat_ws(' ', m.amount_cents, m.frequency),
           concat_ws(' ', s.state -> 'terms' -> 'price' ->> 'amount', s.state -> 'terms' -> 'price' ->> 'frequency'),
           m.customer_subscription_id is not null and m.status = 'link_sent'),
        ('migration_page', m.customer_id, c.customer_id, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each migration equals its last revision by the service. */
const revisedMigrations = revised(
  "subscription_migrations",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from subscription_migrations t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const subscriptionMigrationExaminations: readonly Examination[] = [migrations, revisedMigrations];
