import pg from "pg";
import { newEventId, newId } from "../src/platform/new-id.ts";

/*
 * The floor of renewals: for copies of the subscriptions that the service has just billed, in the same organisations,
 * the rows that the service has written, in batches of 500, by one statement for each table, over one connection. The
 * rows are prepared in temporary tables before.
 */

const BATCH = 500;

/** The rows that the service has written, by table: how its rows `w` belong to the bill `b` of a subscription. */
const WRITTEN = {
  customer_subscriptions: "w.id = b.customer_subscription_id",
  customer_subscription_bills: "w.id = b.id",
  invoices: "w.id = b.invoice_id",
  invoice_lines: "w.invoice_id = b.invoice_id",
  payment_links: "w.invoice_id = b.invoice_id",
  document_parties: "w.document_id = b.invoice_id",
  journal_entries: "w.kind = 'invoice' and w.subject = b.invoice_id",
  journal_lines:
    "w.entry_id = (select e.id from journal_entries e where e.organisation_id = b.organisation_id and e.kind = 'invoice' and e.subject = b.invoice_id)",
  events: "w.subject = b.customer_subscription_id",
  webhook_deliveries: "w.subject = b.customer_subscription_id",
  due_work: "w.subject = b.invoice_id",
} as const;
type Table = keyof typeof WRITTEN;

/** The copy's id: each row is written once for a subscription, so its rank and the time identify it. */
const twin = (prefix: string) => `'${prefix}_:time' || lpad(w.rank::text, 16, '0')`;
const SUBSCRIPTION = "overlay(:column placing 't' from 6 for 1)";
const INVOICE = twin("inv");
const ENTRY = twin("jrn");
const EVENT = "':event' || lpad(w.rank::text, 20, '0')";

/** Columns of the copy's rows that differ; `:column` stands for the value that the service has written. */
const DIFFERENT: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
  customer_subscriptions: {},
  customer_subscription_bills: { id: twin("csb"), customer_subscription_id: SUBSCRIPTION, invoice_id: INVOICE },
  invoices: { id: INVOICE, number: ":column || 'F'" },
  invoice_lines: { invoice_id: INVOICE },
  payment_links: { id: twin("plink"), invoice_id: INVOICE },
  document_parties: { document_id: INVOICE },
  journal_entries: { id: ENTRY, subject: INVOICE },
  journal_lines: { entry_id: ENTRY },
  events: { id: EVENT, subject: SUBSCRIPTION },
  webhook_deliveries: { id: twin("whd"), event_id: EVENT, subject: SUBSCRIPTION },
  due_work: { subject: INVOICE },
};

