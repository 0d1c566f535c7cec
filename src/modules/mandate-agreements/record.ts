// Writes nothing. Reads: mandate_agreements, mandates.

import { joinMandate } from "../../domain/joins.ts";
import { keptAsProof } from "../../domain/personal-data.ts";
import { type NameRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How mandate agreements are named, handed over and erased. */
export const AGREEMENT_RECORD = record({
  kinds: [
    {
      prefix: "agr",
      permission: "mandates:read",
      path: "/mandates",
      names: (tx, ids) => tx.sql<NameRow>`
        select a.id, m.account_reference as name, m.id as target
          from mandate_agreements a ${joinMandate(tx, part`a.mandate_id`)}
         where a.organisation_id = ${tx.organisation} and a.id = any (${ids})`,
    },
  ],
  held: {
    "mandate-agreements": (tx, customer) =>
      part`from mandate_agreements t where t.organisation_id = ${tx.organisation} and t.id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    mandate_agreements: {
      plain: "id mandate_id status token_hash",
      columns: {
        document: keptAsProof("'erased'"),
        notes: keptAsProof("null"),
        signer_name: keptAsProof("null"),
        signer_address: keptAsProof("null"),
        signer_user_agent: keptAsProof("null"),
        consent_text: keptAsProof(),
        document_sha256: keptAsProof("sha256('erased')"),
      },
      rows: "id = any (subjects)",
      subjects: `select a.id from mandates m join mandate_agreements a on a.organisation_id = p_organisation and a.mandate_id = m.id
     where m.organisation_id = p_organisation and m.customer_id = p_customer`,
    },
  },
});
