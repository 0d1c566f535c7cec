// Writes nothing. Reads: cards, card_charges, transactions, due_work.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { CARD_EXPIRE } from "./declarations.ts";

/** Saved cards (interface 2.9, 3.6): a removed one is no default; an active one with an expiry has due work for it. */
const cards = examination(
  "cards",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, is_default, expiry_month, last_used_at from cards
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('card_default', 'false', p.is_default::text, p.status = 'removed'),
        ('card_used', exists (select from card_charges c join transactions t on t.organisation_id = ${tx.organisation}
                              and t.id = c.transaction_id
           where c.organisation_id = ${tx.organisation} and c.card_id = p.id and t.paid_at is not null)::text,
           (p.last_used_at is not null)::text, true),
        ('card_expiry_awaited', (p.status = 'active' and p.expiry_month is not null)::text, exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${CARD_EXPIRE.kind} and w.subject = p.id)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each card equals its last revision by the service. */
const revisedCards = revised(
  "cards",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from cards t where t.organisation_id = ${tx.organisation} and t.id > ${after}
     order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const cardExaminations: readonly Examination[] = [cards, revisedCards];
