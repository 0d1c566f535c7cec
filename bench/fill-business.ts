import { newId } from "../src/platform/new-id.ts";
import type { Bench } from "./bench.ts";
import { AWAITED_PAYMENTS } from "./fill-awaited.ts";
import { DAY_SUMS } from "./fill-day-sums.ts";
import { type Merchant, newMerchant } from "./merchant.ts";
import {
  ORGANISATIONS,
  PACKAGE_ID,
  PLAN_ID,
  sqlCustomerId,
  sqlInvoiceId,
  sqlOrganisationId,
  sqlTransactionId,
} from "./names.ts";
import type { BenchServer } from "./server.ts";
import { startService } from "./service.ts";

/** How many records of each kind an organisation has. */
interface BusinessCounts {
  readonly customers: number;
  readonly invoices: number;
  readonly payments: number;
  readonly subscriptions: number;
}

/** Of each of the other organisations. */
const SMALL: BusinessCounts = { customers: 20, invoices: 30, payments: 30, subscriptions: 10 };
/** Over which the records are spread; the newest are of today. */
const DAYS = 730;
const VERSION = `plv_${"0".repeat(26)}`;
/** Of more than one customer in four. */
export const COMMON_NAME = "Thandi";
/** Of one customer in 333 333. */
export const RARE_NAME = "Xolelwa";
/** The names, the common ones first: the position in the list is the cube of an evenly spread value. */
const NAMES = `${COMMON_NAME},Sipho,Lerato,Johan,Nomsa,Pieter,Ayanda,Fatima,Thabo,Anele,Riaan,Zanele,Bongani,Priya,Kagiso,Elna,Mpho,Yusuf,Palesa,Werner,Naledi,Craig,Siyabonga,Annelie,Tumelo,Rashid,Khanyi,Deon,Refilwe,Louise`;
const NAME_COUNT = NAMES.split(",").length;

/** A pseudo-random number below `below` that depends on `n` alone. */
const spread = (n: string, below: number) => `(${n}::bigint * 7919 % ${below})`;
/** The time of record `n` of `count`, which are numbered from 0. */
const timeOf = (n: string, count: string) =>
  `(now() - interval '1 hour' - (${count} - 1 - ${n}) * (interval '${DAYS} days' / ${count}))`;
/** For three in five a price of a plan; other amounts are rare. In cents. */
const amountOf = (n: string) =>
  `case when ${n} % 5 < 3 then ('{9900,19900,29900,49900,99900}'::bigint[])[${spread(n, 5)} + 1] else 5000 + ${spread(n, 499_979)} end`;

const CUSTOMERS = `
  insert into customers (organisation_id, id, account_code, external_reference, email, first_name, last_name, company, standing, created_at, updated_at)
  select org, ${sqlCustomerId("place", "n")}, 'C-' || lpad(n::text, 8, '0'), case when n % 3 = 0 then 'crm-' || n end,
         'payer' || n || '@' || ('{gmail.com,outlook.com,mweb.co.za,shop.example}'::text[])[n % 4 + 1],
         case when n % 333333 = 333 then '${RARE_NAME}' else ('{${NAMES}}'::text[])[floor(${NAME_COUNT} * power(${spread("n", 997)} / 997.0, 3)) + 1] end,
         initcap(translate(lpad(${spread("n", 9973)}::text, 4, '0'), '0123456789', 'abdegiklmo')),
         case when n % 10 = 0 then 'Traders ' || n end, 'good', at, at
    from business cross join lateral (select n, ${timeOf("n", "customers")} as at from generate_series(0, customers - 1) n) c;
  -- An index is made of all words at once in a part of the time.
  alter table customer_words drop constraint customer_words_pkey;
  drop index customer_words_word;
  insert into customer_words (organisation_id, customer_id, word)
  select organisation_id, id, w.word from customers
   cross join lateral search_words(array[first_name, last_name, company, email, external_reference, account_code]) w(word);
  alter table customer_words add primary key (organisation_id, customer_id, word);
  create index customer_words_word on customer_words (organisation_id, word, customer_id);`;

