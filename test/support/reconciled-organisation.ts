import type { Ctx } from "../../src/flows/context.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { createEftOrder } from "../../src/flows/eft-orders/create-eft-order.ts";
import { approveEftOrder } from "../../src/flows/eft-orders/review-eft-order.ts";
import { createInvoice } from "../../src/flows/invoices/create-invoice.ts";
import { importStatement } from "../../src/flows/reconciliation/import-statement.ts";
import { matchItem } from "../../src/flows/reconciliation/match-by-hand.ts";
import { undoMatch } from "../../src/flows/reconciliation/undo-match.ts";
import type { Services } from "../../src/flows/services.ts";
import { calendarDay } from "../../src/kernel/time.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { EftOrderCreate } from "../../src/modules/eft-orders/schema.ts";
import { InvoiceCreate } from "../../src/modules/invoices/schema.ts";
import { ImportForm, MatchBody } from "../../src/modules/reconciliation/schema.ts";
import { itemsAfter } from "../../src/modules/reconciliation/store/runs.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";
import { statementOf } from "./reconciliation.ts";

/**
 * Imports a bank statement, after `addInvoices`. Its lines by their descriptions: one that names a transfer, a fee, one
 * that pays an invoice and leaves credit, one that paid an invoice and was undone, an unmatched one.
 */
export async function addReconciliation(services: Services, ctx: Ctx): Promise<void> {
  const inside = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => services.db.transaction(ctx.organisation.id, work);
  const body = CustomerBody.parse({ email: "reconciled@example.com" });
  const customerId = (await inside((tx) => upsertCustomer(tx, ctx, body))).customer.id;
  const transfer = await inside(async (tx) => {
    const { order } = await createEftOrder(tx, ctx, EftOrderCreate.parse({ amount: 80, description: "seen" }));
    return (await approveEftOrder(tx, ctx, order.id)).after;
  });
  const invoice = (externalReference: string) =>
    inside(async (tx) => {
      const lines = [{ description: "Rent", quantity: 1, unitPrice: 60, taxRate: 0 }];
      return (await createInvoice(tx, ctx, InvoiceCreate.parse({ customerId, externalReference, lines, send: true })))
        .invoice;
    });
  const [seen, undone] = [await invoice("seen"), await invoice("unseen")];
  const day = calendarDay(ctx.now);
  const csv = statementOf(
    [day, "names", 80, transfer.reference],
    [day, "fee", -7],
    [day, "pays", 75],
    [day, "undone", 60],
    [day, "unmatched", 1],
  );
  const form = ImportForm.parse({ account: "Cheque" });
  const run = await importStatement(services, ctx, { name: "a.csv", bytes: Buffer.from(csv) }, form);
  const items = await inside((tx) => itemsAfter(tx, run.id, -1));
  const match = (description: string, ...allocations: object[]) =>
    inside((tx) => {
      const id = items.find((item) => item.description === description)?.id ?? "";
      return matchItem(tx, ctx, id, MatchBody.parse({ allocations }).allocations);
    });
  await match("fee", { kind: "bank_fee" });
  await match("pays", { kind: "invoice", invoiceId: seen.id }, { kind: "customer_credit", customerId });
  const { after } = await match("undone", { kind: "invoice", invoiceId: undone.id });
  await inside((tx) => undoMatch(tx, ctx, after.item.id));
}

const item = (description: string) => `(select id from reconciliation_items where description = '${description}')`;
const entry = (description: string, kind = "bank_match") =>
  `(select id from journal_entries where kind = '${kind}' and description = '${kind === "bank_match" ? "" : "Undone: "}Bank statement: ${description}')`;
const RUN = "(select id from reconciliation_runs)";
const change = (table: string, id: string, columns: string) => `update ${table} set ${columns} where id = ${id}`;
const allocation = (description: string, columns: string) =>
  `update reconciliation_allocations set ${columns} where item_id = ${item(description)}`;
const transaction = (description: string) =>
  `(select id from transactions where reference = (select transaction_reference from reconciliation_items where description = '${description}'))`;
const AWAITED = `(select min(t.id) from transactions t where t.type = 'eft' and t.paid_at is not null and t.id <> ${transaction("names")})`;
const PAID = "(select subject from reconciliation_allocations where recorded and undone_at is not null)";

