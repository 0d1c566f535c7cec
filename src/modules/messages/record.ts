// Writes nothing. Reads: messages.

import { erased, KEPT_TO_HONOUR } from "../../domain/erasure.ts";
import { type NameRow, type RelatedRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";
import { forgottenWork } from "../../platform/due-work.ts";
import { MESSAGE_SEND } from "./declarations.ts";

/** How messages are named, related, handed over and erased. */
export const MESSAGE_RECORD = record({
  kinds: [
    {
      prefix: "msg",
      permission: "emails:read",
      path: "/messages",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, left(body, 60) as name, id as target from messages where organisation_id = ${tx.organisation} and id = any (${ids})`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from messages m cross join lateral (values ('about', m.about), ('customer', m.customer_id)) as r(relation, id)
         where m.organisation_id = ${tx.organisation} and m.id = ${id}`,
    },
  ],
  held: {
    messages: (tx, customer) => part`
      from messages t where t.organisation_id = ${tx.organisation}
        and (t.customer_id = ${customer} or t.about = any (${subjectsOf(tx, customer)}))`,
  },
  tables: {
    messages: {
      plain: "id channel kind about customer_id provider provider_ref",
      columns: {
        recipient: erased("''"),
        body: erased("''"),
        parts: erased(),
        error: erased(),
        status: erased("case when status in ('queued', 'sending') then 'failed' else status end"),
      },
      rows: "(about = any (subjects) or customer_id = p_customer)",
      counted: "messages",
      before: [
        forgottenWork(
          [MESSAGE_SEND],
          `select m.id from messages m where m.organisation_id = p_organisation
              and (m.about = any (subjects) or m.customer_id = p_customer)`,
        ),
      ],
    },
    message_accounts: {
      plain: "id channel provider credentials_sealed",
    },
    message_opt_outs: {
      columns: { phone: KEPT_TO_HONOUR },
    },
  },
});
