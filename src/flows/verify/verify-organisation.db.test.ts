import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CARD_FAULTS } from "../../../test/support/card-organisation.ts";
import { CATALOGUE_FAULTS } from "../../../test/support/catalogue-organisation.ts";
import { CHARGE_FAULTS } from "../../../test/support/charged-cards.ts";
import { CHECKOUT_FAULTS } from "../../../test/support/checkout-organisation.ts";
import { CUSTOMER_SUBSCRIPTION_FAULTS } from "../../../test/support/customer-subscription-organisation.ts";
import { DISPUTE_FAULTS } from "../../../test/support/disputed-organisation.ts";
import { type ExaminedOrganisation, openExaminedOrganisation } from "../../../test/support/examined-organisation.ts";
import { EXTERNAL_FAULTS } from "../../../test/support/external-organisation.ts";
import { MANDATE_FAULTS } from "../../../test/support/mandate-organisation.ts";
import { MESSAGE_FAULTS } from "../../../test/support/messaged-organisation.ts";
import { INVOICE_FAULTS, type PlantedFault, SUM_FAULTS } from "../../../test/support/planted-faults.ts";
import { RECONCILIATION_FAULTS } from "../../../test/support/reconciled-organisation.ts";
import { SUBSCRIPTION_FAULTS } from "../../../test/support/subscribed-organisation.ts";
import { EXAMINATIONS } from "../../catalogue.ts";
import { calendarDay } from "../../kernel/time.ts";
import { Part, type Tx } from "../../platform/database.ts";
import { machineNow } from "../../platform/machine-clock.ts";

const of = (description: string) => `(select id from transactions where description = '${description}')`;
const reference = (description: string) => `(select reference from transactions where description = '${description}')`;
const payment = (description: string) =>
  `(select id from journal_entries where kind = 'payment' and subject = ${reference(description)})`;
const REFUND = `(select min(r.id) from refunds r where transaction_id = ${of("returned")})`;
const CREDIT_REFUND = `(select min(r.id) from refunds r where transaction_id = ${of("overpaid")})`;
const UNDONE = `(select id from refunds where transaction_id = ${of("undone")})`;
const TOLD_REFUND = `(select min(id) from gateway_notifications where fact ->> 'about' = 'refund')`;
const refund = (id: string, kind = "refund") =>
  `(select id from journal_entries where kind = '${kind}' and subject = ${id})`;
const ONCE = "(select id from payment_links where title = 'once')";
const delivery = (status: string) => `(select min(id) from webhook_deliveries where status = '${status}')`;
const mail = (kind: string) => `(select min(id) from emails where kind = '${kind}')`;
const lines = (entry: string, account: string, change: string) =>
  `update journal_lines set ${change} where entry_id = ${entry} and account = '${account}'`;

