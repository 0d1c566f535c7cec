// Writes: revisions (by the functions that erase). Reads: gateway_subscriptions, mandate_agreements, mandates.

import { erased } from "../../domain/erasure.ts";
import { record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How earlier versions of records are handed over and erased. */
export const REVISION_RECORD = record({
  held: {
    "earlier-versions": (tx, customer) =>
      part`from revisions t where t.organisation_id = ${tx.organisation} and t.subject = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    erasures: {
      plain: "customer_id erased kept",
    },
    retention: {
      plain: "what reached",
    },
    revisions: {
      plain: "subject",
      columns: {
        facts: erased(`facts || (select coalesce(jsonb_object_agg(e.key, e.value), '{}')
          from jsonb_each('{"holder_name": null, "fingerprint": null, "payer_email": null, "payer_name": "erased",
          "email": "erased", "metadata": {}}') e where facts ? e.key)`),
      },
      rows: "subject = any (subjects)",
      counted: "revisions",
      also: [
        `update revisions r set facts = r.facts || '{"description": null}' from gateway_subscriptions g
     where r.organisation_id = p_organisation and g.organisation_id = p_organisation and g.id = r.subject and g.id = any (subjects)`,
      ],
      alsoKept: [
        `delete from revisions r where r.organisation_id = p_organisation and r.subject = any (subjects)
       and r.number < (select max(s.number) from revisions s where s.organisation_id = p_organisation and s.subject = r.subject)`,
        `update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(m) -> f.key)
                                                    from jsonb_object_keys(r.facts) f(key))
      from mandates m where r.organisation_id = p_organisation and m.organisation_id = p_organisation
          and m.id = r.subject and m.customer_id = p_customer`,
        `update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(a) -> f.key)
                                                    from jsonb_object_keys(r.facts) f(key))
      from mandate_agreements a where r.organisation_id = p_organisation and a.organisation_id = p_organisation and a.id = r.subject
       and a.id = any (subjects)`,
      ],
    },
  },
});
