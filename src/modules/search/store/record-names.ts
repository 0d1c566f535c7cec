// Writes nothing. Reads: api_keys, card_setups, cards, checkout_sessions, coupons, credit_notes, credit_refunds, customer_subscriptions, customers, debit_batches, eft_orders, emails, events, gateway_accounts, gateway_subscriptions, invitations, invoice_payments, invoices, mandate_agreements, mandates, members, organisations, packages, payment_links, plans, products, quotes, reconciliation_allocations, reconciliation_items, reconciliation_rules, reconciliation_runs, refunds, reversals, subscription_migrations, transactions, webhook_deliveries, webhook_endpoints.

import { CUSTOMER_LABEL } from "../../../platform/customer-name.ts";
import type { NameRow, Names } from "../../../platform/records.ts";

/** The statements that read the names of records, by the prefix of ids. */
export const NAMES = {
  cus: (tx, ids) => tx.sql<NameRow>`
    select c.id, ${CUSTOMER_LABEL} as name, c.id as target
      from customers c where c.organisation_id = ${tx.organisation} and c.id = any (${ids})`,
  inv: (tx, ids) => tx.sql<NameRow>`
    select id, number as name, id as target from invoices where organisation_id = ${tx.organisation} and id = any (${ids})`,
  ipm: (tx, ids) => tx.sql<NameRow>`
    select p.id, i.number as name, i.id as target
      from invoice_payments p join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id
     where p.organisation_id = ${tx.organisation} and p.id = any (${ids})`,
  quo: (tx, ids) => tx.sql<NameRow>`
    select id, number as name, id as target from quotes where organisation_id = ${tx.organisation} and id = any (${ids})`,
  cn: (tx, ids) => tx.sql<NameRow>`
    select id, number as name, id as target from credit_notes where organisation_id = ${tx.organisation} and id = any (${ids})`,
  crf: (tx, ids) => tx.sql<NameRow>`
    select r.id, ${CUSTOMER_LABEL} as name, c.id as target
      from credit_refunds r join customers c on c.organisation_id = ${tx.organisation} and c.id = r.customer_id
     where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
  txn: (tx, ids) => tx.sql<NameRow>`
    select id, reference as name, reference as target
      from transactions where organisation_id = ${tx.organisation} and id = any (${ids})`,
  ref: (tx, ids) => tx.sql<NameRow>`
    select r.id, r.refund_number as name, t.reference as target
      from refunds r join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
     where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
  rev: (tx, ids) => tx.sql<NameRow>`
    select r.id, t.reference as name, t.reference as target
      from reversals r join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
     where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
  plink: (tx, ids) => tx.sql<NameRow>`
    select id, title as name, id as target from payment_links where organisation_id = ${tx.organisation} and id = any (${ids})`,
  eft: (tx, ids) => tx.sql<NameRow>`
    select id, reference as name, id as target from eft_orders where organisation_id = ${tx.organisation} and id = any (${ids})`,
  man: (tx, ids) => tx.sql<NameRow>`
    select id, account_reference as name, id as target
      from mandates where organisation_id = ${tx.organisation} and id = any (${ids})`,
  agr: (tx, ids) => tx.sql<NameRow>`
    select a.id, m.account_reference as name, m.id as target
      from mandate_agreements a join mandates m on m.organisation_id = ${tx.organisation} and m.id = a.mandate_id
     where a.organisation_id = ${tx.organisation} and a.id = any (${ids})`,
  dbat: (tx, ids) => tx.sql<NameRow>`
    select id, 'Batch for ' || to_char(action_date, 'FMDD Mon YYYY') as name, id as target
      from debit_batches where organisation_id = ${tx.organisation} and id = any (${ids})`,
  csub: (tx, ids) => tx.sql<NameRow>`
    select s.id, concat_ws(', ', p.name, ${CUSTOMER_LABEL}) as name, s.id as target
      from customer_subscriptions s join customers c on c.organisation_id = ${tx.organisation} and c.id = s.customer_id
      join plans p on p.organisation_id = ${tx.organisation} and p.id = s.plan_id
     where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
  gsub: (tx, ids) => tx.sql<NameRow>`
    select s.id, coalesce(m.payer_name, s.description, s.payer_email, s.external_reference, s.first_reference) as name, s.id as target
      from gateway_subscriptions s
      left join subscription_migrations m on m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = s.id
     where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
  gsm: (tx, ids) => tx.sql<NameRow>`
    select id, payer_name as name, id as target
      from subscription_migrations where organisation_id = ${tx.organisation} and id = any (${ids})`,
  chk: (tx, ids) => tx.sql<NameRow>`
    select s.id, coalesce(d.name, nullif(concat_ws(', ', k.name, p.name), '')) as name, s.id as target
      from checkout_sessions s
      left join packages k on k.organisation_id = ${tx.organisation} and k.id = s.package_id
      left join plans p on p.organisation_id = ${tx.organisation} and p.id = s.plan_id
      left join products d on d.organisation_id = ${tx.organisation} and d.id = s.product_id
     where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
  pkg: (tx, ids) => tx.sql<NameRow>`
    select id, name, id as target from packages where organisation_id = ${tx.organisation} and id = any (${ids})`,
  plan: (tx, ids) => tx.sql<NameRow>`
    select p.id, concat_ws(', ', k.name, p.name) as name, k.id as target
      from plans p join packages k on k.organisation_id = ${tx.organisation} and k.id = p.package_id
     where p.organisation_id = ${tx.organisation} and p.id = any (${ids})`,
  cpn: (tx, ids) => tx.sql<NameRow>`
    select id, code as name, id as target from coupons where organisation_id = ${tx.organisation} and id = any (${ids})`,
  prod: (tx, ids) => tx.sql<NameRow>`
    select id, name, id as target from products where organisation_id = ${tx.organisation} and id = any (${ids})`,
  card: (tx, ids) => tx.sql<NameRow>`
    select id, concat_ws(' ending in ', initcap(brand), nullif(last4, '')) as name, customer_id as target
      from cards where organisation_id = ${tx.organisation} and id = any (${ids})`,
  cset: (tx, ids) => tx.sql<NameRow>`
    select s.id, ${CUSTOMER_LABEL} as name, c.id as target
      from card_setups s join customers c on c.organisation_id = ${tx.organisation} and c.id = s.customer_id
     where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
  gw: (tx, ids) => tx.sql<NameRow>`
    select id, name, id as target from gateway_accounts where organisation_id = ${tx.organisation} and id = any (${ids})`,
  rci: (tx, ids) => tx.sql<NameRow>`
    select id, nullif(description, '') as name, id as target
      from reconciliation_items where organisation_id = ${tx.organisation} and id = any (${ids})`,
  rcm: (tx, ids) => tx.sql<NameRow>`
    select distinct a.match_id as id, nullif(i.description, '') as name, i.id as target
      from reconciliation_allocations a join reconciliation_items i on i.organisation_id = ${tx.organisation} and i.id = a.item_id
     where a.organisation_id = ${tx.organisation} and a.match_id = any (${ids})`,
  rcn: (tx, ids) => tx.sql<NameRow>`
    select id, coalesce(file_name, account) as name, id as target
      from reconciliation_runs where organisation_id = ${tx.organisation} and id = any (${ids})`,
  rcr: (tx, ids) => tx.sql<NameRow>`
    select id, fragment as name, id as target
      from reconciliation_rules where organisation_id = ${tx.organisation} and id = any (${ids})`,
  mail: (tx, ids) => tx.sql<NameRow>`
    select id, subject as name, id as target from emails where organisation_id = ${tx.organisation} and id = any (${ids})`,
  evt: (tx, ids) => tx.sql<NameRow>`
    select id, type as name, id as target from events where organisation_id = ${tx.organisation} and id = any (${ids})`,
  we: (tx, ids) => tx.sql<NameRow>`
    select id, url as name, id as target from webhook_endpoints where organisation_id = ${tx.organisation} and id = any (${ids})`,
  whd: (tx, ids) => tx.sql<NameRow>`
    select id, event_type as name, id as target
      from webhook_deliveries where organisation_id = ${tx.organisation} and id = any (${ids})`,
  key: (tx, ids) => tx.sql<NameRow>`
    select id, name, id as target from api_keys where organisation_id = ${tx.organisation} and id = any (${ids})`,
  mem: (tx, ids) => tx.sql<NameRow>`
    select id, coalesce(nullif(name, ''), email) as name, id as target
      from members where organisation_id = ${tx.organisation} and id = any (${ids})`,
  ivt: (tx, ids) => tx.sql<NameRow>`
    select id, email as name, id as target from invitations where organisation_id = ${tx.organisation} and id = any (${ids})`,
  org: (tx, ids) => tx.sql<NameRow>`
    select id, name, id as target from organisations where id = ${tx.organisation} and id = any (${ids})`,
} as const satisfies Readonly<Record<string, Names>>;
