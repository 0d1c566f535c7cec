import { addDays, calendarDay } from "../src/kernel/time.ts";
import { actionDateAt } from "../src/modules/debit-batches/rules.ts";
import { ACCOUNT_NUMBER_COLUMN } from "../src/modules/mandates/store.ts";
import { machineNow } from "../src/platform/machine-clock.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { organisationId, sqlCustomerId } from "./names.ts";
import type { BenchServer } from "./server.ts";

/** Debits of the batch that is measured. */
export const DEBITS = 50_000;
/** Business days between the daily work and the action date, as in the default settings. */
const CUT_OFF_DAYS = 2;

/** The action date of debits that are added to a batch today. */
export const actionDate = () => actionDateAt(calendarDay(machineNow()), CUT_OFF_DAYS);

/**
 * Mandates of an organisation, each of a customer of its own: `debits` that are due, and `idle` that are not due for a
 * year. All have one bank account, sealed once.
 */
export async function fillMandates(
  { query, secretKey }: BenchServer,
  url: string,
  organisation: number,
  { debits, idle }: { readonly debits: number; readonly idle: number },
): Promise<void> {
  const id = organisationId(organisation);
  const secrets = createSecrets({ current: secretKey, previous: [] });
  const sealed = secrets.seal("62900417701", { organisation: id, column: ACCOUNT_NUMBER_COLUMN });
  const [due, later] = [actionDate(), addDays(actionDate(), 365)];
  // The same ids in each organisation, so that its rows can be computed from those of another.
  const holder = sqlCustomerId("0", "n");
  const date = `case when n < ${debits} then '${due}' else '${later}' end::date`;
  await query(
    url,
    `set session_replication_role = replica;
     insert into customers (organisation_id, id, account_code, first_name, last_name, created_at, updated_at)
     select '${id}', ${holder}, 'C-' || right(${holder}, 8), 'Thandi', 'Nkosi', now(), now() from generate_series(0, ${debits + idle - 1}) n;
     insert into mandates (organisation_id, id, account_reference, customer_id, gateway_account_id, status, authority, description, amount_cents,
       frequency, debit_day, start_date, first_debit_date, next_debit_date, branch_code, account_type, account_holder, account_number_sealed,
       account_number_last4, authorised_at, created_at, updated_at)
     select '${id}', 'mandate_' || lpad((n * 7919::bigint % 1000003)::text, 16, '0') || lpad(n::text, 10, '0'), 'DO' || lpad(to_hex(n), 10, '0'), ${holder}, g.id,
       'active', 'offline', 'Gym membership', 35050, 'monthly', extract(day from ${date}), ${date}, ${date}, ${date}, '250655', 'current', 'T Nkosi',
       '${sealed}', '7701', now(), now(), now()
       from generate_series(0, ${debits + idle - 1}) n cross join gateway_accounts g where g.organisation_id = '${id}';`,
  );
  await query(url, "vacuum analyze customers, mandates");
  await query(url, "checkpoint");
}
