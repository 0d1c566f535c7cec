// Writes: customers. Reads: customer_words (kept by a trigger; the search), open_invoice_totals (what a customer owes),
// gateway_subscriptions, mandates, card_charges, customer_subscriptions.

import { type CustomerBalance, joinBalances, leftJoinBalance } from "../../domain/customer-balance.ts";
import { joinPayment } from "../../domain/joins.ts";
import { totalsOf } from "../../domain/list-totals.ts";
import { createdIn, hasMetadata, type ListFilter, newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import { locking, lockName, lockNames } from "../../domain/locks.ts";
import type { CustomersRow } from "../../domain/rows.ts";
import { settingsOf } from "../../domain/settings.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../platform/database.ts";
import { NEAREST, pageOfFound } from "../../platform/found.ts";
import type { Customer } from "./types.ts";

const fromRow = (row: CustomersRow): Customer => ({
  id: row.id,
  accountCode: row.account_code,
  externalReference: row.external_reference,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  company: row.company,
  vatNumber: row.vat_number,
  phone: row.phone,
  address: row.address,
  active: row.active,
  metadata: row.metadata,
  standing: row.standing,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const one = (rows: CustomersRow[]): Customer | null => (rows[0] ? fromRow(rows[0]) : null);

/** Null when absent or another organisation's. */
export async function findCustomer(tx: Tx, id: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`select * from customers where organisation_id = ${tx.organisation} and id = ${id}`,
  );
}

interface WithBalanceRow extends CustomersRow {
  receivable: number;
  credit: number;
  open: number;
  overdue: number;
  oldest: string | null;
}

/** A customer with the kept balance in one currency: what is owed and credited, and the open and overdue totals on a business day. */
export interface CustomerWithBalance {
  readonly customer: Customer;
  readonly owed: CustomerBalance;
}

const withBalance = (tx: Tx, ids: readonly string[], currency: string, today: CalendarDay) => part`
  select c.*, coalesce(b.receivable_cents, 0)::bigint as receivable, coalesce(b.credit_cents, 0)::bigint as credit, t.*
    from customers c
    ${leftJoinBalance(tx, part`c.id`, currency)}
   cross join lateral (
     select coalesce(sum(o.open_invoices), 0)::integer as open,
            coalesce(sum(o.open_cents) filter (where o.due_date < ${today}), 0)::bigint as overdue,
            min(o.due_date) filter (where o.due_date < ${today} and o.open_invoices > 0) as oldest
       from open_invoice_totals o where o.organisation_id = ${tx.organisation} and o.customer_id = c.id and o.currency = ${currency}) t
   where c.organisation_id = ${tx.organisation} and ${ids.length === 1 ? part`c.id = ${ids[0]}` : part`c.id = any (${ids}) order by c.id`}`;

const withBalanceFromRow = (row: WithBalanceRow): CustomerWithBalance => ({
  customer: fromRow(row),
  owed: {
    balance: cents(row.receivable),
    credit: cents(row.credit),
    openInvoices: row.open,
    overdue: cents(row.overdue),
    oldestOverdue: row.oldest as CalendarDay | null,
  },
});

/** Reads a customer with the balance in one currency. Null when absent or another organisation's. */
export async function findWithBalance(
  tx: Tx,
  id: string,
  currency: string,
  today: CalendarDay,
): Promise<CustomerWithBalance | null> {
  const [row] = await tx.sql<WithBalanceRow>`${withBalance(tx, [id], currency, today)}`;
  return row ? withBalanceFromRow(row) : null;
}

/**
 * As `findWithBalance`, for many, by id, and locks the customers; records that refer to them can still be inserted. The
 * caller has locked their balances in this currency; otherwise these could change while this waits for a lock, and the
 * result would be out of date.
 */
export async function lockWithBalance(
  tx: Tx,
  ids: readonly CustomerId[],
  currency: string,
  today: CalendarDay,
): Promise<CustomerWithBalance[]> {
  const rows = await locking(tx, "customer")
    .sql<WithBalanceRow>`${withBalance(tx, ids, currency, today)} for no key update of c`;
  return rows.map(withBalanceFromRow);
}

/** As `findCustomer`, and locks the customer for a change. Records that refer to the customer can still be inserted. */
export async function lockCustomerForUpdate(tx: Tx, id: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer")
      .sql<CustomersRow>`select * from customers where organisation_id = ${tx.organisation} and id = ${id} for no key update`,
  );
}

/** By the exact reference, without a lock. */
export async function findByExternalReference(tx: Tx, externalReference: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and external_reference = ${externalReference}`,
  );
}

/** How a request names a customer: by id, else by the merchant's reference. */
export interface CustomerIdentifier {
  readonly id: string | null;
  readonly externalReference?: string | null;
}

/** Reads the customer, without a lock. Null when there is none, and when neither id nor reference is given. */
export async function findIdentifiedCustomer(
  tx: Tx,
  { id, externalReference }: CustomerIdentifier,
): Promise<Customer | null> {
  if (id !== null) return findCustomer(tx, id);
  return externalReference ? findByExternalReference(tx, externalReference) : null;
}

/** Reads the customers with one of these ids or references, in one statement and without a lock. */
export async function findIdentifiedCustomers(tx: Tx, names: readonly CustomerIdentifier[]): Promise<Customer[]> {
  const ids = names.flatMap(({ id }) => id ?? []);
  const references = names.flatMap(({ id, externalReference }) => (id === null ? (externalReference ?? []) : []));
  const rows = await tx.sql<CustomersRow>`
    select * from customers where organisation_id = ${tx.organisation} and id = any (${ids})
    union
    select * from customers where organisation_id = ${tx.organisation} and external_reference = any (${references})`;
  return rows.map(fromRow);
}

/** As `findIdentifiedCustomer`, together with the organisation's stored settings, in one statement. */
export async function findCustomerAndSettings(
  tx: Tx,
  { id, externalReference }: CustomerIdentifier,
): Promise<{ customer: Customer; settings: unknown } | null> {
  const named = id === null ? part`c.external_reference = ${externalReference ?? null}` : part`c.id = ${id}`;
  const [row] = await tx.sql<CustomersRow & { settings: unknown }>`
    select c.*, ${settingsOf(tx)} as settings
      from customers c where c.organisation_id = ${tx.organisation} and ${named}`;
  return row ? { customer: fromRow(row), settings: row.settings ?? {} } : null;
}

/** By the exact reference, and locks the customer for an update (interface 4.4, upsert rule 2). */
export async function lockByExternalReference(tx: Tx, externalReference: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer").sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and external_reference = ${externalReference} for no key update`,
  );
}