const TAX = "round(total * 15 / 115.0)::bigint";
const INVOICES = `
  create temporary table billing as
    select org, place, n, ${sqlInvoiceId("place", "n")} as id, at, ${sqlCustomerId("place", `${spread("n", 999_983)} % customers`)} as customer_id, ${amountOf("n")} as total,
           case when n % 50 = 0 then 'cancelled' when n % 50 = 1 then 'draft' when invoices - n < invoices / 25 and n % 3 > 0 then 'sent'
                when n % 50 < 4 then 'overdue' when n % 100 = 4 then 'partially_paid' else 'paid' end as status
      from business cross join lateral (select n, ${timeOf("n", "invoices")} as at from generate_series(0, invoices - 1) n) i;
  insert into invoices (organisation_id, id, number, status, external_reference, customer_id, currency, issue_date, due_date, tax_inclusive, subtotal_cents, tax_cents,
    total_cents, paid_cents, issued_at, sent_at, paid_at, cancelled_at, created_at, updated_at)
  select org, id, 'INV-' || lpad((n + 1)::text, greatest(6, length((n + 1)::text)), '0'), status, case when n % 2 = 0 then 'order-' || n end, customer_id, 'ZAR', at::date, at::date + 14, true,
    total - ${TAX}, ${TAX}, total, case status when 'paid' then total when 'partially_paid' then total / 2 else 0 end,
    case when status <> 'draft' then at end, case when status <> 'draft' then at end, case when status = 'paid' then least(now(), at + interval '5 days') end,
    case when status = 'cancelled' then at end, at, at from billing;
  insert into invoice_lines (organisation_id, invoice_id, line, description, quantity, unit_price, tax_rate, amount_cents, tax_cents)
  select org, id, 1, 'Monthly plan', 1, total / 100.0, 15, total, ${TAX} from billing;
  insert into open_invoice_totals (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
  select org, customer_id, 'ZAR', at::date + 14, count(*), sum(total - case status when 'partially_paid' then total / 2 else 0 end)
    from billing where status in ('sent', 'overdue', 'partially_paid') group by 1, 2, at::date;`;

const PAYMENTS = `
  create temporary table paying as
    select org, place, n, ${sqlTransactionId("place", "n")} as id, at, case when n % 5 > 0 then ${sqlCustomerId("place", `${spread("n", 999_979)} % customers`)} end as customer_id,
           ${amountOf("n")} as amount, ('{once,invoice,debit_order,debit_order,recurring,card_debit}'::text[])[n % 6 + 1] as type,
           case when n % 40 = 0 then 'failed' when n % 100 = 1 then 'cancelled' when n % 100 = 3 then 'refunded' when payments - n < 40 and n % 4 = 2 then 'pending' else 'complete' end as status
      from business cross join lateral (select n, ${timeOf("n", "payments")} as at from generate_series(0, payments - 1) n) p;
  insert into transactions (organisation_id, id, reference, status, amount_cents, fee_cents, currency, type, gateway_account_id, gateway_type, sandbox, description,
    provider_ref, payer_email, customer_id, external_reference, paid_at, created_at)
  select org, p.id, 'TEFO-' || to_char(at, 'YYYYMMDD') || '-' || upper(lpad(to_hex(${spread("n", 2_147_483_647)}), 8, '0')), status, amount, amount / 40, 'ZAR', p.type, g.id,
    g.type, true, 'Monthly plan', 'sbx_' || n, 'payer' || n || '@' || ('{gmail.com,outlook.com,mweb.co.za}'::text[])[n % 3 + 1], customer_id,
    case when n % 2 = 0 then 'order-' || n end, case when status in ('complete', 'refunded') then at end, at
    from paying p cross join lateral (select a.id, a.type from gateway_accounts a where a.organisation_id = p.org order by a.id limit 1) g;
  insert into refunds (organisation_id, id, transaction_id, refund_number, amount_cents, currency, method, status, processed_at, created_at)
  select org, 'ref_' || substr(id, 5), id, 'RFD-' || n, amount, 'ZAR', 'gateway', 'processed', at, at from paying where status = 'refunded';
  insert into reversals (organisation_id, id, transaction_id, amount_cents, reason, code, occurred_at, reversed_at, created_at)
  select org, 'rev_' || substr(id, 5), id, amount, 'insufficient_funds', '02', least(now(), at + interval '3 days'), least(now(), at + interval '3 days'), at
    from paying where type = 'debit_order' and status = 'complete' and n % 40 = 2;
  insert into eft_orders (organisation_id, id, reference, status, amount_cents, currency, description, gateway_account_id, payer_email, expires_at, created_at)
  select org, 'eft_' || substr(p.id, 5), 'EFT' || n, case when n % 1000 = 0 then 'awaiting_review' else 'expired' end, amount, 'ZAR', 'Order', g.id, 'payer@bench.example', at, at
    from paying p cross join lateral (select a.id from gateway_accounts a where a.organisation_id = p.org order by a.id limit 1) g where n % 50 = 0;`;