/**
 * Statements of a batch, a transaction each: the due work is leased, and the subscriptions are billed; the work of the
 * events is leased, and completed. Due in a year, so that no process runs it.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    `update due_work d set attempts = 1, lease_token = 'floor', lease_until = now() + interval '30 seconds' from written_customer_subscriptions w
      where w.batch = :batch and d.organisation_id = w.organisation_id and d.kind = 'customer_subscription.bill' and d.subject = ${of("id", SUBSCRIPTION)}`,
  ],
  [
    `update customer_subscriptions s set state = w.state, next_due = w.next_due, updated_at = w.updated_at from written_customer_subscriptions w
      where w.batch = :batch and s.organisation_id = w.organisation_id and s.id = ${of("id", SUBSCRIPTION)}`,
    `update document_numbers d set last_number = last_number + w.count
       from (select organisation_id, count(*) from written_invoices where batch = :batch group by organisation_id) w
      where d.organisation_id = w.organisation_id and d.kind = 'invoice'`,
    insert("journal_entries"),
    insert("journal_lines"),
    `insert into customer_balances as b (organisation_id, customer_id, currency, receivable_cents, posted)
     select organisation_id, customer_id, currency, sum(total_cents), true from written_invoices where batch = :batch group by 1, 2, 3
     on conflict (organisation_id, customer_id, currency) do update set receivable_cents = b.receivable_cents + excluded.receivable_cents`,
    insert("invoices"),
    insert("invoice_lines"),
    `insert into open_invoice_totals as t (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
     select organisation_id, customer_id, currency, due_date, count(*), sum(total_cents) from written_invoices where batch = :batch group by 1, 2, 3, 4
     on conflict (organisation_id, customer_id, currency, due_date) do update
       set open_invoices = t.open_invoices + excluded.open_invoices, open_cents = t.open_cents + excluded.open_cents`,
    insert("payment_links"),
    insert("document_parties"),
    insert("customer_subscription_bills"),
    `insert into event_subjects (organisation_id, subject, last_sequence) select organisation_id, ${of("subject", SUBSCRIPTION)}, 1 from written_events w where batch = :batch`,
    insert("events"),
    `update due_work d set due_at = now() + interval '1 year', attempts = 0, lease_token = null, lease_until = null from written_customer_subscriptions w
      where w.batch = :batch and d.organisation_id = w.organisation_id and d.kind = 'customer_subscription.bill' and d.subject = ${of("id", SUBSCRIPTION)}`,
    insert("due_work"),
    work("event.react", EVENT, "events"),
  ],
  [
    `update due_work d set attempts = 1, lease_token = 'floor', lease_until = now() + interval '30 seconds' from written_events w
      where w.batch = :batch and d.organisation_id = w.organisation_id and d.kind = 'event.react' and d.subject = ${EVENT}`,
  ],
  [
    insert("webhook_deliveries"),
    work("webhook.deliver", twin("whd"), "webhook_deliveries"),
    `delete from due_work d using written_events w
      where w.batch = :batch and d.organisation_id = w.organisation_id and d.kind = 'event.react' and d.subject = ${EVENT}`,
  ],
];

function of(column: string, expression: string): string {
  return expression.replaceAll(":column", `w.${column}`);
}

/** Placeholders of the statement, filled in for each table: its columns, and the values of a new row. */
function insert(table: Table): string {
  return `insert into ${table} (:columns of ${table}) select :values of ${table} from written_${table} w where w.batch = :batch`;
}

function work(kind: string, subject: string, table: Table): string {
  return `insert into due_work (organisation_id, kind, subject, lane, due_at)
    select w.organisation_id, '${kind}', ${subject}, '${kind}', now() + interval '1 year' from written_${table} w where w.batch = :batch`;
}

/**
 * Seconds for writing for the copies (`t` in place of `d` in the tag) the rows that the service has written for
 * subscriptions with this tag.
 */
export async function renewalFloor(url: string, tag: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo bench floor" });
  await client.connect();
  try {
    await client.query(
      `create temporary table billed as
       select *, (rank - 1) / ${BATCH} as batch from (
         select organisation_id, id, customer_subscription_id, invoice_id, row_number() over (order by organisation_id, id) as rank
           from customer_subscription_bills where customer_subscription_id like 'csub\\_${tag}%') b`,
    );
    await client.query("analyze billed");
    const filled = new Map([
      [":time", newId("inv").slice(4, 14)],
      [":event", newEventId().slice(0, 16)],
    ]);
    for (const [table, condition] of Object.entries(WRITTEN)) {
      const { fields } = await client.query(`select * from ${table} limit 0`);
      const columns = fields.map(({ name }) => name);
      await client.query(
        `create temporary table written_${table} as
         select w.*, b.rank, b.batch from ${table} w join billed b on b.organisation_id = w.organisation_id and ${condition} order by b.rank`,
      );
      await client.query(`create index on written_${table} (batch)`);
      await client.query(`analyze written_${table}`);
      const values = columns.map((column) => of(column, DIFFERENT[table as Table][column] ?? ":column"));
      filled.set(`:columns of ${table}`, columns.join(", "));
      filled.set(`:values of ${table}`, values.join(", "));
    }
    const fill = (statement: string) =>
      [...filled].reduceRight((text, [name, value]) => text.replaceAll(name, value), statement);
    const steps = STEPS.flatMap((statements) => ["begin", ...statements.map(fill), "commit"]);
    const { rows } = await client.query<{ batches: number }>("select (max(batch) + 1)::integer as batches from billed");
    await client.query("checkpoint");
    const began = performance.now();
    for (let batch = 0; batch < (rows[0]?.batches ?? 0); batch++)
      for (const statement of steps) await client.query(statement.replaceAll(":batch", String(batch)));
    return (performance.now() - began) / 1000;
  } finally {
    await client.end();
  }
}
