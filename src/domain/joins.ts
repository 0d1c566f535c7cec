import { type Part, part, type Tx } from "../platform/database.ts";

/*
 * The records that those of other resources name, joined by their ids: their tables are named here, whatever statement
 * reads them. After `left` it is a left join, and conditions of the join may follow. Customers are in customer-name.ts.
 */

/** Joins the invoice `i`. */
export const joinInvoice = (tx: Tx, id: Part): Part =>
  part`join invoices i on i.organisation_id = ${tx.organisation} and i.id = ${id}`;

/** Joins the payment `t`. */
export const joinPayment = (tx: Tx, id: Part): Part =>
  part`join transactions t on t.organisation_id = ${tx.organisation} and t.id = ${id}`;

/**
 * Joins the payment `t` with this reference: its type, gateway and fee, by one look-up for each row, where no plan
 * knows how many rows there are.
 */
export const lookUpPayment = (tx: Tx, reference: Part): Part => part`
  join lateral (select type, gateway_type, fee_cents from transactions
    where organisation_id = ${tx.organisation} and reference = ${reference} limit 1) t on true`;

/** Joins the payment link `l`. */
export const joinPaymentLink = (tx: Tx, id: Part): Part =>
  part`join payment_links l on l.organisation_id = ${tx.organisation} and l.id = ${id}`;

/** Joins the customer subscription `s`. */
export const joinSubscription = (tx: Tx, id: Part): Part =>
  part`join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = ${id}`;

/** Joins the plan `p`. */
export const joinPlan = (tx: Tx, id: Part): Part =>
  part`join plans p on p.organisation_id = ${tx.organisation} and p.id = ${id}`;

/** Joins the package `k`. */
export const joinPackage = (tx: Tx, id: Part): Part =>
  part`join packages k on k.organisation_id = ${tx.organisation} and k.id = ${id}`;

/** Joins the mandate `m`. */
export const joinMandate = (tx: Tx, id: Part): Part =>
  part`join mandates m on m.organisation_id = ${tx.organisation} and m.id = ${id}`;

/**
 * The lines of bank statements that show money of records, as related records of these; a condition on the match `a`
 * chooses them.
 */
export const relatedBankLines = (tx: Tx, matched: Part): Part => part`
  select 'reconciliation_item' as relation, a.item_id as id from reconciliation_allocations a
   where a.organisation_id = ${tx.organisation} and a.undone_at is null and ${matched}`;

/** The disputes of a payment, as related records of it. */
export const relatedDisputes = (tx: Tx, payment: string): Part => part`
  select 'dispute' as relation, d.id from disputes d
   where d.organisation_id = ${tx.organisation} and d.transaction_id = ${payment}`;

/** The ids of all gateway accounts, as `any (…)` takes them: it lets a search by gateway references use their index. */
export const allAccounts = (tx: Tx): Part =>
  part`array(select a.id from gateway_accounts a where a.organisation_id = ${tx.organisation})`;

/** Condition: a line of the statements of a gateway account names the payment with this reference. */
export const isOnStatement = (tx: Tx, account: string, reference: Part): Part => part`
  exists (select from gateway_statement_lines l
           where l.organisation_id = ${tx.organisation} and l.gateway_account_id = ${account} and l.reference = ${reference})`;