/** Every fourth subscription has ended. Two invoices in five are a subscription's; one in twenty of these was not collected at first. */
const SUBSCRIPTIONS = `
  insert into packages (organisation_id, id, name, enabled, created_at, updated_at) select org, '${PACKAGE_ID}', 'Hosting', true, now(), now() from business;
  insert into plan_versions (organisation_id, id, plan_id, number, amount_cents, currency, frequency, setup_fee_cents, trial_days, tax_rate, tax_inclusive, created_at)
  select org, '${VERSION}', '${PLAN_ID}', 1, 49900, 'ZAR', 'monthly', 0, 0, 15, true, now() from business;
  insert into plans (organisation_id, id, package_id, name, enabled, call_to_action, plan_version_id, created_at, updated_at)
  select org, '${PLAN_ID}', '${PACKAGE_ID}', 'Gold', true, 'none', '${VERSION}', now(), now() from business;
  create temporary table subscribing as
    select org, place, n, lpad(place::text, 16, '0') || lpad(n::text, 10, '0') as key, at, ${sqlCustomerId("place", "n % customers")} as customer_id, n % 4 = 0 as ended
      from business cross join lateral (select n, ${timeOf("n", "subscriptions")} as at from generate_series(0, subscriptions - 1) n) s;
  insert into customer_subscriptions (organisation_id, id, status, customer_id, plan_id, plan_version_id, collection_method, metadata, state, cancelled_at, created_at, updated_at, mrr_cents)
  select org, 'csub_' || key, case when ended then 'cancelled' else 'active' end, customer_id, '${PLAN_ID}', '${VERSION}', 'invoice', '{}', '{"terms": {"price": {"currency": "ZAR"}}}', case when ended then now() end, at, at,
    case when ended then 0 else 49900 end from subscribing;
  insert into customer_subscription_movements (organisation_id, id, customer_subscription_id, kind, currency, amount_cents, happened_at)
  select org, 'mrm_' || key, 'csub_' || key, 'new', 'ZAR', 49900, at from subscribing union all
  select org, 'mrm_' || overlay(key placing '1' from 1), 'csub_' || key, 'churn', 'ZAR', -49900, least(now(), at + interval '90 days') from subscribing where ended;
  insert into subscription_collections (organisation_id, invoice_id, customer_subscription_id, missed_at, ended, created_at)
  select b.org, b.id, 'csub_' || lpad(b.place::text, 16, '0') || lpad((b.n % subscriptions)::text, 10, '0'), case when b.n % 40 = 0 then least(now(), b.at + interval '14 days') end,
    case when b.status in ('paid', 'cancelled') then b.status when b.status = 'overdue' and b.at < now() - interval '60 days' then 'given_up' end, b.at
    from billing b join business using (org) where b.n % 5 < 2 and b.status <> 'draft';
  update invoices i set missed_at = k.missed_at
    from subscription_collections k where k.organisation_id = i.organisation_id and k.invoice_id = i.id and k.missed_at is not null;`;

