import { addDays, calendarDay } from "../src/kernel/time.ts";
import { CREDENTIALS_COLUMN } from "../src/modules/gateway-accounts/store.ts";
import { machineNow } from "../src/platform/machine-clock.ts";
import { newEventId, newId } from "../src/platform/new-id.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { dueOn, fillCatalogue, VERSION } from "./fill-subscriptions.ts";
import { LARGE, organisationId, PACKAGE_ID, PLAN_ID, sqlCustomerId, sqlTransactionId } from "./names.ts";
import type { BenchServer } from "./server.ts";

/** How many records of each kind the organisation `LARGE` has. */
export const LIST_ROWS = 1_000_000;
/** Customers and payments that the records are of. */
const OWNERS = 1_000;
/** Over which the records are spread; the newest are of now. */
const DAYS = 365;

const ORGANISATION = `'${organisationId(LARGE)}'`;
const OWNER = (n: string) => `(${n} % ${OWNERS})`;
const CUSTOMER = sqlCustomerId(String(LARGE), OWNER("n"));
const AT = `(now() - (${LIST_ROWS} - n) * (interval '${DAYS} days' / ${LIST_ROWS}))`;
/** An id of the time at which the record was made. */
const ID = (prefix: string) => `first_id_at('${prefix}', at) || lpad(n::text, 16, '0')`;
/** An id of now, as ids of tables that are divided by time have partitions for. */
const ID_OF_NOW = (prefix: string) =>
  `'${newId(prefix as "whd").slice(0, prefix.length + 11)}' || lpad(n::text, 16, '0')`;
/** The same of an event's, which is hexadecimal. */
const EVENT_ID = (n: string) => `'${newEventId().slice(0, 16)}' || lpad((${n})::text, 20, '0')`;
const ROWS = `(select n, ${AT} as at from generate_series(1, ${LIST_ROWS}) n) r`;

const OWNED = `
  insert into customers (organisation_id, id, account_code, email, standing, created_at, updated_at)
  select ${ORGANISATION}, ${CUSTOMER}, 'C-' || lpad(n::text, 8, '0'), 'payer' || n || '@bench.example', 'good', now(), now()
    from generate_series(0, ${OWNERS - 1}) n on conflict do nothing;
  insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox,
    description, customer_id, paid_at, created_at)
  select ${ORGANISATION}, ${sqlTransactionId(String(LARGE), "n")}, 'TEFO-' || n, 'complete', 19900, 'ZAR', 'card_debit', g.id, g.type, true,
    'Monthly plan', ${CUSTOMER}, now(), now()
    from generate_series(0, ${OWNERS - 1}) n cross join lateral (
      select id, type from gateway_accounts where organisation_id = ${ORGANISATION} order by id limit 1) g;`;

/** The bank transfer account of the EFT orders; also that of mandates, of which no list shows it. */
const ACCOUNT = `gw_${"0".repeat(26)}`;

/** SQL that inserts it. */
function transferAccount(secretKey: string): string {
  const bank = {
    bankName: "FNB",
    accountName: "Bench",
    accountNumber: "62900417701",
    branchCode: "250655",
    accountType: "current",
  };
  const organisation = organisationId(LARGE);
  const sealed = createSecrets({ current: secretKey, previous: [] }).seal(JSON.stringify(bank), {
    organisation,
    column: CREDENTIALS_COLUMN,
  });
  return `insert into gateway_accounts (organisation_id, id, type, name, mode, enabled, credentials_sealed, currencies, created_at, updated_at)
    values (${ORGANISATION}, '${ACCOUNT}', 'manual_eft', 'Bank', 'live', true, '${sealed}', '{ZAR}', now(), now());`;
}

/** Of a value that is common and one that one record in ten thousand has. */
const RARELY = (rare: string, common: string) => `case when n % 10000 = 7 then ${rare} else ${common} end`;

/** On which all subscriptions are billed next. */
const NEXT = addDays(calendarDay(machineNow()), 20);

