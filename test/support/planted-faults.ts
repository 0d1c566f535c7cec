/** `table.rule`, SQL that selects the id of the faulty record, and SQL statements that cause the fault. */
export type PlantedFault = readonly [rule: string, id: string, ...corruption: string[]];

const invoice = (reference: string) => `(select id from invoices where external_reference = '${reference}')`;
const payment = (reference: string, source: string) =>
  `(select min(id) from invoice_payments where invoice_id = ${invoice(reference)} and source = '${source}')`;
const transaction = (reference: string, which = "min") =>
  `(select ${which}(id) from transactions where invoice_id = ${invoice(reference)})`;
const note = (reason: string) => `(select id from credit_notes where reason = '${reason}')`;
const quote = (notes: string) => `(select id from quotes where notes = '${notes}')`;
const order = (description: string) => `(select id from eft_orders where description = '${description}')`;
const line = (reference: string, number: number) => `${invoice(reference)} || ':0000${number}'`;
const entry = (kind: string, subject: string) =>
  `(select id from journal_entries where kind = '${kind}' and subject = ${subject})`;
const paymentEntry = (id: string) => entry("payment", `(select reference from transactions where id = ${id})`);
const lines = (id: string, account: string, change: string) =>
  `update journal_lines set ${change} where entry_id = ${id} and account = '${account}'`;
const change = (table: string, id: string, columns: string) => `update ${table} set ${columns} where id = ${id}`;

const REVERSED = `(select w.id from reversals w join transactions t on t.id = w.transaction_id where t.invoice_id = ${invoice("reopened")})`;
const REVERSAL = entry("reversal", REVERSED);

const issued = (reference: string) => entry("invoice", invoice(reference));
const CANCELLED = entry("invoice_cancelled", invoice("undone"));
const OFFLINE = entry("offline_payment", payment("offline", "offline"));
const GONE = "(select customer_id from erasures)";
const PAID_OUT = "(select id from credit_refunds)";
const PAYOUT = entry("credit_refund", PAID_OUT);
const APPLIED = "(select id from credit_applications where amount_cents > 0)";
const TAKEN_BACK = "(select id from credit_applications where amount_cents < 0)";
const USE = entry("credit_use", APPLIED);
const SPARE = entry("credit_note", note("spare"));
const totals = (reference: string) =>
  `(select concat_ws(':', customer_id, currency, due_date) from invoices where external_reference = '${reference}')`;
const DEBTOR = `(select customer_id from invoices where external_reference = 'plain')`;

const ON_INVOICES: readonly PlantedFault[] = [
  ["lines_subtotal", "subtotal_cents = subtotal_cents - 1, tax_cents = tax_cents + 1"],
  ["lines_tax", "subtotal_cents = subtotal_cents - 1, tax_cents = tax_cents + 1"],
  ["total", "total_cents = total_cents + 1"],
  ["paid_cents", "paid_cents = 1"],
  ["status_of_payments", "status = 'paid'"],
  ["status_of_payments", "status = 'draft'"],
  ["paid_at", "paid_at = created_at"],
  ["invoice_entry", "issued_at = null"],
  ["invoice_entry_date", "issued_at = issued_at - interval '1 day'"],
  ["cancel_entry", "cancelled_at = created_at"],
  ["receivable", "paid_cents = 1"],
].map(([rule, columns]) => [`invoices.${rule}`, invoice("plain"), change("invoices", invoice("plain"), columns ?? "")]);

