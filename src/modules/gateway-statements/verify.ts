// Writes nothing. Reads: gateway_accounts, gateway_statement_lines, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { STATEMENTS_READ } from "./declarations.ts";

/** Lines that wait are applied by due work of their account. */
const lines = examination(
  "gateway_accounts",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id from gateway_accounts where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'statements_awaited' as rule, 'true' as expected, 'false' as found from part p
       where exists (select from gateway_statement_lines l
                      where l.organisation_id = ${tx.organisation} and l.gateway_account_id = p.id and l.status = 'waiting')
         and not exists (select from due_work w
                          where w.organisation_id = ${tx.organisation} and w.kind = ${STATEMENTS_READ.kind} and w.subject = p.id))`,
);

/** What `verify` recomputes. */
export const gatewayStatementExaminations: readonly Examination[] = [lines];
