import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { HELD } from "../src/catalogue.ts";
import type { Tx } from "../src/platform/database.ts";
import { cloneDatabase } from "./support/database.ts";

/*
 * Every column that could hold personal data is decided here: what erasure makes of it, or that it holds none. A new column fails this test
 * until it is decided; one that holds personal data goes into `erase_customer` or `erase_kept` too.
 */

/** Erased with the customer. */
const ERASED = "erased";
/** Part of a tax invoice, a credit note or the books: kept, or erased after its time (`erase_kept`). */
const TAX = "kept by tax law";
/** Proof of the authority to debit: erased after its time. */
const AUTHORITY = "kept as proof of the authority";
/** The merchant's own name of a record. */
const ORDER = "the merchant's own reference";
/** What a subscription is made of, or a gateway's words about a payment. */
const SOLD = "about the matter, not the person";
/** A gateway's token of a subscription that has ended, encrypted. */
const TOKEN = "a token that opens nothing any more";
/** The merchant's own people. */
const STAFF = "of staff, not of customers";
/** Deleted within two days by the service. */
const SHORT = "gone within two days";
/** References that the merchant has put into addresses; deleted within eight days by the service. */
const WEEK = "gone within eight days";
/** Words of the merchant's own bank, which may name a payer. */
const STATEMENT =
  "on the merchant's bank statement, kept with the books; after its time erased where it is matched with the customer";
const NOBODY = "of nobody";

/** What is a customer's own data, for a time or for ever. */
const OF_CUSTOMERS = [ERASED, TAX, AUTHORITY, STATEMENT];
/** Tables that the archive leaves out, since it has all that they say. */
const NOT_HANDED = new Map([
  ["customer_words", "the words of the customer's record, for the search"],
  ["portal_sessions", "when somebody used a link, which is there"],
  ["reconciliation_rules", "words that many lines share"],
  ["sandbox_mandates", "of the sandbox's gateway, which knows nobody real"],
  ["sandbox_payments", "of the sandbox's gateway, which knows nobody real"],
  ["sandbox_refunds", "of the sandbox's gateway, which knows nobody real"],
  ["sandbox_subscriptions", "of the sandbox's gateway, which knows nobody real"],
]);

interface Decided {
  /** Columns that may hold personal data, and what becomes of it. */
  readonly personal: Readonly<Record<string, string>>;
  /** Columns that hold ids, states, kinds and the like. */
  readonly plain: string;
}

