import pg from "pg";
import { organisationId } from "./names.ts";

/*
 * The floor of a batch of debits: for another organisation with the same mandates, the rows that the service has
 * written for its batch, by one statement for each table and step, over one connection. The rows are prepared in
 * temporary tables before.
 */

/** The rows that the service has written for its batch, by table. */
const WRITTEN = {
  debit_batches: "",
  transactions: "",
  debits: "",
  sandbox_debit_batches: "",
  sandbox_payments: "",
  journal_entries: "",
  journal_lines: "",
  gateway_notifications: "",
  event_subjects: "",
  events: "",
  mandates: "and next_debit_date <> first_debit_date",
} as const;
type Table = keyof typeof WRITTEN;

/** The values of a row before the batch was settled, where they differ. */
const AT_FIRST: Partial<Record<Table, Readonly<Record<string, string>>>> = {
  debit_batches: { status: "'open'", batch_ref: "null", submitted_at: "null" },
  transactions: { status: "'pending'", paid_at: "null", fee_cents: "null", provider_ref: "null" },
  sandbox_debit_batches: { status: "'open'", reported: "0", submitted_at: "null" },
  sandbox_payments: { status: "'pending'", decided_at: "null", fee_cents: "null" },
};

/** Columns that a later step changes. */
const CHANGED: Partial<Record<Table, readonly string[]>> = {
  debit_batches: ["status", "batch_ref", "submitted_at"],
  transactions: ["status", "paid_at", "fee_cents", "provider_ref"],
  sandbox_debit_batches: ["status", "reported", "submitted_at"],
  sandbox_payments: ["status", "decided_at", "fee_cents", "details"],
};

/**
 * One transaction each, the states that survive the end of a process: made, sent, accepted by the gateway, settled
 * there, results applied.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    insert("debit_batches"),
    insert("transactions"),
    insert("debits"),
    updateMandates(["last_debit_date", "next_debit_date", "last_action_date"]),
  ],
  [insert("sandbox_debit_batches"), insert("sandbox_payments")],
  [update("debit_batches"), update("sandbox_debit_batches")],
  [update("sandbox_payments")],
  [
    update("transactions"),
    updateMandates(["last_collected_at", "failure_count"]),
    insert("journal_entries"),
    insert("journal_lines"),
    insert("event_subjects"),
    insert("events"),
    // Due in a year, so that no process does it.
    `insert into due_work (organisation_id, kind, subject, lane, due_at)
     select :organisation, 'event.react', id, 'event.react', now() + interval '1 year' from written_events`,
    insert("gateway_notifications"),
  ],
  // The work of the events: leased, and completed.
  [
    `update due_work set attempts = 1, lease_token = 'floor', lease_until = now() + interval '30 seconds'
      where organisation_id = :organisation and kind = 'event.react'`,
  ],
  ["delete from due_work where organisation_id = :organisation and kind = 'event.react'"],
];

/** Placeholders of the statements, filled in for each table: its columns, and the values of a new row. */
function insert(table: Table): string {
  return `insert into ${table} (:columns of ${table}) select :values of ${table} from written_${table}`;
}

function update(table: Table): string {
  const changes = (CHANGED[table] ?? []).map((column) => `${column} = w.${column}`);
  return `update ${table} t set ${changes.join(", ")} from written_${table} w where t.organisation_id = :organisation and t.id = w.id`;
}

function updateMandates(columns: readonly string[]): string {
  const changes = columns.map((column) => `${column} = w.${column}`).join(", ");
  return `update mandates t set ${changes}, updated_at = w.updated_at from written_mandates w
    where t.organisation_id = :organisation and t.id = w.id`;
}

/** Seconds for writing for organisation `to` the rows that the service has written for `from`, without the reading of these. */
export async function debitFloor(url: string, from: number, to: number): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo bench floor" });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>("select id from gateway_accounts where organisation_id = $1", [
      organisationId(to),
    ]);
    const filled = new Map<string, string>([[":organisation", `'${organisationId(to)}'`]]);
    for (const [table, condition] of Object.entries(WRITTEN)) {
      await client.query(
        `create temporary table written_${table} as select * from ${table} where organisation_id = '${organisationId(from)}' ${condition}`,
      );
      await client.query(`analyze written_${table}`);
      const { fields } = await client.query(`select * from written_${table} limit 0`);
      const columns = fields.map(({ name }) => name);
      const values = columns.map((column) => {
        if (column === "organisation_id") return `'${organisationId(to)}'`;
        if (["gateway_account_id", "account_id"].includes(column) && rows[0])
          return `case when ${column} is not null then '${rows[0].id}' end`;
        return AT_FIRST[table as Table]?.[column] ?? column;
      });
      filled.set(`:columns of ${table}`, columns.join(", "));
      filled.set(`:values of ${table}`, values.join(", "));
    }
    const fill = (statement: string) =>
      [...filled].reduceRight((text, [name, value]) => text.replaceAll(name, value), statement);
    const steps = STEPS.map((statements) => ["begin", ...statements.map(fill), "commit"]);
    await client.query("checkpoint");
    const began = performance.now();
    for (const statement of steps.flat()) await client.query(statement);
    return (performance.now() - began) / 1000;
  } finally {
    await client.end();
  }
}