const PLANTED: readonly PlantedFault[] = [
  ["transactions.payment_entry", of("paid"), `delete from journal_entries where id = ${payment("paid")}`],
  [
    "transactions.payment_entry",
    of("pending"),
    `update journal_entries set subject = ${reference("pending")} where id = ${payment("paid")}`,
  ],
  [
    "transactions.payment_entry_received",
    of("paid"),
    lines(payment("paid"), "gateway_clearing", "amount_cents = amount_cents - 1"),
  ],
  [
    "transactions.payment_entry_fee",
    of("paid"),
    lines(payment("paid"), "gateway_fees", "amount_cents = amount_cents + 1"),
  ],
  [
    "transactions.payment_entry_credit",
    of("overpaid"),
    lines(payment("overpaid"), "customer_credit", "account = 'revenue'"),
  ],
  ["transactions.payment_entry_earned", of("paid"), lines(payment("paid"), "revenue", "account = 'refunds'")],
  [
    "transactions.payment_entry_currency",
    of("paid"),
    `update journal_lines set currency = 'USD' where entry_id = ${payment("paid")}`,
  ],
  [
    "transactions.payment_entry_date",
    of("paid"),
    `update journal_entries set occurred_at = occurred_at - interval '1 day' where id = ${payment("paid")}`,
  ],
  [
    "transactions.payment_entry_gateway_account",
    of("paid"),
    lines(payment("paid"), "gateway_fees", "gateway_account_id = null"),
  ],
  [
    "refunds.refund_entry_gateway_account",
    UNDONE,
    lines(refund(UNDONE), "gateway_clearing", "gateway_account_id = 'gw_other'"),
  ],
  [
    "journal_entries.entry_lines_date",
    payment("paid"),
    lines(payment("paid"), "revenue", "occurred_at = occurred_at - interval '1 s'"),
  ],
  ["transactions.pending_awaited", of("pending"), "delete from due_work where kind = 'payment.check'"],
  ["transactions.overpaid_flag", of("overpaid"), "update transactions set flags = '{}' where description = 'overpaid'"],
  ["transactions.overpaid_flag", of("paid"), "update transactions set flags = '{overpaid}' where description = 'paid'"],
  [
    "transactions.status_of_refunds",
    of("returned"),
    "update transactions set status = 'complete' where description = 'returned'",
  ],
  [
    "transactions.status_of_refunds",
    of("failed"),
    `update refunds set transaction_id = ${of("failed")} where id = ${REFUND}`,
  ],
  ["transactions.refunded_at_most", of("returned"), `update refunds set amount_cents = 30000 where id = ${REFUND}`],
  [
    "transactions.refunded_from_credit",
    of("overpaid"),
    lines(refund(CREDIT_REFUND), "customer_credit", "account = 'refunds'"),
  ],
  [
    "transactions.refunded_from_credit",
    of("undone"),
    lines(refund(UNDONE, "refund_reversal"), "refunds", "account = 'customer_credit'"),
  ],
  [
    "transactions.complete_event",
    of("paid"),
    `delete from events where type = 'payment.complete' and subject = ${reference("paid")}`,
  ],
  [
    "transactions.complete_event",
    of("failed"),
    `update events set type = 'payment.complete' where subject = ${reference("failed")}`,
  ],
  [
    "transactions.complete_event",
    of("paid"),
    `insert into events select organisation_id, id || '0', type, subject, 2, data, created_at from events where subject = ${reference("paid")}`,
  ],
  ["transactions.failed_event", of("failed"), `delete from events where type = 'payment.failed'`],
  ["transactions.cancelled_event", of("cancelled"), `delete from events where type = 'payment.cancelled'`],
  ["transactions.refund_events", of("returned"), `delete from events where type = 'payment.refunded'`],
  ["refunds.refund_entry", REFUND, `delete from journal_entries where id = ${refund(REFUND)}`],
  ["refunds.refund_entry_by_hand", REFUND, lines(refund(REFUND), "bank", "account = 'gateway_clearing'")],
  ["refunds.refund_entry_by_gateway", REFUND, lines(refund(REFUND), "bank", "account = 'gateway_clearing'")],
  ["refunds.refund_entry_given_back", REFUND, lines(refund(REFUND), "refunds", "account = 'revenue'")],
  [
    "refunds.refund_entry_currency",
    REFUND,
    `update journal_lines set currency = 'USD' where entry_id = ${refund(REFUND)}`,
  ],
  ["refunds.refund_currency", REFUND, `update refunds set currency = 'USD' where id = ${REFUND}`],
  ["refunds.refund_undone", UNDONE, "delete from journal_entries where kind = 'refund_reversal'"],
  [
    "told_refunds.refund_booked",
    TOLD_REFUND,
    `update gateway_notifications set outcome = 'unknown_reference', fact = fact || '{"kind": "processed", "providerRefundRef": "r9"}' where id = ${TOLD_REFUND}`,
  ],
  ["refunds.refund_awaited", REFUND, `update refunds set status = 'pending', processed_at = null where id = ${REFUND}`],
  [
    "journal_entries.entry_balances",
    payment("paid"),
    lines(payment("paid"), "revenue", "amount_cents = amount_cents + 1"),
  ],
  ["journal_entries.entry_has_lines", payment("paid"), `delete from journal_lines where entry_id = ${payment("paid")}`],
  [
    "journal_entries.entry_subject",
    "(select id from journal_entries where subject = 'nobody')",
    `update journal_entries set subject = 'nobody' where id = ${payment("paid")}`,
  ],
  [
    "journal_entries.reversal_whole",
    refund(UNDONE, "refund_reversal"),
    lines(refund(UNDONE, "refund_reversal"), "refunds", "account = 'revenue'"),
  ],
  ["payment_links.paid_count", ONCE, "update payment_links set paid_count = 1 where title = 'once'"],
  ["payment_links.used_up", ONCE, "update payment_links set active = true where title = 'once'"],
  [
    "payment_links.overpaid_after_first",
    ONCE,
    "update transactions set overpaid_cents = 0, flags = '{}' where description = 'overpaid'",
  ],
  [
    "customers.standing",
    "(select customer_id from transactions where description = 'paid')",
    "update customers set standing = 'owing'",
  ],
  [
    "customers.standing",
    "(select customer_id from transactions where description = 'paid')",
    lines(
      payment("paid"),
      "gateway_clearing",
      `account = 'receivable', customer_id = (select customer_id from transactions where description = 'paid')`,
    ),
  ],
  [
    "customers.credit",
    "(select customer_id from transactions where description = 'overpaid')",
    lines(payment("overpaid"), "customer_credit", "customer_id = null"),
  ],
  [
    "event_subjects.last_sequence",
    reference("paid"),
    `update event_subjects set last_sequence = 7 where subject = ${reference("paid")}`,
  ],
  [
    "event_subjects.sequence_without_gap",
    reference("returned"),
    `delete from events where subject = ${reference("returned")} and sequence = 2`,
  ],
  [
    "event_subjects.sequence_once",
    reference("returned"),
    `update events set sequence = 3 where subject = ${reference("returned")} and sequence = 2`,
  ],
  [
    "webhook_deliveries.delivered_arrived",
    delivery("delivered"),
    "update webhook_deliveries set attempts = '[]' where status = 'delivered'",
  ],
  [
    "webhook_deliveries.parked_tried",
    delivery("parked"),
    "update webhook_deliveries set attempts = '[]' where status = 'parked'",
  ],
  ["webhook_deliveries.next_attempt", delivery("pending"), "update webhook_deliveries set next_attempt_at = null"],
  ["webhook_deliveries.pending_awaited", delivery("pending"), "delete from due_work where kind = 'webhook.deliver'"],
  [
    "webhook_deliveries.delivery_once",
    delivery("delivered").replace("min", "max"),
    `insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object('id', id || '0'))).* from webhook_deliveries d where status = 'delivered'`,
  ],
  ["emails.sent_at", mail("receipt"), "update emails set status = 'sent'"],
  ["emails.mail_awaited", mail("portal_link"), "delete from due_work where kind = 'mail.send'"],
  ["emails.mail_awaited", mail("staff_alert"), "delete from due_work where kind = 'mail.compose'"],
  [
    "emails.receipt_of_payment",
    mail("receipt"),
    `update emails set dedupe_key = 'receipt:' || ${reference("pending")} where kind = 'receipt'`,
  ],
  [
    "gateway_accounts.statements_awaited",
    "(select min(id) from gateway_accounts)",
    `insert into gateway_statement_lines select organisation_id, id, 'line', 'reference', '{}', null, 'waiting', created_at from gateway_accounts order by id limit 1`,
  ],
  ...INVOICE_FAULTS,
  ...SUM_FAULTS,
  ...RECONCILIATION_FAULTS,
  ...CARD_FAULTS,
  ...CHARGE_FAULTS,
  ...DISPUTE_FAULTS,
  ...MESSAGE_FAULTS,
  ...MANDATE_FAULTS,
  ...SUBSCRIPTION_FAULTS,
  ...CATALOGUE_FAULTS,
  ...CUSTOMER_SUBSCRIPTION_FAULTS,
  ...EXTERNAL_FAULTS,
  ...CHECKOUT_FAULTS,
];