const MANDATES = `
  insert into mandates (organisation_id, id, account_reference, customer_id, gateway_account_id, status, authority, description, amount_cents, frequency, debit_day, start_date,
    first_debit_date, next_debit_date, branch_code, account_type, account_holder, account_number_sealed, account_number_last4, authorised_at, created_at, updated_at)
  select org, 'mandate_' || key, 'DO' || lpad(to_hex(n), 10, '0'), customer_id, g.id, 'active', 'offline', 'Monthly plan', 49900, 'monthly', day, at::date, at::date,
    current_date + day, '250655', 'current', 'T Nkosi', 'sealed', '7701', at, at, at
    from subscribing s cross join lateral (select a.id from gateway_accounts a where a.organisation_id = s.org order by a.id limit 1) g
   cross join lateral (select case when n % 10 < 5 then 3 else n % 25 + 3 end as day) d where n % 3 = 1 and not ended;`;

const DELIVERIES = (id: string) => `
  insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, created_at)
  select org, '${id}' || lpad(n::text, 16, '0'), 'evt_' || repeat('0', 32), 'payment.completed', 'txn', 'we_' || repeat('0', 26), '{}', case when n % 10 = 0 then 'failed' else 'delivered' end, now()
    from business cross join lateral generate_series(1, payments / 50) n;`;

const TABLES =
  "customers, customer_words, invoices, invoice_lines, open_invoice_totals, transactions, refunds, reversals, eft_orders, packages, plans, plan_versions, customer_subscriptions, customer_subscription_movements, subscription_collections, mandates, webhook_deliveries, day_sums, money_sums, awaited_payments";

/**
 * Businesses of two years: customers with names of which some are common, invoices, payments of all kinds and states,
 * bank transfers, subscriptions with collections and movements, mandates, deliveries. The organisation `large` has this
 * many of them; each other one has few. Without the books. The database must have no customers before.
 */
async function fillBusiness({ query }: BenchServer, url: string, large: string, counts: BusinessCounts): Promise<void> {
  const columns = (of: BusinessCounts) =>
    Object.entries(of)
      .map(([name, count]) => `${count} as ${name}`)
      .join(", ");
  await query(
    url,
    `set session_replication_role = replica; set maintenance_work_mem = '512MB';
    create temporary table business as
      select '${large}' as org, 0 as place, ${columns(counts)}
      union all select ${sqlOrganisationId("n")}, n, ${columns(SMALL)} from generate_series(1, ${ORGANISATIONS}) n;
    analyze business;
    ${CUSTOMERS} ${INVOICES} ${PAYMENTS} ${SUBSCRIPTIONS} ${MANDATES} ${DELIVERIES(newId("whd").slice(0, 14))} ${DAY_SUMS} ${AWAITED_PAYMENTS}
    drop table business, billing, paying, subscribing;`,
  );
  await query(url, `vacuum analyze ${TABLES}`);
  await query(url, "checkpoint");
}

/** A database with a business of millions of records, and its owner. */
export interface Business {
  readonly url: string;
  readonly merchant: Merchant;
}

const MILLIONS: BusinessCounts = {
  customers: 1_000_000,
  invoices: 1_000_000,
  payments: 1_000_000,
  subscriptions: 100_000,
};
const opened = new WeakMap<BenchServer, Promise<Business>>();

/** The business whose lists are measured: a million customers, a million invoices, a million payments. Made on first use. */
export function openBusiness({ server, say }: Bench): Promise<Business> {
  const known = opened.get(server) ?? make(server, say);
  opened.set(server, known);
  return known;
}

async function make(server: BenchServer, say: Bench["say"]): Promise<Business> {
  const url = await server.database("business");
  const merchant = await newMerchant(server, url);
  const service = await startService(server, { DATABASE_URL: url, PROCESS: "api" });
  await merchant.dashboard(service.baseUrl, "POST", "/gateways", { type: "sandbox" }).finally(() => service.stop());
  say("writing a business of a million customers, invoices and payments");
  await fillBusiness(server, url, merchant.id, MILLIONS);
  return { url, merchant };
}
