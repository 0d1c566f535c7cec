import { newEventId, newId } from "../src/platform/new-id.ts";
import { SUBSCRIBERS, sqlClaim, sqlCustomerId, sqlOrganisationId } from "./names.ts";

/* The floor of creating a customer subscription, as floor-sql.ts has those of payment links. */

const ORGANISATION = sqlOrganisationId(":n::int");
const CUSTOMER = sqlCustomerId(":n::int", `:u::bigint % ${SUBSCRIBERS}`);
const UNIQUE = "lpad(:u::bigint::text, 26, '0')";
const SUBSCRIPTION = `'csub_' || ${UNIQUE}`;
const INVOICE = `'inv_' || ${UNIQUE}`;
const ENTRY = `'jrn_' || ${UNIQUE}`;
const BILL = "customer_subscription.bill";
/** As long as the replies that the service stores. */
const REPLY_LENGTH = 1500;
/** As long as the state of a subscription, the lines of a bill, an event and an entry of the audit log. */
const [STATE_LENGTH, LINES_LENGTH, EVENT_LENGTH, ENTRY_LENGTH] = [1100, 900, 2700, 1400];
const json = (length: number) => `json_build_object('x', repeat('x', ${length}))`;

/** An event of the subscription, the first or the second. */
const event = (id: string, type: string, sequence: number) =>
  `insert into events (organisation_id, id, type, subject, sequence, data, created_at)
   values (${ORGANISATION}, ${id}, '${type}', ${SUBSCRIPTION}, ${sequence}, ${json(EVENT_LENGTH)}, clock_timestamp())`;

/**
 * A subscription to a plan with one add-on, collected by invoice and billed at once: an invoice of two lines with its number, pay link and
 * entry in the books, and two events.
 */
