// Writes nothing. Reads: document_parties, document_views.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How the particulars on documents are handed over and erased. */
export const DOCUMENT_RECORD = record({
  held: {
    "document-particulars": (tx, customer) =>
      part`from document_parties t where t.organisation_id = ${tx.organisation} and t.document_id = any (${subjectsOf(tx, customer)})`,
    "document-views": (tx, customer) =>
      part`from document_views t where t.organisation_id = ${tx.organisation} and t.document_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    document_views: {
      plain: "document_id",
      rows: "document_id = any (subjects)",
    },
    document_parties: {
      plain: "document_id supplier_company_name supplier_address supplier_vat_number",
      columns: {
        first_name: keptByTaxLaw("null"),
        last_name: keptByTaxLaw("null"),
        company: keptByTaxLaw("null"),
        address: keptByTaxLaw("null"),
        vat_number: keptByTaxLaw("null"),
        email: keptByTaxLaw("null"),
      },
      rows: "document_id = any (subjects)",
    },
  },
});