const TABLES = [
  ...[
    "transactions",
    "refunds",
    "reversals",
    "journal_entries",
    "journal_lines",
    "payment_links",
    "customers",
    "events",
  ],
  ...[
    "event_subjects",
    "webhook_deliveries",
    "emails",
    "messages",
    "due_work",
    "document_numbers",
    "invoices",
    "invoice_lines",
  ],
  ...[
    "invoice_payments",
    "quotes",
    "quote_lines",
    "credit_notes",
    "credit_note_lines",
    "credit_note_applications",
    "credit_note_refunds",
    "eft_orders",
  ],
  ...["credit_refunds", "credit_refund_sources", "credit_applications", "erasures"],
  ...[
    "customer_balances",
    "open_invoice_totals",
    "day_sums",
    "money_sums",
    "cards",
    "card_setups",
    "card_setup_payments",
    "card_charges",
  ],
  ...[
    "organisation_settings",
    "undone_invoice_payments",
    "mandates",
    "mandate_agreements",
    "debit_batches",
    "debits",
    "revisions",
  ],
  ...["sandbox_debit_batches", "sandbox_payments", "sandbox_subscriptions"],
  "disputes",
  ...[
    "gateway_subscriptions",
    "subscription_retries",
    "subscription_migrations",
    "plans",
    "plan_versions",
    "coupons",
    "coupon_redemptions",
  ],
  ...[
    "customer_subscriptions",
    "customer_subscription_bills",
    "customer_subscription_credits",
    "customer_subscription_moves",
    "customer_subscription_movements",
    "subscription_collections",
    "collection_attempts",
    "external_periods",
  ],
  "gateway_statement_lines",
  "gateway_notifications",
  ...["reconciliation_runs", "reconciliation_items", "reconciliation_allocations", "awaited_payments"],
  ...["checkout_sessions", "checkout_payments", "checkout_subscriptions"],
];
/** Checks and unique columns, primary keys apart. */
const FREE = `do $$ declare c record; begin
  for c in select conrelid::regclass as of, conname from pg_constraint where contype in ('c', 'u') and conislocal and conrelid = any
      (array['${TABLES.join("','")}']::regclass[]) loop
    execute format('alter table %s drop constraint %I cascade', c.of, c.conname);
  end loop;
end $$`;
const KEEP = TABLES.map((table) => `create table kept.${table} as table ${table}`);
/** The tables that the transaction has changed so far, if the changes before it are `COUNTED`. */
const CHANGED = `select coalesce(inhparent, relid)::regclass::text as table from pg_stat_xact_user_tables left join pg_inherits on inhrelid = relid
  where schemaname = 'public' and n_tup_ins + n_tup_upd + n_tup_del > 0 group by 1`;