/** The oldest customer with that email, ignoring case, without a lock. */
export async function findOldestByEmail(tx: Tx, email: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and lower(email) = lower(${email})
       order by id limit 1`,
  );
}

/** As `lockOldestWithoutReference`, without the lock. */
export async function findOldestWithoutReference(tx: Tx, email: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and lower(email) = lower(${email}) and external_reference is null
       order by id limit 1`,
  );
}

/** As `findOldestByEmail`, of those without a reference (interface 4.4), and locks the customer as `lockCustomerForUpdate`. */
export async function lockOldestWithoutReference(tx: Tx, email: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer").sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and lower(email) = lower(${email}) and external_reference is null
       order by id limit 1 for no key update`,
  );
}

/** What concurrent creations of customers lock, in the order in which they lock it. */
type CreationLock = "customer reference" | "customer email" | "customer quota";

/**
 * Locks a reference or email (ignoring case), or the count of customers, until the transaction ends, so that creations of the same
 * customer run one after the other.
 */
export function serialiseCreation(tx: Tx, what: CreationLock, name = ""): void {
  lockName(tx, what, name.toLowerCase());
}

/** As `serialiseCreation`, for several names at once. */
export function serialiseCreations(tx: Tx, what: CreationLock, names: readonly string[]): void {
  lockNames(
    tx,
    what,
    names.map((name) => name.toLowerCase()),
  );
}

/** The number of customers, counted up to `limit`. */
export async function countCustomers(tx: Tx, limit: number): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (select from customers where organisation_id = ${tx.organisation} limit ${limit}) counted`;
  return row?.count ?? 0;
}

/** Inserts a customer. */
export function insertCustomer(tx: Tx, customer: Customer): void {
  tx.queue`
    insert into customers (organisation_id, id, account_code, external_reference, email, first_name, last_name, company, vat_number,
      phone, address, active, metadata, standing, created_at, updated_at)
    values (${tx.organisation}, ${customer.id}, ${customer.accountCode}, ${customer.externalReference}, ${customer.email},
      ${customer.firstName}, ${customer.lastName}, ${customer.company}, ${customer.vatNumber}, ${customer.phone}, ${customer.address},
      ${customer.active}, ${JSON.stringify(customer.metadata)}, ${customer.standing}, ${customer.createdAt}, ${customer.updatedAt})`;
}

