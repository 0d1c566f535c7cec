import { newEventId, newId } from "../src/platform/new-id.ts";
import { CUSTOMERS, sqlClaim, sqlCustomerId, sqlInvoiceId, sqlOrganisationId } from "./names.ts";

/* The floors of invoicing, as floor-sql.ts has those of payment links. */

const ORGANISATION = sqlOrganisationId(":n::int");
/** The large organisation has more customers; requests do not wait for the same customer. */
const CUSTOMER = sqlCustomerId(":n::int", `:u::bigint % ${CUSTOMERS}`);
const UNIQUE = "lpad(:u::bigint::text, 26, '0')";
const INVOICE = `'inv_' || ${UNIQUE}`;
const ENTRY = `'jrn_' || ${UNIQUE}`;
/** As long as the replies that the service stores. */
const REPLY_LENGTH = 1500;
/** As long as the data of an event of such an invoice. */
const EVENT_LENGTH = 1400;
const TIME = "2026-01-01 00.00.00.000";
/** The audit entry of a new invoice; no colon before a letter or a digit, which pgbench would take for a variable. */
const AFTER = {
  id: "inv_00000000000000000000000000",
  number: "INV-000001",
  status: "sent",
  externalReference: null,
  customer: { id: "cus_00000000000000000000000000", externalReference: "customer-00000001", email: null },
  currency: "ZAR",
  issueDate: TIME,
  dueDate: TIME,
  lines: [1, 2, 3].map((quantity) => ({
    description: "School books, zero-rated",
    quantity,
    unitPrice: 250,
    taxRate: 0,
    amount: 250,
  })),
  subtotal: 1049.7,
  taxAmount: 119.96,
  total: 1169.66,
  amountPaid: 0,
  amountDue: 1169.66,
  paidAt: null,
  payUrl: `https${"x".repeat(90)}`,
  notes: null,
  metadata: {},
  createdAt: TIME,
  updatedAt: TIME,
};

/**
 * An invoice of three lines that is sent: it has a number, a pay link, its entry in the books, its event, and the work of
 * its due date. The key's window is counted in a separate transaction, as in the service, so that requests wait only for the
 * row of numbers.
 */