export function subscriptionCreateScript(admit: string): readonly string[] {
  const events = [0, 1].map((place) => `'${newEventId().slice(0, 16)}${place}' || lpad(:u::bigint::text, 19, '0')`);
  const [created = "", activated = ""] = events;
  return [
    admit,
    "begin",
    `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
    sqlClaim(ORGANISATION, "'/api/v1/customer-subscriptions'"),
    `insert into document_numbers as n (organisation_id, kind, last_number) values (${ORGANISATION}, 'invoice', 1)
     on conflict (organisation_id, kind) do update set last_number = n.last_number + 1`,
    `select * from customers where organisation_id = ${ORGANISATION} and id = ${CUSTOMER} for no key update`,
    `select p.*, v.*, k.name from plans p join plan_versions v on v.organisation_id = p.organisation_id and v.id = p.plan_version_id
       join packages k on k.organisation_id = p.organisation_id and k.id = p.package_id
      where p.organisation_id = ${ORGANISATION} and p.id = 'plan_' || repeat('0', 26)`,
    `select settings from organisation_settings where organisation_id = ${ORGANISATION}`,
    `select * from gateway_accounts where organisation_id = ${ORGANISATION} order by id`,
    `insert into customer_subscriptions (organisation_id, id, status, customer_id, plan_id, plan_version_id, collection_method, metadata, state,
       next_due, mrr_cents, created_at, updated_at)
     values (${ORGANISATION}, ${SUBSCRIPTION}, 'active', ${CUSTOMER}, 'plan_' || repeat('0', 26), 'plv_' || repeat('0', 26), 'invoice', '{}',
       ${json(STATE_LENGTH)}, current_date + 30, 79870, clock_timestamp(), clock_timestamp())`,
    `insert into customer_subscription_movements (organisation_id, id, customer_subscription_id, kind, currency, amount_cents, happened_at)
     values (${ORGANISATION}, 'mrm_' || ${UNIQUE}, ${SUBSCRIPTION}, 'new', 'ZAR', 79870, clock_timestamp())`,
    `insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
     values (${ORGANISATION}, ${ENTRY}, 'invoice', ${INVOICE}, clock_timestamp(), 'Invoice INV-000001')`,
    `insert into journal_lines (organisation_id, entry_id, line, account, customer_id, amount_cents, currency, occurred_at)
     values (${ORGANISATION}, ${ENTRY}, 1, 'receivable', ${CUSTOMER}, 91851, 'ZAR', clock_timestamp()),
       (${ORGANISATION}, ${ENTRY}, 2, 'revenue', ${CUSTOMER}, -79870, 'ZAR', clock_timestamp()),
       (${ORGANISATION}, ${ENTRY}, 3, 'vat_output', null, -11981, 'ZAR', clock_timestamp())`,
    `insert into customer_balances as b (organisation_id, customer_id, currency, receivable_cents, posted) values (${ORGANISATION}, ${CUSTOMER}, 'ZAR', 91851, true)
     on conflict (organisation_id, customer_id, currency) do update set receivable_cents = b.receivable_cents + excluded.receivable_cents`,
    `insert into invoices (organisation_id, id, number, status, customer_id, currency, issue_date, due_date, tax_inclusive, subtotal_cents,
       tax_cents, total_cents, period_start, period_end, issued_at, sent_at, created_at, updated_at)
     select ${ORGANISATION}, ${INVOICE}, 'INV-' || lpad(last_number::text, 6, '0'), 'sent', ${CUSTOMER}, 'ZAR', current_date, current_date + 14,
       false, 79870, 11981, 91851, current_date, current_date + 29, clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp()
       from document_numbers where organisation_id = ${ORGANISATION} and kind = 'invoice'`,
    `insert into invoice_lines (organisation_id, invoice_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
     select ${ORGANISATION}, ${INVOICE}, n.* from (values (1::smallint, 'Gold', 1, 499, 15, 49900, 7485), (2::smallint, 'Extra seat', 3, 99.9, 15, 29970, 4496)) n`,
    `insert into open_invoice_totals as t (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
     values (${ORGANISATION}, ${CUSTOMER}, 'ZAR', current_date + 14, 1, 91851)
     on conflict (organisation_id, customer_id, currency, due_date) do update
       set open_invoices = t.open_invoices + excluded.open_invoices, open_cents = t.open_cents + excluded.open_cents`,
    `insert into payment_links (organisation_id, id, title, amount_cents, currency, single_use, customer_id, invoice_id, collects_balance,
       issued_by, created_at)
     values (${ORGANISATION}, 'plink_' || ${UNIQUE}, 'Invoice INV-000001', 91851, 'ZAR', true, ${CUSTOMER}, ${INVOICE}, true,
       'key_00000000000000000000000000', clock_timestamp())`,
    `insert into document_parties (organisation_id, document_id, supplier_company_name, first_name, last_name, company, address, vat_number, email)
     select organisation_id, ${INVOICE}, 'Bench (Pty) Ltd', first_name, last_name, company, address, vat_number, email
       from customers where organisation_id = ${ORGANISATION} and id = ${CUSTOMER}`,
    `insert into customer_subscription_bills (organisation_id, id, customer_subscription_id, kind, cycle, billed_on, period_start, period_next,
       subtotal_cents, tax_cents, total_cents, lines, invoice_id, created_at)
     values (${ORGANISATION}, 'csb_' || ${UNIQUE}, ${SUBSCRIPTION}, 'first', 1, current_date, current_date, current_date + 30, 79870, 11981, 91851,
       ${json(LINES_LENGTH)}, ${INVOICE}, clock_timestamp())`,
    `insert into event_subjects (organisation_id, subject, last_sequence) values (${ORGANISATION}, ${SUBSCRIPTION}, 2)`,
    event(created, "subscription.created", 1),
    event(activated, "subscription.activated", 2),
    `select enqueue_due_work('invoice.overdue', ${INVOICE}, clock_timestamp() + interval '15 days', 'invoice.overdue'),
       enqueue_due_work('${BILL}', ${SUBSCRIPTION}, clock_timestamp() + interval '30 days', '${BILL}'),
       enqueue_due_work('event.react', ${created}, clock_timestamp() + interval '1 day', 'event.react'),
       enqueue_due_work('event.react', ${activated}, clock_timestamp() + interval '1 day', 'event.react')`,
    `insert into audit_log (organisation_id, id, at, actor_kind, actor_id, ip, request_id, action, subject, after)
     values (${ORGANISATION}, '${newId("aud").slice(0, 14)}' || lpad(:u::bigint::text, 16, '0'), clock_timestamp(), 'key',
       'key_00000000000000000000000000', '127.0.0.1', 'req_00000000000000000000000000', 'POST /customer-subscriptions', ${SUBSCRIPTION},
       ${json(ENTRY_LENGTH)})`,
    `update idempotency_keys set status = 201, reply_sealed = repeat('x', ${REPLY_LENGTH})
      where organisation_id = ${ORGANISATION} and key = 'floor' || :u::bigint and method = 'POST' and path = '/api/v1/customer-subscriptions'
        and recorded_at = date_trunc('day', clock_timestamp(), 'UTC')`,
    "commit",
  ];
}