const COUNTED = "select pg_stat_force_next_flush()";
const restored = (table: unknown) => `delete from ${table}; insert into ${table} select * from kept.${table}`;

describe("verify", () => {
  let examined: ExaminedOrganisation;
  const rows = (text: string) => examined.rows(text);
  const verify = () => examined.verify();

  before(async () => {
    examined = await openExaminedOrganisation();
    // Changes rows without constraints, as no code of the product can.
    await rows([FREE, "create schema kept", ...KEEP, COUNTED].join(";"));
  });
  after(() => examined.close());

  test("finds nothing where only the product's own code has written", async () => {
    const { checked, faults } = await verify();
    assert.deepEqual(faults, []);
    const [counts] = await rows(
      `select 1 + 5 * (select count(*) from transactions) + (select count(*) from card_charges) + (select count(*) from refunds) + (select count(*) from reversals) + (select count(*) from disputes) + (select count(*) from debits) + (select count(*) from journal_entries)
         + (select count(*) from payment_links) + 3 * (select count(*) from customers) + (select count(*) from event_subjects)
         + (select count(*) from webhook_deliveries) + (select count(*) from emails) + (select count(*) from messages) + 2 * (select count(*) from invoices)
         + (select count(*) from invoice_payments) + (select count(*) from invoice_lines) + (select count(*) from quotes)
         + (select count(*) from quote_lines) + (select count(*) from credit_notes) + (select count(*) from credit_refunds) + (select count(*) from credit_applications) + (select count(*) from erasures) + (select count(*) from eft_orders) + (select count(*) from reconciliation_runs) + (select count(*) from reconciliation_items)
         + 3 * (select count(*) from mandates) + 2 * (select count(*) from debit_batches) + 2 * (select count(*) from mandate_agreements) + 2 * (select count(*) from cards) + 2 * (select count(*) from card_setups) + (select count(*) from card_setup_payments)
         + 2 * (select count(*) from gateway_subscriptions) + 2 * (select count(*) from subscription_retries) + 2 * (select count(*) from subscription_migrations) + (select count(*) from sandbox_payments) + (select count(*) from sandbox_subscriptions) + (select count(*) from plans) + (select count(*) from checkout_sessions) + (select count(*) from coupons)
         + 2 * (select count(*) from customer_subscriptions) + (select count(*) from subscription_collections) + (select count(*) from collection_attempts) + (select count(*) from customer_subscription_bills) + (select count(*) from customer_subscription_bills where kind <> 'proration') + (select count(*) from external_periods) + (select count(*) from gateway_accounts)
         + (select count(distinct day) from day_sums)
         + 2 * (select count(distinct currency) from journal_lines) + 3 as rows`,
    );
    assert.equal(
      checked,
      Number(counts?.["rows"]),
      "every row was looked at, some in several ways: count those of a new table here, once for each examination",
    );
  });

  test("checks every row once, whatever the size of the parts", async () => {
    const whole = await verify();
    assert.deepEqual(await examined.verify({ firstRows: 1 }), whole);
    assert.deepEqual(await examined.verify({ firstRows: 1, partRows: 1 }), whole);
    assert.deepEqual(await examined.verify({ firstRows: 2, partRows: 3 }), whole);
  });

  for (const [rule, id, ...corruption] of PLANTED)
    test(`finds ${rule} after ${corruption.join("; ").slice(0, 80)}`, async () => {
      const [table, name] = rule.split(".");
      await rows(`begin; ${corruption.join(";")}`);
      const changed = await rows(CHANGED);
      await rows("commit");
      const [row] = await rows(`select ${id} as id`);
      const { faults } = await examined.verify({ examinations: EXAMINATIONS.filter((one) => one.table === table) });
      await rows([...changed.map((one) => restored(one["table"])), COUNTED].join(";"));
      const fault = faults.find((one) => one.table === table && one.rule === name && one.id === row?.["id"]);
      assert.ok(fault, `${rule} at ${String(row?.["id"])} is not among ${JSON.stringify(faults, null, 1)}`);
      assert.equal(fault.organisation, "paid");
      assert.notEqual(fault.expected, fault.found);
    });

  test("finds nothing once every fault is undone", async () => {
    assert.deepEqual((await verify()).faults, []);
  });

  test("is tested with a fault for every rule", () => {
    const scope = { after: "", limit: 1, today: calendarDay(machineNow()) };
    const none = () => assert.fail();
    const tx: Tx = {
      organisation: examined.organisation.id,
      sql: none,
      queue: none,
      beforeCommit: none,
      mayTake: none,
    };
    const rules = EXAMINATIONS.flatMap(({ table, sql }) => {
      const names = [...textOf(sql(tx, scope)).matchAll(/^\s+\('(\w+)', |'(\w+)' as rule/gm)];
      assert(names.length > 0, `the rules of ${table} are recognised`);
      return names.map(([, first, second]) => `${table}.${first ?? second}`);
    });
    const planted = new Set(PLANTED.map(([rule]) => rule));
    assert.deepEqual(
      [...new Set(rules).symmetricDifference(planted)],
      [],
      "plant a fault for each rule, in a list of PLANTED: the rule, the id that is found, and the change by hand; name its table in TABLES",
    );
  });
});

/** The text of a part of SQL, with the parts inside it. */
const textOf = ({ strings, values }: Part): string =>
  strings.reduce((text, piece, index) => {
    const value = values[index - 1];
    return `${text}${value instanceof Part ? textOf(value) : "?"}${piece}`;
  });