const COLUMNS: Readonly<Record<string, Decided>> = {
  accounting_months: { personal: { closed_by: STAFF }, plain: "" },
  accounting_software: { personal: {}, plain: "software codes" },
  allowed_return_urls: { personal: {}, plain: "origin" },
  api_keys: { personal: {}, plain: "id prefix secret_hash name permissions" },
  audit_log: {
    personal: { before: ERASED, after: ERASED, ip: ERASED, actor_name: STAFF },
    plain: "id actor_kind actor_id request_id action subject",
  },
  bank_detail_changes: {
    personal: { before: STAFF, after: STAFF, actor_name: STAFF },
    plain: "id gateway_account_id gateway_name kind fields actor_kind actor_id",
  },
  card_charges: {
    personal: { external_reference: ORDER },
    plain: "id transaction_id customer_id card_id status due_invoice_id failure_reason",
  },
  card_setup_payments: { personal: {}, plain: "transaction_id card_setup_id" },
  card_setups: { personal: { metadata: ERASED }, plain: "id customer_id status return_url card_id failure_reason" },
  cards: {
    personal: { holder_name: ERASED, fingerprint: ERASED, token_sealed: ERASED },
    plain: "id customer_id gateway_account_id brand last4 status source",
  },
  checkout_pages: { personal: {}, plain: "design" },
  checkout_payments: {
    personal: {},
    plain: "transaction_id checkout_session_id coupon_id coupon_subject recurring_frequency",
  },
  checkout_sessions: {
    personal: { prefill: ERASED, entered: ERASED, metadata: ERASED },
    plain:
      "id status source package_id plan_id product_id customer_id subscription_id coupon_code return_url transaction_id",
  },
  checkout_subscriptions: { personal: {}, plain: "customer_subscription_id checkout_session_id" },
  claim_turns: { personal: {}, plain: "name" },
  collection_attempts: {
    personal: {},
    plain: "id customer_subscription_id invoice_id cause transaction_id status reason",
  },
  coupon_redemptions: { personal: { subject: NOBODY }, plain: "coupon_id customer_id currency duration" },
  coupons: { personal: {}, plain: "id code name currency duration plan_ids product_ids" },
  credit_note_applications: { personal: {}, plain: "credit_note_id invoice_id" },
  credit_note_refunds: { personal: {}, plain: "credit_note_id refund_id" },
  credit_note_lines: { personal: { description: TAX }, plain: "credit_note_id" },
  credit_notes: {
    personal: { reason: TAX },
    plain: "id number status customer_id invoice_id currency transaction_reference",
  },
  credit_refund_sources: { personal: {}, plain: "credit_refund_id transaction_id invoice_payment_id match_id" },
  credit_refunds: { personal: { reason: TAX }, plain: "id customer_id currency method" },
  customer_balances: { personal: {}, plain: "customer_id currency" },
  customer_subscription_bills: { personal: { lines: TAX }, plain: "id customer_subscription_id kind invoice_id" },
  customer_subscription_credits: { personal: {}, plain: "id customer_subscription_id credit_id cause bill_id" },
  customer_subscription_movements: { personal: {}, plain: "id customer_subscription_id kind currency" },
  customer_subscription_moves: { personal: {}, plain: "id customer_subscription_id" },
  customer_subscriptions: {
    personal: { metadata: ERASED, state: SOLD, external_reference: ORDER, cancel_reason: ERASED },
    plain: "id status customer_id plan_id plan_version_id collection_method source pending_plan_id card_id",
  },
  customer_words: { personal: { word: ERASED }, plain: "customer_id" },
  customers: {
    personal: {
      external_reference: ERASED,
      email: ERASED,
      first_name: ERASED,
      last_name: ERASED,
      company: ERASED,
      vat_number: ERASED,
      phone: ERASED,
      address: ERASED,
      metadata: ERASED,
    },
    plain: "id account_code standing",
  },
  awaited_payments: { personal: {}, plain: "transaction_id type currency gateway_account_id" },
  day_sums: { personal: {}, plain: "figure currency" },
  debit_batches: { personal: {}, plain: "id gateway_account_id status batch_ref problem" },
  debits: { personal: {}, plain: "transaction_id debit_batch_id mandate_id unpaid_reason" },
  document_numbers: { personal: {}, plain: "kind" },
  document_parties: {
    personal: { first_name: TAX, last_name: TAX, company: TAX, address: TAX, vat_number: TAX, email: TAX },
    plain: "document_id supplier_company_name supplier_address supplier_vat_number",
  },
  due_work: { personal: { last_error: NOBODY }, plain: "kind subject lane lease_token" },
  eft_orders: {
    personal: {
      payer_email: ERASED,
      metadata: ERASED,
      description: ERASED,
      external_reference: ORDER,
      rejection_reason: ERASED,
    },
    plain: "id reference status currency customer_id payment_link_id gateway_account_id",
  },
  eft_proofs: { personal: { file_name: ERASED, content: ERASED }, plain: "id order_id content_type source sha256" },
  emails: {
    personal: {
      recipients: ERASED,
      reply_to: ERASED,
      from_name: ERASED,
      subject: ERASED,
      text_body: ERASED,
      html_body: ERASED,
      facts: ERASED,
      secret_sealed: ERASED,
      error: ERASED,
    },
    plain: "id dedupe_key kind status about",
  },
  erasures: { personal: {}, plain: "customer_id erased kept" },
  event_subjects: { personal: {}, plain: "subject" },
  events: { personal: { data: ERASED }, plain: "id type subject" },
  gateway_accounts: { personal: {}, plain: "id type name mode credentials_sealed currencies" },
  gateway_health: { personal: {}, plain: "gateway_account_id last_refusal last_unclear" },
  gateway_notifications: {
    personal: { fact: ERASED, handle_sealed: ERASED, problem: SOLD },
    plain: "id gateway_account_id reference source outcome",
  },
  gateway_statement_lines: { personal: { fact: NOBODY }, plain: "gateway_account_id line reference status" },
  gateway_statements: { personal: {}, plain: "gateway_account_id ticket" },
  gateway_subscriptions: {
    personal: {
      payer_email: ERASED,
      metadata: ERASED,
      handle_sealed: TOKEN,
      card_token_sealed: TOKEN,
      description: ERASED,
      external_reference: ORDER,
    },
    plain:
      "id flags status frequency currency gateway_account_id gateway_type payment_link_id customer_id invoice_id first_reference link_key card_brand card_last4 replaced_by_id",
  },
  idempotency_keys: { personal: { reply_sealed: SHORT }, plain: "key method path body_hash intent" },
  "identity.user": { personal: { email: STAFF, name: STAFF, image: STAFF }, plain: "id" },
  "identity.account": {
    personal: {},
    plain: "id user_id provider_id account_id password access_token refresh_token id_token scope",
  },
  "identity.passkey": { personal: {}, plain: "id user_id name credential_id public_key device_type transports aaguid" },
  "identity.session": { personal: { ip_address: STAFF, user_agent: STAFF }, plain: "id user_id token" },
  "identity.two_factor": { personal: {}, plain: "id user_id secret backup_codes" },
  "identity.verification": { personal: {}, plain: "id identifier value" },
  invitations: { personal: { email: STAFF }, plain: "id role token_hash invited_by" },
  invoice_lines: { personal: { description: TAX, details: TAX }, plain: "invoice_id" },
  invoice_payments: { personal: { reference: TAX }, plain: "id invoice_id source subject method" },
  invoices: {
    personal: { metadata: ERASED, notes: TAX, external_reference: ORDER },
    plain: "id number status customer_id currency quote_id charge",
  },
  journal_entries: { personal: { description: TAX }, plain: "id kind subject" },
  journal_lines: { personal: {}, plain: "entry_id account customer_id currency gateway_account_id" },
  lock_slots: { personal: {}, plain: "kind" },
  mandate_agreements: {
    personal: {
      document: AUTHORITY,
      notes: AUTHORITY,
      signer_name: AUTHORITY,
      signer_address: AUTHORITY,
      signer_user_agent: AUTHORITY,
      consent_text: AUTHORITY,
    },
    plain: "id mandate_id status token_hash document_sha256",
  },
  mandates: {
    personal: {
      account_holder: AUTHORITY,
      account_number_sealed: AUTHORITY,
      id_number_sealed: AUTHORITY,
      account_number_last4: AUTHORITY,
      id_number_last4: AUTHORITY,
      notes: AUTHORITY,
      bank_name: AUTHORITY,
      branch_code: AUTHORITY,
      e_mandate_url: AUTHORITY,
      rejection_reason: AUTHORITY,
      description: AUTHORITY,
    },
    plain:
      "id account_reference customer_id gateway_account_id product_id subscription_id status authority frequency account_type",
  },
  members: { personal: { email: STAFF, name: STAFF }, plain: "id user_id role" },
  migrations: { personal: {}, plain: "name checksum" },
  applied_functions: { personal: {}, plain: "name checksum version" },
  open_invoice_totals: { personal: {}, plain: "customer_id currency" },
  notes: { personal: { text: ERASED, author_name: STAFF }, plain: "id subject member_id" },
  organisation_settings: { personal: { settings: STAFF, logo: NOBODY, logo_print: NOBODY }, plain: "vat_timeline" },
  organisations: { personal: {}, plain: "id slug name plan state limits token_key_sealed" },
  packages: { personal: {}, plain: "id name description" },
  payment_links: {
    personal: { metadata: ERASED, description: ERASED, title: ERASED, external_reference: ORDER },
    plain:
      "id currency return_url recurring_frequency customer_id product_id issued_by invoice_id gateway_subscription_id",
  },
  payment_starts: { personal: {}, plain: "" },
  plan_versions: { personal: {}, plain: "id plan_id currency frequency" },
  plans: { personal: {}, plain: "id package_id code name call_to_action call_to_action_url plan_version_id" },
  portal_links: { personal: { token_hash: ERASED }, plain: "customer_id issued_by" },
  portal_sessions: { personal: { token_hash: ERASED }, plain: "customer_id issued_by" },
  products: { personal: {}, plain: "id name description currency recurring_frequency" },
  quote_lines: { personal: { details: ERASED, description: ERASED }, plain: "quote_id" },
  quotes: { personal: { notes: ERASED }, plain: "id number status customer_id currency invoice_id" },
  request_log: {
    personal: { path: WEEK },
    plain: "id method parameters error key_id key_prefix idempotency",
  },
  rate_windows: { personal: { scope: SHORT }, plain: "" },
  reconciliation_accounts: { personal: {}, plain: "account mapping gateway_account_id" },
  reconciliation_allocations: { personal: {}, plain: "match_id item_id kind subject invoice_id" },
  reconciliation_items: {
    personal: { description: STATEMENT, reference: STATEMENT, ignored_because: STATEMENT, matched_by: STAFF },
    plain: "id run_id status line_key bank_key transaction_reference match_id reason",
  },
  reconciliation_rules: {
    personal: { fragment: STATEMENT },
    plain: "id account direction kind subject status item_id",
  },
  reconciliation_runs: {
    personal: { withdrawn_by: STAFF },
    plain: "id source account gateway_account_id status currency file_name failure row_counts warnings",
  },
  recorded_periods: { personal: { lines: TAX }, plain: "id customer_subscription_id status" },
  referral_clicks: { personal: {}, plain: "partner" },
  referral_sign_ups: { personal: {}, plain: "id partner" },
  refunds: {
    personal: { reason: TAX, failure: TAX },
    plain: "id transaction_id refund_number currency method status provider_ref",
  },
  reversals: { personal: { reason: TAX }, plain: "id transaction_id code debit_invoice_id" },
  retention: { personal: {}, plain: "what reached" },
  revisions: { personal: { facts: ERASED }, plain: "subject" },
  sandbox_debit_batches: { personal: {}, plain: "id account_id reference notify_url status" },
  sandbox_mandates: { personal: { details: AUTHORITY, reason: SOLD }, plain: "id account_id account_reference status" },
  sandbox_payments: {
    personal: { details: ERASED },
    plain: "id account_id checkout_id reference currency status kind subscription_id batch_id",
  },
  sandbox_refunds: { personal: { reason: TAX }, plain: "id payment_id refund_id" },
  sandbox_subscriptions: { personal: { details: ERASED }, plain: "id account_id reference status currency frequency" },
  subscription_collections: { personal: {}, plain: "invoice_id customer_subscription_id new_card_id ended" },
  subscription_migrations: {
    personal: { payer_name: ERASED, email: ERASED, legacy_reference: ORDER },
    plain: "id status gateway_subscription_id customer_subscription_id frequency customer_id card_setup_id",
  },
  subscription_retries: {
    personal: {},
    plain: "id gateway_subscription_id missed_reference payment_link_id reference collected_reference",
  },
  transactions: {
    personal: {
      payer_email: ERASED,
      metadata: ERASED,
      handoff_sealed: ERASED,
      description: TAX,
      external_reference: ORDER,
    },
    plain:
      "id reference status currency type gateway_account_id gateway_type provider_ref checkout_ref payment_link_id customer_id parent_reference subscription_id flags invoice_id eft_order_id",
  },
  webhook_deliveries: {
    personal: { body: ERASED, attempts: ERASED },
    plain: "id event_id event_type subject endpoint_id status",
  },
  webhook_endpoints: { personal: {}, plain: "id url events secret_sealed previous_secret_sealed disabled_reason" },
};

