// Writes nothing. Reads: customers, emails.

import { part } from "../../platform/database.ts";
import { type NameRow, type RelatedRow, record, subjectsOf } from "../../platform/records.ts";

/** How emails are named, found and related and handed over with a customer's data. */
export const EMAIL_RECORD = record({
  kinds: [
    {
      prefix: "mail",
      permission: "emails:read",
      path: "/emails",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, subject as name, id as target from emails where organisation_id = ${tx.organisation} and id = any (${ids})`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select 'about' as relation, e.about as id from emails e where e.organisation_id = ${tx.organisation} and e.id = ${id}`,
    },
  ],
  held: {
    mails: (tx, customer) => part`
      from emails t where t.organisation_id = ${tx.organisation} and (t.about = any (${subjectsOf(tx, customer)}) or t.recipients && (
        select array_agg(lower(c.email)) from customers c where c.organisation_id = ${tx.organisation} and c.id = ${customer}))`,
  },
});