/** Stores the standings that were last announced. */
export function saveStandings(tx: Tx, customers: readonly Pick<Customer, "id" | "standing">[]): void {
  tx.queue`
    update customers c set standing = s.standing
      from unnest(${customers.map(({ id }) => id)}::text[], ${customers.map(({ standing }) => standing)}::text[]) as s(id, standing)
     where c.organisation_id = ${tx.organisation} and c.id = s.id`;
}

/** Updates every field that a client may change, and the standing. */
export function updateCustomer(tx: Tx, customer: Customer): void {
  tx.queue`
    update customers set external_reference = ${customer.externalReference}, email = ${customer.email},
      first_name = ${customer.firstName}, last_name = ${customer.lastName}, company = ${customer.company},
      vat_number = ${customer.vatNumber}, phone = ${customer.phone}, address = ${customer.address}, active = ${customer.active},
      metadata = ${JSON.stringify(customer.metadata)}, standing = ${customer.standing}, updated_at = ${customer.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${customer.id}`;
}

type CustomerFilter = ListFilter<"externalReference" | "email">;

/**
 * Condition: the filters of the list and the export, times and metadata among them. An address is one of the customer's
 * words, whose index finds it.
 */
const recordsWanted = (tx: Tx, query: CustomerFilter) => part`
      ${when(query.externalReference, (externalReference) => part`and external_reference = ${externalReference}`)}
      ${when(
        query.email,
        (email) => part`and lower(email) = lower(${email}) and id in (select w.customer_id from customer_words w
              where w.organisation_id = ${tx.organisation} and w.word = left(search_folded(${email}), 100))`,
      )}
      ${createdIn(query, "cus", { id: part`id`, createdAt: part`created_at` })}
      ${hasMetadata(query, part`metadata`)}`;

/** Condition on a customer: one of its words begins with this one, whatever the case and accents. */
const hasWord = (tx: Tx, id: Part, word: string) => part`
      and exists (select from customer_words o where o.organisation_id = ${tx.organisation} and o.customer_id = ${id}
        and o.word >= search_folded(${word}) and o.word < search_folded(${endOfPrefix(word)}))`;

const hasWords = (tx: Tx, id: Part, words: readonly string[]): Part =>
  words.reduce((all, word) => part`${all} ${hasWord(tx, id, word)}`, NOTHING);

/**
 * As `hasWords`, tested for each customer alone: its words are read by its id. The planner cannot make it a join, which
 * would read all words with this beginning.
 */
const hasWordsEach = (tx: Tx, id: Part, words: readonly string[]): Part =>
  words.reduce(
    (all, word) => part`${all}
      and (select true from customer_words o where o.organisation_id = ${tx.organisation} and o.customer_id = ${id}
        and starts_with(o.word, (select search_folded(${word}))) limit 1)`,
    NOTHING,
  );

/** Condition on a word of `customer_words`: it begins with this one. */
const beginsWith = (word: string): Part =>
  part`and w.word >= search_folded(${word}) and w.word < search_folded(${endOfPrefix(word)})`;

/** Condition: each word of the search text is the beginning of a word of the names, the address, the reference or the code. */
const matches = (tx: Tx, { q, named }: CustomerFilter): Part =>
  !q ? NOTHING : named && named.words.length > 0 ? hasWords(tx, part`customers.id`, named.words) : part`and false`;