/** What is written to each table; `at` is the time of record `n`. */
const FILLS: Readonly<Record<string, string>> = {
  customer_subscriptions: `insert into customer_subscriptions (organisation_id, id, status, customer_id, plan_id, plan_version_id, collection_method, metadata, state, next_due,
      paused_at, created_at, updated_at)
    select ${ORGANISATION}, ${ID("csub")}, ${RARELY("'paused'", "'active'")}, ${CUSTOMER}, '${PLAN_ID}', '${VERSION}', 'invoice', '{}', '${JSON.stringify(dueOn(NEXT, false))}', '${NEXT}',
      ${RARELY("at", "null")}, at, at from ${ROWS}`,
  events: `insert into events (organisation_id, id, type, subject, sequence, data, created_at)
    select ${ORGANISATION}, ${EVENT_ID("n")}, ${RARELY("'dispute.closed'", "'payment.complete'")}, 'txn_' || n % 100000, 1, '{"amount": 199}', now() from ${ROWS}`,
  webhook_deliveries: `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, created_at)
    select ${ORGANISATION}, ${ID_OF_NOW("whd")}, ${EVENT_ID("n")}, ${RARELY("'dispute.closed'", "'payment.complete'")}, 'txn', ${RARELY("'we_rare'", "'we_common'")}, '{}',
      ${RARELY("'parked'", "'delivered'")}, now() from ${ROWS}`,
  request_log: `insert into request_log (organisation_id, id, at, method, path, parameters, status, error, duration_ms, key_id, key_prefix, request_body)
    select ${ORGANISATION}, ${ID_OF_NOW("req")}, now(), 'POST', '/api/v1/invoices', '', case when n % 20 = 3 then ${RARELY("409", "400")} else 201 end,
      case when n % 20 = 3 then 'invalid_request' end, 12, ${RARELY("'key_rare'", "'key_common'")}, '00000001',
      '{"customerId":"cus_00000000000000000000000001","lines":[{"description":"…","quantity":1,"unitPrice":199}],"send":true}' from ${ROWS}`,
  usage_events: `insert into usage_events (organisation_id, id, event_id, customer_subscription_id, item_id, item, quantity, at, properties, late, received_at)
    select ${ORGANISATION}, ${ID("uev")}, 'event-' || n, 'csub_' || lpad((n % 1000)::text, 26, '0'), 'csi_1', 'calls', 1, at, '{}', n % 10000 = 7, at from ${ROWS}`,
  credit_notes: `insert into credit_notes (organisation_id, id, number, status, customer_id, currency, tax_cents, amount_cents, remaining_cents, reason, created_at, updated_at)
    select ${ORGANISATION}, ${ID("cn")}, 'CN-' || n, 'issued', ${CUSTOMER}, 'ZAR', 0, 5000, 5000, 'Goodwill', at, at from ${ROWS}`,
  disputes: `insert into disputes (organisation_id, id, transaction_id, customer_id, gateway_dispute_id, amount_cents, currency, reason, status, opened_at, closed_at, created_at)
    select ${ORGANISATION}, ${ID("dsp")}, ${sqlTransactionId(String(LARGE), OWNER("n"))}, ${CUSTOMER}, 'dp-' || n, 19900, 'ZAR', 'fraudulent', ${RARELY("'won'", "'lost'")}, at, at, at from ${ROWS}`,
  quotes: `insert into quotes (organisation_id, id, number, status, customer_id, currency, issue_date, tax_inclusive, subtotal_cents, tax_cents, total_cents, created_at, updated_at)
    select ${ORGANISATION}, ${ID("quo")}, 'QUO-' || n, ${RARELY("'accepted'", "'sent'")}, ${CUSTOMER}, 'ZAR', at::date, false, 10000 + n, 0, 10000 + n, at, at from ${ROWS}`,
  quote_lines: `insert into quote_lines (organisation_id, quote_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
    select organisation_id, id, 1, 'Work', 1, subtotal_cents / 100.0, 0, subtotal_cents, 0 from quotes where organisation_id = ${ORGANISATION}`,
  eft_orders: `insert into eft_orders (organisation_id, id, reference, status, amount_cents, currency, external_reference, customer_id, gateway_account_id, expires_at, created_at)
    select ${ORGANISATION}, ${ID("eft")}, 'EFT' || n, ${RARELY("'rejected'", "'expired'")}, 19900, 'ZAR', 'order-' || n, ${CUSTOMER}, '${ACCOUNT}', at, at from ${ROWS}`,
  checkout_sessions: `insert into checkout_sessions (organisation_id, id, status, source, package_id, plan_id, prefill, metadata, expires_at, created_at, updated_at)
    select ${ORGANISATION}, ${ID("chk")}, ${RARELY("'failed'", "'expired'")}, 'api', '${PACKAGE_ID}', '${PLAN_ID}', '{}', '{}', at, at, at from ${ROWS}`,
  mandates: `insert into mandates (organisation_id, id, account_reference, customer_id, gateway_account_id, status, authority, description, amount_cents, frequency, debit_day, start_date,
      first_debit_date, branch_code, account_type, account_holder, account_number_sealed, account_number_last4, authorised_at, created_at, updated_at)
    select ${ORGANISATION}, ${ID("man")}, 'DO' || n, ${CUSTOMER}, '${ACCOUNT}', ${RARELY("'paused'", "'active'")}, 'offline', 'Monthly plan', 49900, 'monthly', 3, at::date, at::date,
      '250655', 'current', 'T Nkosi', 'sealed', '7701', at, at, at from ${ROWS}`,
  payment_links: `insert into payment_links (organisation_id, id, title, amount_cents, currency, external_reference, single_use, active, customer_id, created_at)
    select ${ORGANISATION}, ${ID("plink")}, 'Order', 19900, 'ZAR', 'order-' || n, true, ${RARELY("true", "false")}, ${CUSTOMER}, at from ${ROWS}`,
  gateway_subscriptions: `insert into gateway_subscriptions (organisation_id, id, status, frequency, amount_cents, currency, customer_id, external_reference, metadata, paused, paused_as_of,
      past_due, past_due_as_of, created_at, updated_at)
    select ${ORGANISATION}, ${ID("gsub")}, ${RARELY("'paused'", "'active'")}, 'monthly', 9900, 'ZAR', ${CUSTOMER}, 'gym-' || n, '{}', false, at, false, at, at, at from ${ROWS}`,
};

/** Writes a million records of each kind that is listed, without what the service writes beside them. */
export async function fillLists(server: BenchServer, url: string, say: (text: string) => void): Promise<void> {
  const { query, secretKey } = server;
  await fillCatalogue(server, url);
  await query(
    url,
    `set session_replication_role = replica; ${OWNED} ${transferAccount(secretKey)}
     -- Ids of a live organisation tell the time of their records, which the filters by time use.
     update organisations set sandbox = false where id = ${ORGANISATION};`,
  );
  for (const [table, insert] of Object.entries(FILLS)) {
    say(`writing a million ${table}`);
    await query(url, `set session_replication_role = replica; ${insert}`);
    await query(url, `vacuum analyze ${table}`);
  }
  await query(url, "checkpoint");
}