/** Faults in the records of `addInvoices`: at least one for every rule about invoices, quotes, credit notes and bank transfers. */
export const INVOICE_FAULTS: readonly PlantedFault[] = [
  ...ON_INVOICES,
  [
    "invoices.paid_at_latest",
    "(select min(id) from invoices where status = 'paid')",
    "update invoices set paid_at = paid_at - interval '1 s' where id = (select min(id) from invoices where status = 'paid')",
  ],
  [
    "invoices.lines_subtotal",
    invoice("plain"),
    `delete from invoice_lines where invoice_id = ${invoice("plain")} and line = 2`,
  ],
  [
    "invoices.overdue_awaited",
    invoice("plain"),
    `delete from due_work where kind = 'invoice.overdue' and subject = ${invoice("plain")}`,
  ],
  [
    "credit_refunds.credit_refund_sources",
    PAID_OUT,
    "update credit_refund_sources set amount_cents = amount_cents + 1",
  ],
  ["credit_refunds.credit_refund_customer", PAID_OUT, change("credit_refunds", PAID_OUT, "customer_id = 'cus_other'")],
  ["credit_refunds.credit_refund_currency", PAID_OUT, change("credit_refunds", PAID_OUT, "currency = 'USD'")],
  ["credit_refunds.credit_refund_entry", PAID_OUT, `delete from journal_entries where id = ${PAYOUT}`],
  ["credit_refunds.credit_refund_entry_paid", PAID_OUT, lines(PAYOUT, "bank", "account = 'gateway_clearing'")],
  ["credit_refunds.credit_refund_entry_credit", PAID_OUT, lines(PAYOUT, "customer_credit", "account = 'receivable'")],
  ["credit_refunds.credit_refund_entry_customer", PAID_OUT, lines(PAYOUT, "customer_credit", "customer_id = 'cus_x'")],
  [
    "credit_refunds.credit_refund_entry_currency",
    PAID_OUT,
    `update journal_lines set currency = 'USD' where entry_id = ${PAYOUT}`,
  ],
  ["credit_refunds.credit_refund_entry_date", PAID_OUT, change("credit_refunds", PAID_OUT, "created_at = now()")],
  [
    "credit_applications.application_of_customer",
    APPLIED,
    change("credit_applications", APPLIED, "customer_id = 'cus_other'"),
  ],
  ["credit_applications.application_of_customer", APPLIED, change("credit_applications", APPLIED, "currency = 'USD'")],
  [
    "credit_applications.application_source",
    APPLIED,
    change("credit_applications", APPLIED, `transaction_id = ${transaction("reopened")}`),
  ],
  [
    "credit_applications.application_paid",
    APPLIED,
    `update invoice_payments set amount_cents = amount_cents + 1 where subject = ${APPLIED}`,
  ],
  ["credit_applications.application_posted", APPLIED, `delete from journal_entries where id = ${USE}`],
  ["credit_applications.application_posted", APPLIED, lines(USE, "receivable", "amount_cents = amount_cents + 1")],
  ["credit_applications.application_posted_credit", APPLIED, lines(USE, "customer_credit", "account = 'revenue'")],
  [
    "credit_applications.application_posted_customer",
    APPLIED,
    lines(USE, "customer_credit", "customer_id = 'cus_other'"),
  ],
  [
    "credit_applications.application_posted_currency",
    APPLIED,
    `update journal_lines set currency = 'USD' where entry_id = ${USE}`,
  ],
  [
    "credit_applications.application_posted_date",
    APPLIED,
    change("credit_applications", APPLIED, "applied_at = applied_at + interval '1 s'"),
  ],
  [
    "credit_applications.application_taken_back",
    TAKEN_BACK,
    change("credit_applications", TAKEN_BACK, `invoice_id = ${invoice("over")}`),
  ],
  [
    "credit_applications.application_taken_at_most",
    APPLIED,
    change("credit_applications", TAKEN_BACK, "amount_cents = -2001"),
  ],
  [
    "invoice_payments.applied_to_invoice",
    payment("taken", "credit"),
    `update credit_applications set amount_cents = 1999 where id = ${APPLIED}`,
  ],
  ["transactions.paid_out_at_most", transaction("undone"), "update credit_refund_sources set amount_cents = 9999"],
  ["erasures.erased_customer", GONE, change("customers", GONE, "first_name = 'Z'")],
  ["erasures.erased_inactive", GONE, change("customers", GONE, "active = true")],
  ["erasures.kept_awaited", GONE, "delete from due_work where kind = 'personal_data.erase_kept'"],
  ["erasures.kept_erased", GONE, "update erasures set kept_erased_at = erased_at"],
  ["reversals.reversal_of_paid", REVERSED, `update reversals set reversed_at = null where id = ${REVERSED}`],
  ["reversals.reversal_entry", REVERSED, `delete from journal_entries where id = ${REVERSAL}`],
  ["reversals.reversal_entry_taken", REVERSED, `update reversals set amount_cents = 3999 where id = ${REVERSED}`],
  [
    "reversals.reversal_entry_gateway_account",
    REVERSED,
    lines(REVERSAL, "gateway_clearing", "gateway_account_id = 'gw_other'"),
  ],
  ["reversals.reversal_entry_currency", REVERSED, lines(REVERSAL, "gateway_clearing", "currency = 'USD'")],
  [
    "reversals.reversal_entry_date",
    REVERSED,
    `update reversals set reversed_at = reversed_at - interval '1 day' where id = ${REVERSED}`,
  ],
  [
    "reversals.reversal_reopened",
    REVERSED,
    "delete from invoice_payments where source = 'reversal' and amount_cents > -2500",
  ],
  [
    "reversals.reversal_of_invoice",
    REVERSED,
    `update invoice_payments set invoice_id = ${invoice("plain")} where subject = ${REVERSED}`,
  ],
  ["journal_entries.entry_subject", REVERSAL, `update reversals set reversed_at = null where id = ${REVERSED}`],
  ["invoices.receivable", invoice("reopened"), `delete from journal_entries where id = ${REVERSAL}`],
  [
    "transactions.reversed_at_most",
    transaction("reopened"),
    `update reversals set amount_cents = 15001 where id = ${REVERSED}`,
  ],
  ["transactions.reversal_events", transaction("reopened"), "delete from events where type = 'payment.reversed'"],
  [
    "transactions.refunded_from_credit",
    transaction("reopened"),
    lines(REVERSAL, "customer_credit", "account = 'refunds'"),
  ],
  [
    "invoices.no_active_link",
    invoice("offline"),
    `update payment_links set active = true where invoice_id = ${invoice("offline")}`,
  ],
  [
    "invoices.no_active_link",
    invoice("undone"),
    `update payment_links set active = true where invoice_id = ${invoice("undone")}`,
  ],
  [
    "invoices.invoice_entry",
    invoice("draft"),
    `update journal_entries set subject = ${invoice("draft")} where id = ${issued("plain")}`,
  ],
  [
    "invoices.invoice_entry_revenue",
    invoice("plain"),
    lines(issued("plain"), "revenue", "amount_cents = amount_cents + 1"),
  ],
  [
    "invoices.invoice_entry_vat",
    invoice("plain"),
    lines(issued("plain"), "vat_output", "amount_cents = amount_cents + 1"),
  ],
  ["invoices.invoice_entry_customer", invoice("plain"), lines(issued("plain"), "revenue", "customer_id = 'cus_other'")],
  [
    "invoices.invoice_entry_currency",
    invoice("plain"),
    `update journal_lines set currency = 'USD' where entry_id = ${issued("plain")}`,
  ],
  ["invoices.cancel_entry", invoice("undone"), `delete from journal_entries where id = ${CANCELLED}`],
  ["invoices.cancel_entry_revenue", invoice("undone"), lines(CANCELLED, "revenue", "amount_cents = amount_cents - 1")],
  ["invoices.cancel_entry_vat", invoice("undone"), lines(CANCELLED, "vat_output", "amount_cents = amount_cents - 1")],
  ["invoices.cancel_entry_refunds", invoice("undone"), lines(CANCELLED, "refunds", "account = 'customer_credit'")],
  [
    "invoices.cancel_entry_date",
    invoice("undone"),
    change("invoices", invoice("undone"), "cancelled_at = cancelled_at + interval '1 s'"),
  ],
  ["invoices.receivable", invoice("undone"), lines(CANCELLED, "receivable", "account = 'bank'")],
  ["invoices.receivable", invoice("offline"), lines(OFFLINE, "receivable", "amount_cents = amount_cents + 1")],
  [
    "invoices.receivable",
    invoice("linked"),
    lines(paymentEntry(transaction("linked")), "receivable", "account = 'revenue'"),
  ],
  [
    "invoices.receivable",
    invoice("late"),
    `delete from journal_entries where kind = 'credit_application' and subject like ${invoice("late")} || ':%'`,
  ],
  ["invoices.discount_shares", invoice("reduced"), change("invoices", invoice("reduced"), "discount_cents = 1")],
  ["invoices.discount_percent", invoice("reduced"), change("invoices", invoice("reduced"), "discount_percent = 6")],
  [
    "invoice_lines.line_discount",
    line("reduced", 1),
    `update invoice_lines set discount_percent = 11 where invoice_id = ${invoice("reduced")} and line = 1`,
  ],
  [
    "invoice_lines.line_amount",
    line("reduced", 2),
    `update invoice_lines set document_discount_cents = 0 where invoice_id = ${invoice("reduced")} and line = 2`,
  ],
  [
    "invoice_lines.line_amount",
    line("plain", 1),
    `update invoice_lines set amount_cents = 10001 where invoice_id = ${invoice("plain")} and line = 1`,
  ],
  [
    "invoice_lines.line_tax",
    line("plain", 2),
    `update invoice_lines set tax_rate = 15 where invoice_id = ${invoice("plain")} and line = 2`,
  ],
  [
    "invoice_lines.line_tax",
    `(select id || ':00001' from invoices where tax_inclusive)`,
    "update invoice_lines set tax_cents = tax_cents + 1 where invoice_id = (select id from invoices where tax_inclusive)",
  ],
  [
    "invoice_payments.offline_entry",
    payment("offline", "offline"),
    `delete from journal_entries where id = ${OFFLINE}`,
  ],
  [
    "invoice_payments.offline_entry_bank",
    payment("offline", "offline"),
    lines(OFFLINE, "bank", "account = 'gateway_clearing'"),
  ],
  [
    "invoice_payments.offline_entry_receivable",
    payment("offline", "offline"),
    lines(OFFLINE, "receivable", "account = 'revenue'"),
  ],
  [
    "invoice_payments.offline_entry_currency",
    payment("offline", "offline"),
    `update journal_lines set currency = 'USD' where entry_id = ${OFFLINE}`,
  ],
  [
    "invoice_payments.offline_entry_date",
    payment("offline", "offline"),
    change("invoice_payments", payment("offline", "offline"), "paid_at = paid_at - interval '1 day'"),
  ],
  [
    "invoice_payments.payment_of_invoice",
    payment("linked", "transaction"),
    change("transactions", transaction("linked"), "paid_at = null"),
  ],
  [
    "invoice_payments.payment_of_invoice",
    payment("linked", "transaction"),
    change("transactions", transaction("linked"), `invoice_id = ${invoice("plain")}`),
  ],
  [
    "invoice_payments.credit_of_invoice",
    payment("late", "credit_note"),
    "update credit_note_applications set amount_cents = amount_cents - 1",
  ],
  [
    "transactions.payment_entry_account",
    transaction("linked"),
    lines(paymentEntry(transaction("linked")), "gateway_clearing", "account = 'bank'"),
  ],
  [
    "transactions.payment_entry_account",
    "(select id from transactions where description = 'transferred')",
    lines(
      paymentEntry("(select id from transactions where description = 'transferred')"),
      "bank",
      "account = 'gateway_clearing'",
    ),
  ],
  [
    "transactions.payment_entry_applied",
    transaction("linked"),
    change("invoice_payments", payment("linked", "transaction"), "amount_cents = amount_cents - 1"),
  ],
  [
    "transactions.payment_exempt",
    transaction("linked"),
    change("transactions", transaction("linked"), "tax_exempt = true"),
  ],
  [
    "transactions.overpaid_of_invoice",
    transaction("linked", "max"),
    change("transactions", transaction("linked", "max"), "overpaid_cents = 1"),
  ],
  [
    "transactions.overpaid_of_invoice",
    transaction("undone"),
    change("transactions", transaction("undone"), "overpaid_cents = 0"),
  ],
  ["credit_notes.remaining", note("spare"), change("credit_notes", note("spare"), "remaining_cents = 1")],
  [
    "credit_notes.remaining",
    note("correction"),
    `delete from credit_note_applications where credit_note_id = ${note("correction")}`,
  ],
  ["credit_notes.note_status", note("spare"), change("credit_notes", note("spare"), "status = 'applied'")],
  ["credit_notes.note_lines", note("spare"), change("credit_notes", note("spare"), "tax_rate = null")],
  ["credit_notes.note_lines", note("lined"), change("credit_notes", note("lined"), "tax_rate = 15")],
  ["credit_notes.note_lines_amount", note("lined"), "update credit_note_lines set amount_cents = 1149 where line = 1"],
  ["credit_notes.note_lines_tax", note("lined"), "update credit_note_lines set tax_rate = 14 where line = 1"],
  ["credit_notes.note_tax", note("lined"), change("credit_notes", note("lined"), "tax_cents = 0")],
  ["credit_notes.note_tax", note("spare"), change("credit_notes", note("spare"), "tax_cents = 0")],
  [
    "credit_notes.application_allocated",
    note("correction"),
    `delete from invoice_payments where subject = ${note("correction")}`,
  ],
  [
    "credit_notes.application_entry",
    note("correction"),
    "delete from journal_entries where kind = 'credit_application'",
  ],
  [
    "credit_notes.note_settled",
    note("spare"),
    `insert into credit_note_refunds select r.organisation_id, ${note("spare")}, r.id, 1, now(), now() from refunds r where r.transaction_id = ${transaction("undone")}`,
  ],
  ["credit_notes.note_entry", note("spare"), `delete from journal_entries where id = ${SPARE}`],
  ["credit_notes.note_entry_credit", note("spare"), lines(SPARE, "customer_credit", "account = 'receivable'")],
  ["credit_notes.note_entry_vat", note("spare"), lines(SPARE, "vat_output", "account = 'revenue'")],
  ["credit_notes.note_entry_customer", note("spare"), lines(SPARE, "customer_credit", "customer_id = 'cus_other'")],
  [
    "credit_notes.note_entry_currency",
    note("spare"),
    `update journal_lines set currency = 'USD' where entry_id = ${SPARE}`,
  ],
  [
    "credit_notes.corrects_own_invoice",
    note("spare"),
    change("credit_notes", note("spare"), `invoice_id = ${invoice("plain")}`),
  ],
  [
    "credit_notes.corrects_at_most",
    note("correction"),
    change("credit_notes", note("correction"), "amount_cents = 12501"),
  ],
  [
    "credit_notes.corrects_vat_at_most",
    note("correction"),
    change("credit_notes", note("correction"), "tax_cents = 100000"),
  ],
  ["quotes.quote_lines_subtotal", quote("inclusive"), change("quotes", quote("inclusive"), "tax_inclusive = false")],
  ["quotes.quote_lines_tax", quote("open"), `update quote_lines set tax_cents = 0 where quote_id = ${quote("open")}`],
  ["quotes.quote_total", quote("open"), change("quotes", quote("open"), "total_cents = 1")],
  ["quotes.quote_invoice", quote("inclusive"), "update invoices set quote_id = null"],
  ["quotes.quote_invoice_total", quote("inclusive"), "update invoices set total_cents = 1 where quote_id is not null"],
  [
    "quotes.quote_invoice_exempt",
    quote("inclusive"),
    `update quote_lines set tax_rate = 0, tax_exempt = true where quote_id = ${quote("inclusive")}`,
  ],
  ["quotes.quote_deposit", quote("reduced"), change("quotes", quote("reduced"), "deposit_percent = 31")],
  ["quotes.discount_shares", quote("reduced"), change("quotes", quote("reduced"), "discount_cents = 1")],
  ["quotes.discount_percent", quote("reduced"), change("quotes", quote("reduced"), "discount_percent = 6")],
  [
    "quote_lines.line_discount",
    `${quote("reduced")} || ':00001'`,
    `update quote_lines set discount_percent = 11 where quote_id = ${quote("reduced")} and line = 1`,
  ],
  ["quotes.expiry_awaited", quote("open"), "delete from due_work where kind = 'quote.expire'"],
  [
    "quote_lines.line_amount",
    `${quote("open")} || ':00001'`,
    `update quote_lines set quantity = 4 where quote_id = ${quote("open")}`,
  ],
  [
    "quote_lines.line_tax",
    `${quote("inclusive")} || ':00001'`,
    `update quotes set tax_inclusive = false where id = ${quote("inclusive")}`,
  ],
  ["eft_orders.transfer_payment", order("waiting"), change("eft_orders", order("waiting"), "amount_cents = 1")],
  [
    "eft_orders.transfer_payment",
    order("waiting"),
    `delete from transactions where eft_order_id = ${order("waiting")}`,
  ],
  ["eft_orders.transfer_paid", order("waiting"), change("eft_orders", order("waiting"), "status = 'paid'")],
  [
    "eft_orders.transfer_payment_status",
    order("withdrawn"),
    `update transactions set status = 'failed' where eft_order_id = ${order("withdrawn")}`,
  ],
  ["eft_orders.transfer_expiry_awaited", order("waiting"), "delete from due_work where kind = 'eft.expire'"],
  ["document_numbers.number_once", "'invoice'", change("invoices", invoice("plain"), "number = 'INV-000001'")],
  ["document_numbers.number_once", "'quote'", change("quotes", quote("open"), "number = 'QUO-1'")],
  ["document_numbers.last_number", "'credit_note'", "delete from document_numbers where kind = 'credit_note'"],
  ["document_numbers.last_number", "'quote'", change("quotes", quote("open"), "number = 'QUO-000099'")],
  ["document_numbers.numbers_without_gap", "'invoice'", `delete from invoices where id = ${invoice("plain")}`],
  ["customers.receivable", DEBTOR, lines(issued("plain"), "receivable", "amount_cents = amount_cents + 1")],
  ["customers.receivable", DEBTOR, change("invoices", invoice("plain"), "status = 'draft'")],
  [
    "customer_balances.kept_receivable",
    `${DEBTOR} || ':ZAR'`,
    "update customer_balances set receivable_cents = receivable_cents + 1",
  ],
  [
    "customer_balances.kept_receivable",
    `${DEBTOR} || ':ZAR'`,
    lines(issued("plain"), "receivable", "amount_cents = amount_cents + 1"),
  ],
  ["customer_balances.kept_receivable", `${DEBTOR} || ':ZAR'`, "delete from customer_balances where currency = 'ZAR'"],
  [
    "customer_balances.kept_credit",
    `(select customer_id from credit_notes where reason = 'spare') || ':ZAR'`,
    "update customer_balances set credit_cents = 0 where credit_cents > 0",
  ],
  ["customer_balances.kept_posted", `${DEBTOR} || ':USD'`, "update customer_balances set posted = false"],
  [
    "customer_balances.kept_posted",
    `${DEBTOR} || ':EUR'`,
    `insert into customer_balances (organisation_id, customer_id, currency, posted) select organisation_id, id, 'EUR', true from customers where id = ${DEBTOR}`,
  ],
  [
    "open_invoice_totals.kept_open_invoices",
    totals("plain"),
    "update open_invoice_totals set open_invoices = open_invoices - 1",
  ],
  ["open_invoice_totals.kept_open_invoices", totals("plain"), "delete from open_invoice_totals"],
  ["open_invoice_totals.kept_open_amount", totals("plain"), "update open_invoice_totals set open_cents = 1"],
  ["open_invoice_totals.kept_open_amount", totals("plain"), change("invoices", invoice("plain"), "status = 'paid'")],
  ["customers.standing", DEBTOR, `update customers set standing = 'owing' where id = ${DEBTOR}`],
];

