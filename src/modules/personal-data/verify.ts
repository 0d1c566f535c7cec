// Writes nothing. Reads: erasures, customers, document_parties, invoices, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { ERASE_KEPT } from "./declarations.ts";

/** Erased customers: no record identifies them, and the records that were kept are erased after their time. */
const erasures = examination(
  "erasures",
  (tx, { after, limit }) => part`
    with part as materialized (
      select customer_id as id, kept_until, kept_erased_at from erasures
       where organisation_id = ${tx.organisation} and customer_id > ${after} order by customer_id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join customers c on c.organisation_id = ${tx.organisation} and c.id = p.id
       cross join lateral (values
        ('erased_customer', '0', num_nonnulls(c.external_reference, c.email, c.first_name, c.last_name, c.company, c.vat_number, c.phone,
           c.address)::text, true),
        ('erased_inactive', 'false', c.active::text, true),
        ('kept_awaited', (p.kept_until is not null and p.kept_erased_at is null)::text, exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${ERASE_KEPT.kind} and w.subject = p.id)::text, true),
        ('kept_erased', '0', (select count(*) from invoices i join document_parties d
           on d.organisation_id = ${tx.organisation} and d.document_id = i.id
               and num_nonnulls(d.first_name, d.last_name, d.company, d.address, d.email) > 0
          where i.organisation_id = ${tx.organisation} and i.customer_id = p.id)::text, p.kept_erased_at is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const erasureExaminations: readonly Examination[] = [erasures];