const CATALOGUE = `
  select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as of, a.attname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where n.nspname in ('public', 'identity') and c.relkind in ('r', 'p') and not c.relispartition and a.attname <> 'organisation_id'
     and format_type(a.atttypid, null) = any ('{text,text[],json,jsonb,bytea,inet,character varying}') order by 1, a.attnum`;

let client: pg.Client;
before(async () => {
  client = new pg.Client({ connectionString: (await cloneDatabase()).url });
  await client.connect();
});
after(() => client.end());

test("every column that could hold personal data is decided", async () => {
  const { rows } = await client.query<{ of: string; name: string }>(CATALOGUE);
  const found = new Set(rows.map(({ of, name }) => `${of}.${name}`));
  const decided = Object.entries(COLUMNS).flatMap(([table, { personal, plain }]) =>
    [...Object.keys(personal), ...plain.split(" ")].filter(Boolean).map((column) => `${table}.${column}`),
  );
  assert.deepEqual(
    [...found].filter((column) => !decided.includes(column)),
    [],
    "columns to decide: add them here to COLUMNS, as plain or with what erasure makes of them",
  );
  assert.deepEqual(
    decided.filter((column) => !found.has(column)),
    [],
    "columns that are gone: take them out of COLUMNS",
  );
  assert.equal(new Set(decided).size, decided.length, "each is decided once");
});