/** Newest first. */
export async function listCustomers(tx: Tx, query: CustomerFilter & PageQuery): Promise<Customer[]> {
  const wanted = part`${recordsWanted(tx, query)} ${onPage(query, part`id`)}`;
  const rows = await tx.sql<CustomersRow>`
    select * from customers where organisation_id = ${tx.organisation}
      ${query.q ? part`and id = any (${await foundCustomers(tx, query, wanted)})` : wanted}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** How many customers match, and by currency what they owe and their credit. */
export function customerTotals(tx: Tx, query: CustomerFilter, countTo?: number) {
  const wanted = part`${recordsWanted(tx, query)} ${matches(tx, query)}`;
  return totalsOf(tx, countTo, {
    records: part`from customers where customers.organisation_id = ${tx.organisation} ${wanted}`,
    amounts: part`from customers ${joinBalances(tx, part`customers.id`)} where customers.organisation_id = ${tx.organisation} ${wanted}`,
    currency: part`b.currency`,
    sums: { balance: part`b.receivable_cents`, credit: part`b.credit_cents` },
  });
}

/** The ids of one page of the customers that match `wanted` and `q`. */
async function foundCustomers(tx: Tx, query: CustomerFilter & PageQuery, wanted: Part): Promise<CustomerId[]> {
  // The longest word is usually the rarest.
  const [first = "", ...others] = (query.named?.words ?? []).toSorted((a, b) => b.length - a.length);
  if (first === "") return [];
  return pageOfFound(
    query.limit,
    () => tx.sql<{ id: CustomerId }>`
      select id from (select * from customers where organisation_id = ${tx.organisation} ${wanted}
                      ${newestFirst({ ...query, limit: NEAREST / 5 }, part`id`)}) customers
       where true ${hasWordsEach(tx, part`customers.id`, [first, ...others])} ${newestFirst(query, part`id`)}`,
    async () => {
      const has = others.length > 0 && (await isRare(tx, first)) ? hasWordsEach : hasWords;
      return tx.sql<{ id: CustomerId }>`
      with worded as materialized (
        select distinct w.customer_id from customer_words w
         where w.organisation_id = ${tx.organisation} ${beginsWith(first)}
           ${onPage(query, part`w.customer_id`)}
           ${has(tx, part`w.customer_id`, others)})
      select id from customers where organisation_id = ${tx.organisation} ${wanted}
         and id = any (array(select customer_id from worded ${hasFilter(query) ? NOTHING : newestFirst(query, part`customer_id`)}))
       ${newestFirst(query, part`id`)}`;
    },
  );
}

/** Whether so few words begin with this one that their customers are read one by one. */
async function isRare(tx: Tx, word: string): Promise<boolean> {
  const [row] = await tx.sql<{ many: boolean }>`
    select true as many from customer_words w where w.organisation_id = ${tx.organisation} ${beginsWith(word)} offset ${NEAREST} limit 1`;
  return row === undefined;
}

const hasFilter = ({ email, externalReference }: CustomerFilter): boolean =>
  email !== undefined || externalReference !== undefined;

/** Oldest first, those after the id `after`. `from` is inclusive and `until` exclusive; both filter by creation time. */
export async function exportCustomers(
  tx: Tx,
  query: CustomerFilter & { after: string; limit: number; from: Instant | null; until: Instant | null },
): Promise<Customer[]> {
  const rows = await tx.sql<CustomersRow>`
    select * from customers where organisation_id = ${tx.organisation} and id > ${query.after}
      ${recordsWanted(tx, query)} ${matches(tx, query)}
      ${when(query.from, (from) => part`and created_at >= ${from}`)}
      ${when(query.until, (until) => part`and created_at < ${until}`)}
     order by id limit ${query.limit}`;
  return rows.map(fromRow);
}

/** A record of a customer that goes on by itself: it is billed, collected or debited, or a charge whose outcome is awaited. */
export interface Running {
  readonly kind: "subscription" | "gateway subscription" | "mandate" | "card charge";
  readonly id: string;
  readonly status: string;
}

/** What is running of a customer, oldest first of each kind; a subscription that another platform bills is not. */
export async function runningOf(tx: Tx, customer: CustomerId): Promise<Running[]> {
  return tx.sql<Running & Record<string, unknown>>`
    select kind, id, status from (
      select 1 as place, 'subscription' as kind, id, status from customer_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer}
         and status not in ('cancelled', 'expired', 'paused') and collection_method <> 'external'
      union all
      select 2, 'gateway subscription', id, status from gateway_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status in ('active', 'past_due')
      union all
      select 3, 'mandate', id, status from mandates
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status in ('pending', 'active')
      union all
      select 4, 'card charge', t.reference, t.status from card_charges k
        ${joinPayment(tx, part`k.transaction_id`)}
       where k.organisation_id = ${tx.organisation} and t.customer_id = ${customer} and t.status = 'pending') r
     order by place, id`;
}

/** Deletes a customer to whom no record refers. False when one does. The caller has locked the customer. */
export async function deleteUnusedCustomer(tx: Tx, id: CustomerId): Promise<boolean> {
  const deleted = await tx.sql`
    delete from customers where organisation_id = ${tx.organisation} and id = ${id}
       and is_customer_unused(${tx.organisation}, ${id}) returning id`;
  return deleted.length === 1;
}
