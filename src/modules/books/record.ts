// Writes: journal_entries (by the functions that erase). Reads: journal_lines, credit_notes, reconciliation_allocations.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How the books are handed over and erased. */
export const BOOK_RECORD = record({
  held: {
    "journal-entries": (tx, customer) =>
      part`from journal_entries t where t.organisation_id = ${tx.organisation}
          and t.id in (select l.entry_id from journal_lines l where l.organisation_id = ${tx.organisation}
                       and l.customer_id = ${customer})`,
    "journal-lines": (tx, customer) =>
      part`from journal_lines t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    customer_balances: {
      plain: "customer_id currency",
    },
    journal_entries: {
      plain: "id kind subject",
      columns: {
        description: keptByTaxLaw(),
      },
      alsoKept: [
        `update journal_entries e set description = 'Credit note ' || n.number || ': erased' from credit_notes n
     where e.organisation_id = p_organisation and n.organisation_id = p_organisation and e.kind = 'credit_note'
       and e.subject = n.id and n.id = any (subjects)`,
        `update journal_entries set description = subject where organisation_id = p_organisation and kind = 'payment'
            and subject = any (subjects)`,
        `update journal_entries set description = 'Credit paid out'
     where organisation_id = p_organisation and kind = 'credit_refund' and subject = any (subjects)`,
        `update journal_entries set description = 'Bank statement: erased'
     where organisation_id = p_organisation and kind = 'bank_match'
       and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a
                       where a.organisation_id = p_organisation and a.item_id = any (lines))`,
        `update journal_entries set description = 'Undone: Bank statement: erased'
     where organisation_id = p_organisation and kind = 'bank_match_reversal'
       and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a
                       where a.organisation_id = p_organisation and a.item_id = any (lines))`,
      ],
    },
    journal_lines: {
      plain: "entry_id account customer_id currency gateway_account_id",
    },
  },
});