test("what is held of a customer is in the archive that is handed over", () => {
  const selected = Object.values(HELD).map((held) => held({ organisation: "org" } as Tx, "cus").strings.join("?"));
  const handed = new Set(selected.flatMap((sql) => /(?:from|join) (\w+) t\b/.exec(sql)?.[1] ?? []));
  const held = Object.entries(COLUMNS)
    .filter(([, { personal }]) => Object.values(personal).some((what) => OF_CUSTOMERS.includes(what)))
    .map(([table]) => table);
  assert.deepEqual(
    held.filter((table) => !handed.has(table) && !NOT_HANDED.has(table)),
    [],
    "tables to hand over: name their rows in `held` of the resource's entry in the catalogue",
  );
});

test("what is said to be erased is named by the functions that erase", async () => {
  const { rows } = await client.query<{ source: string }>(
    "select string_agg(prosrc, ' ') as source from pg_proc where proname = any ('{erase_customer,erase_kept}')",
  );
  const source = rows[0]?.source ?? "";
  const gone = [
    "notes.text",
    "customer_words.word",
    "portal_links.token_hash",
    "portal_sessions.token_hash",
    "eft_proofs.file_name",
    "eft_proofs.content",
  ];
  const missing = Object.entries(COLUMNS).flatMap(([table, { personal }]) =>
    Object.entries(personal)
      .filter(([column, what]) => what === ERASED && !gone.includes(`${table}.${column}`))
      .filter(([column]) => !new RegExp(`update ${table}( \\w+)?\\s+set[^;]*\\b${column} = `).test(source))
      .map(([column]) => `${table}.${column}`),
  );
  assert.deepEqual(
    missing,
    [],
    "columns to erase: in erase_customer, and in subjects_of_customer, which names the records of a customer (migrations/functions)",
  );
});