const FIGURES = [
  ...["open", "collected", "debits", "debits_reversed", "debits_returned", "recurring"],
  ...["recorded", "refunded", "reversed"],
];
const sumOf = (figure: string, cents: number, records: number) =>
  `insert into day_sums select id, '${figure}', 'ZAR', '2001-02-03', 1, ${cents}, ${records} from organisations where slug = 'paid'`;
const PAID_DAY = `(select min(concat_ws(':', day_of(paid_at), 'collected', currency)) from transactions)`;

/** Faults in the sums of days: of every figure, and a day that lacks them. */
export const SUM_FAULTS: readonly PlantedFault[] = [
  ...FIGURES.flatMap((figure): PlantedFault[] => [
    ["day_sums.kept_amount", `'2001-02-03:${figure}:ZAR'`, sumOf(figure, 1, 0)],
    ["day_sums.kept_records", `'2001-02-03:${figure}:ZAR'`, sumOf(figure, 0, 1)],
  ]),
  ["day_sums.received_as_booked", "'ZAR'", sumOf("recorded", 1, 0)],
  ...["bank_reconciled", "bank", "gateway_clearing", "gateway_fees", "bank_charges", "own_transfers"].map(
    (account): PlantedFault => [
      "money_sums.kept_money",
      `'NAD:${account}:gwa_none'`,
      `insert into money_sums select id, '${account}', 'NAD', 'gwa_none', 1, 1 from organisations where slug = 'paid'`,
    ],
  ),
  ["money_sums.kept_money", "'ZAR:bank_charges'", "delete from money_sums"],
  ["day_sums.kept_amount", PAID_DAY, "delete from day_sums"],
  ["day_sums.kept_records", PAID_DAY, "update day_sums set day = day + 4000 where figure = 'collected'"],
];