/** Faults in the records of `addReconciliation`: at least one for every rule about them. */
export const RECONCILIATION_FAULTS: readonly PlantedFault[] = [
  ["reconciliation_runs.run_totals", RUN, change("reconciliation_runs", RUN, "unmatched_count = unmatched_count - 1")],
  ["reconciliation_runs.run_totals", RUN, change("reconciliation_runs", RUN, "matched_cents = matched_cents + 1")],
  [
    "reconciliation_runs.run_rows",
    RUN,
    change("reconciliation_runs", RUN, `row_counts = row_counts || '{"total": 6}'`),
  ],
  [
    "reconciliation_runs.run_lines",
    RUN,
    change("reconciliation_runs", RUN, `row_counts = row_counts || '{"lines": 4, "remarks": 1}'`),
  ],
  [
    "reconciliation_runs.run_withdrawn",
    RUN,
    change("reconciliation_runs", RUN, "withdrawn_at = now(), withdrawn_by = 'A'"),
  ],
  [
    "reconciliation_items.line_twice",
    `(select max(id) from reconciliation_items where description in ('undone', 'unmatched'))`,
    "update reconciliation_items set bank_key = '\\x01', date = '2027-01-01', amount_cents = 6000 where description in ('undone', 'unmatched')",
  ],
  [
    "reconciliation_items.item_allocations",
    item("fee"),
    change("reconciliation_items", item("fee"), "amount_cents = -701"),
  ],
  [
    "reconciliation_items.item_allocations",
    item("pays"),
    `delete from reconciliation_allocations where item_id = ${item("pays")} and place = 1`,
  ],
  [
    "reconciliation_items.item_match",
    item("fee"),
    change("reconciliation_items", item("fee"), "match_id = 'rcm_other'"),
  ],
  [
    "reconciliation_items.item_transaction",
    item("names"),
    change("reconciliation_items", item("names"), "transaction_reference = 'EFT-OTHER'"),
  ],
  ["reconciliation_items.allocation_entry", item("names"), `delete from journal_entries where id = ${entry("names")}`],
  ["reconciliation_items.allocation_entry", item("fee"), allocation("fee", "kind = 'own_transfer'")],
  ["reconciliation_items.allocation_entry", item("names"), allocation("names", "posted = false")],
  [
    "reconciliation_items.allocation_invoice",
    item("pays"),
    `update reconciliation_allocations set invoice_id = (select id from invoices where external_reference = 'unseen') where recorded and item_id = ${item("pays")}`,
  ],
  ["reconciliation_items.allocation_invoice", item("undone"), allocation("undone", "invoice_id = null")],
  [
    "reconciliation_items.allocation_invoice",
    item("fee"),
    allocation("fee", "invoice_id = (select id from invoices where external_reference = 'seen')"),
  ],
  [
    "reconciliation_items.allocation_undone",
    item("undone"),
    `delete from journal_entries where id = ${entry("undone", "bank_match_reversal")}`,
  ],
  ["reconciliation_items.allocation_undone", item("fee"), allocation("fee", "undone_at = now()")],
  [
    "reconciliation_items.shown_at_most",
    item("names"),
    `update transactions set amount_cents = 7999 where reference = (select transaction_reference from reconciliation_items where description = 'names')`,
  ],
  ["journal_entries.entry_subject", entry("fee"), allocation("fee", "match_id = 'rcm_other'")],
  ["journal_entries.entry_subject", entry("undone", "bank_match_reversal"), allocation("undone", "undone_at = null")],
  [
    "journal_entries.entry_subject",
    "(select id from journal_entries where kind = 'offline_payment_reversal')",
    `delete from undone_invoice_payments where id = ${PAID}`,
  ],
  [
    "journal_entries.reversal_whole",
    entry("undone", "bank_match_reversal"),
    `update journal_lines set amount_cents = amount_cents * 2 where entry_id = ${entry("undone", "bank_match_reversal")}`,
  ],
  ["awaited_payments.kept_awaited", AWAITED, "delete from awaited_payments"],
  ...[
    "type = 'debit_order'",
    "currency = 'USD'",
    "gateway_account_id = 'gw_other'",
    "paid_at = paid_at + interval '1 second'",
  ].map(
    (columns): PlantedFault => ["awaited_payments.kept_awaited", AWAITED, `update awaited_payments set ${columns}`],
  ),
  [
    "awaited_payments.kept_awaited",
    transaction("names"),
    `insert into awaited_payments select organisation_id, id, type, currency, gateway_account_id, paid_at from transactions where id = ${transaction("names")}`,
  ],
  [
    "customers.credit",
    "(select id from customers where email = 'reconciled@example.com')",
    allocation("pays", "undone_at = now()"),
  ],
];