export function invoiceCreateScript(admit: string): readonly string[] {
  const event = `'${newEventId().slice(0, 17)}' || lpad(:u::bigint::text, 19, '0')`;
  return [
    admit,
    "begin",
    `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
    sqlClaim(ORGANISATION, "'/api/v1/invoices'"),
    `select * from customers where organisation_id = ${ORGANISATION} and id = ${CUSTOMER} for no key update`,
    `select settings from organisation_settings where organisation_id = ${ORGANISATION}`,
    `select * from gateway_accounts where organisation_id = ${ORGANISATION} order by id`,
    `select * from credit_notes where organisation_id = ${ORGANISATION} and customer_id = ${CUSTOMER} and remaining_cents > 0`,
    `insert into document_numbers as n (organisation_id, kind, last_number) values (${ORGANISATION}, 'invoice', 1)
   on conflict (organisation_id, kind) do update set last_number = n.last_number + 1`,
    `insert into invoices (organisation_id, id, number, status, customer_id, currency, issue_date, due_date, tax_inclusive, subtotal_cents,
     tax_cents, total_cents, issued_at, sent_at, created_at, updated_at)
   select ${ORGANISATION}, ${INVOICE}, 'INV-' || lpad(last_number::text, 6, '0'), 'sent', ${CUSTOMER}, 'ZAR', current_date, current_date + 14,
     false, 104970, 11996, 116966, clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp()
     from document_numbers where organisation_id = ${ORGANISATION} and kind = 'invoice'`,
    `insert into invoice_lines (organisation_id, invoice_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
   select ${ORGANISATION}, ${INVOICE}, n.* from (values (1::smallint, 'Monthly plan', 1, 500, 15, 50000, 7500),
     (2::smallint, 'Extra seats', 3, 99.9, 15, 29970, 4496), (3::smallint, 'School books, zero-rated', 1, 250, 0, 25000, 0)) n`,
    `insert into payment_links (organisation_id, id, title, amount_cents, currency, single_use, customer_id, invoice_id, collects_balance,
     issued_by, created_at)
   values (${ORGANISATION}, 'plink_' || ${UNIQUE}, 'Invoice INV-000001', 116966, 'ZAR', true, ${CUSTOMER}, ${INVOICE}, true,
     'key_00000000000000000000000000', clock_timestamp())`,
    `insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
   values (${ORGANISATION}, ${ENTRY}, 'invoice', ${INVOICE}, clock_timestamp(), 'Invoice INV-000001')`,
    `insert into journal_lines (organisation_id, entry_id, line, account, customer_id, amount_cents, currency, occurred_at)
   values (${ORGANISATION}, ${ENTRY}, 1, 'receivable', ${CUSTOMER}, 116966, 'ZAR', clock_timestamp()),
     (${ORGANISATION}, ${ENTRY}, 2, 'revenue', ${CUSTOMER}, -104970, 'ZAR', clock_timestamp()),
     (${ORGANISATION}, ${ENTRY}, 3, 'vat_output', null, -11996, 'ZAR', clock_timestamp())`,
    `insert into document_parties (organisation_id, document_id, supplier_company_name, first_name, last_name, company, address, vat_number, email)
   select organisation_id, ${INVOICE}, 'Bench (Pty) Ltd', first_name, last_name, company, address, vat_number, email
     from customers where organisation_id = ${ORGANISATION} and id = ${CUSTOMER}`,
    `insert into event_subjects (organisation_id, subject, last_sequence) values (${ORGANISATION}, ${INVOICE}, 1)`,
    `insert into events (organisation_id, id, type, subject, sequence, data, created_at)
   values (${ORGANISATION}, ${event}, 'invoice.sent', ${INVOICE}, 1, json_build_object('x', repeat('x', ${EVENT_LENGTH})), clock_timestamp())`,
    `select enqueue_due_work('invoice.overdue', ${INVOICE}, clock_timestamp() + interval '15 days', 'invoice.overdue'),
     enqueue_due_work('invoice.remind', ${INVOICE}, clock_timestamp() + interval '11 days', 'invoice.remind')`,
    `insert into audit_log (organisation_id, id, at, actor_kind, actor_id, ip, request_id, action, subject, after)
   values (${ORGANISATION}, '${newId("aud").slice(0, 14)}' || lpad(:u::bigint::text, 16, '0'), clock_timestamp(), 'key',
     'key_00000000000000000000000000', '127.0.0.1', 'req_00000000000000000000000000', 'POST /invoices', ${INVOICE}, '${JSON.stringify(AFTER, null, 1)}')`,
    `update idempotency_keys set status = 201, reply_sealed = repeat('x', ${REPLY_LENGTH})
    where organisation_id = ${ORGANISATION} and key = 'floor' || :u::bigint and method = 'POST' and path = '/api/v1/invoices'
      and recorded_at = date_trunc('day', clock_timestamp(), 'UTC')`,
    "commit",
  ];
}

/** An invoice with all data of its answer. */
export const invoiceGetScript = (admit: string): readonly string[] => [
  "begin",
  admit,
  `select i.*, c.external_reference as customer_reference, c.email as customer_email,
     (select l.id from payment_links l
       where l.organisation_id = i.organisation_id and l.invoice_id = i.id and l.collects_balance and l.active) as pay_link_id,
     (select json_agg(n order by n.line) from invoice_lines n where n.organisation_id = i.organisation_id and n.invoice_id = i.id) as lines
     from invoices i join customers c on c.organisation_id = i.organisation_id and c.id = i.customer_id
    where i.organisation_id = ${ORGANISATION} and i.id = ${sqlInvoiceId(":n::int", `:u::bigint % ${CUSTOMERS}`)}`,
  "commit",
];
