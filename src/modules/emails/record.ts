// Writes nothing. Reads: emails.

import { fromCustomer } from "../../domain/customer-name.ts";
import { erased } from "../../domain/erasure.ts";
import { type NameRow, type RelatedRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";
import { forgottenWork } from "../../platform/due-work.ts";
import { MAIL_COMPOSE, MAIL_SEND } from "./declarations.ts";

/** How emails are named, related, handed over and erased. */
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
        select array_agg(lower(c.email)) ${fromCustomer(tx, customer)}))`,
  },
  tables: {
    emails: {
      plain: "id dedupe_key kind about",
      columns: {
        recipients: erased("'{}'"),
        reply_to: erased(),
        from_name: erased("''"),
        subject: erased("''"),
        text_body: erased("''"),
        html_body: erased("''"),
        facts: erased(),
        secret_sealed: erased(),
        error: erased(),
        status: erased("case when status in ('queued', 'sending') then 'recorded' else status end"),
      },
      rows: "(about = any (subjects) or recipients && array[mail])",
      counted: "mails",
      before: [
        forgottenWork(
          [MAIL_SEND, MAIL_COMPOSE],
          `select m.id from emails m where m.organisation_id = p_organisation
              and (m.about = any (subjects) or m.recipients && array[mail])`,
        ),
      ],
    },
  },
});
