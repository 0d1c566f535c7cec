// Writes: customers. Reads: customer_balances, open_invoice_totals (what a customer owes).

import type { CustomerBalance } from "../../kernel/customer-balance.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import { locking, lockName } from "../../platform/locks.ts";
import type { CustomersRow } from "../../platform/rows.ts";
import type { ListQuery } from "../../platform/schema.ts";
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

/** A customer with what is owed and held by the books, and open and overdue by the invoices, in one currency on a business day. */
export interface CustomerWithBalance {
  readonly customer: Customer;
  readonly owed: CustomerBalance;
}

const withBalance = (tx: Tx, ids: readonly string[], currency: string, today: BusinessDay) => part`
  select c.*, coalesce(b.receivable_cents, 0)::bigint as receivable, coalesce(b.credit_cents, 0)::bigint as credit, t.*
    from customers c
    left join customer_balances b on b.organisation_id = ${tx.organisation} and b.customer_id = c.id and b.currency = ${currency}
   cross join lateral (
     select coalesce(sum(o.open_invoices), 0)::integer as open,
            coalesce(sum(o.open_cents) filter (where o.due_date < ${today}), 0)::bigint as overdue,
            min(o.due_date) filter (where o.due_date < ${today} and o.open_invoices > 0) as oldest
       from open_invoice_totals o where o.organisation_id = ${tx.organisation} and o.customer_id = c.id and o.currency = ${currency}) t
   where c.organisation_id = ${tx.organisation} and c.id = any (${ids}) order by c.id`;

const withBalanceFromRow = (row: WithBalanceRow): CustomerWithBalance => ({
  customer: fromRow(row),
  owed: {
    balance: cents(row.receivable),
    credit: cents(row.credit),
    openInvoices: row.open,
    overdue: cents(row.overdue),
    oldestOverdue: row.oldest as BusinessDay | null,
  },
});

/** How a customer stands in one currency; null when absent or another organisation's. */
export async function findWithBalance(
  tx: Tx,
  id: string,
  currency: string,
  today: BusinessDay,
): Promise<CustomerWithBalance | null> {
  const [row] = await tx.sql<WithBalanceRow>`${withBalance(tx, [id], currency, today)}`;
  return row ? withBalanceFromRow(row) : null;
}

/**
 * As `findWithBalance`, of many, by id, locked until the transaction ends: beside others who write rows that name the customers. The caller holds the
 * customers' balances in this currency: if one could move while a lock is waited for, what is answered would be from before.
 */
export async function lockWithBalance(
  tx: Tx,
  ids: readonly CustomerId[],
  currency: string,
  today: BusinessDay,
): Promise<CustomerWithBalance[]> {
  const rows = await locking(tx, "customer")
    .sql<WithBalanceRow>`${withBalance(tx, ids, currency, today)} for no key update of c`;
  return rows.map(withBalanceFromRow);
}

/**
 * As `findCustomer`, locked, for a change that may give another reference: that needs the row alone. Who asks for it later, with a weaker lock
 * already, and somebody who writes a row that names the customer and then wants the customer, would wait for each other.
 */
export async function lockCustomerForUpdate(tx: Tx, id: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer")
      .sql<CustomersRow>`select * from customers where organisation_id = ${tx.organisation} and id = ${id} for update`,
  );
}

/** Exact reference; not locked. */
export async function findByExternalReference(tx: Tx, externalReference: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and external_reference = ${externalReference}`,
  );
}

/** As a request names a customer: by id, or else by the merchant's own reference. */
export interface CustomerIdentifier {
  readonly id: string | null;
  readonly externalReference?: string | null;
}

/** Not locked; null when there is no such customer, and for a name without id and reference. */
export async function findIdentifiedCustomer(
  tx: Tx,
  { id, externalReference }: CustomerIdentifier,
): Promise<Customer | null> {
  if (id !== null) return findCustomer(tx, id);
  return externalReference ? findByExternalReference(tx, externalReference) : null;
}

/** Exact reference; locked, since the caller is about to update it (interface 4.4, upsert rule 2). */
export async function lockByExternalReference(tx: Tx, externalReference: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer").sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and external_reference = ${externalReference} for no key update`,
  );
}

/** The oldest customer with that email, case-insensitive; not locked, so that it may be asked for under any lock. */
export async function findOldestByEmail(tx: Tx, email: string): Promise<Customer | null> {
  return one(
    await tx.sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and lower(email) = lower(${email})
       order by id limit 1`,
  );
}

/** As `findOldestByEmail`, of those without a reference, to be given one (interface 4.4); locked, the row alone, as by `lockCustomerForUpdate`. */
export async function lockOldestWithoutReference(tx: Tx, email: string): Promise<Customer | null> {
  return one(
    await locking(tx, "customer").sql<CustomersRow>`
      select * from customers where organisation_id = ${tx.organisation} and lower(email) = lower(${email}) and external_reference is null
       order by id limit 1 for update`,
  );
}

/** What two who create customers at this moment may both want, in the order in which it is locked. */
export type CreationLock = "customer reference" | "customer email" | "customer quota";

/** Makes the caller wait for others who create customers for the same email or reference, whatever its case, or count them, at this moment. */
export function serialiseCreation(tx: Tx, what: CreationLock, name = ""): void {
  lockName(tx, what, name.toLowerCase());
}

/** How many there are, counted no further than `limit`. */
export async function countCustomers(tx: Tx, limit: number): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (select from customers where organisation_id = ${tx.organisation} limit ${limit}) counted`;
  return row?.count ?? 0;
}

/** A new row. */
export function insertCustomer(tx: Tx, customer: Customer): void {
  tx.queue`
    insert into customers (organisation_id, id, account_code, external_reference, email, first_name, last_name, company, vat_number,
      phone, address, active, metadata, standing, created_at, updated_at)
    values (${tx.organisation}, ${customer.id}, ${customer.accountCode}, ${customer.externalReference}, ${customer.email},
      ${customer.firstName}, ${customer.lastName}, ${customer.company}, ${customer.vatNumber}, ${customer.phone}, ${customer.address},
      ${customer.active}, ${JSON.stringify(customer.metadata)}, ${customer.standing}, ${customer.createdAt}, ${customer.updatedAt})`;
}

/** What was last told of how customers stand. */
export function saveStandings(tx: Tx, customers: readonly Pick<Customer, "id" | "standing">[]): void {
  tx.queue`
    update customers c set standing = s.standing
      from unnest(${customers.map(({ id }) => id)}::text[], ${customers.map(({ standing }) => standing)}::text[]) as s(id, standing)
     where c.organisation_id = ${tx.organisation} and c.id = s.id`;
}

/** Every field a client may change, and the standing. */
export function updateCustomer(tx: Tx, customer: Customer): void {
  tx.queue`
    update customers set external_reference = ${customer.externalReference}, email = ${customer.email},
      first_name = ${customer.firstName}, last_name = ${customer.lastName}, company = ${customer.company},
      vat_number = ${customer.vatNumber}, phone = ${customer.phone}, address = ${customer.address}, active = ${customer.active},
      metadata = ${JSON.stringify(customer.metadata)}, standing = ${customer.standing}, updated_at = ${customer.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${customer.id}`;
}

/** Newest first; `q` searches names, email, reference and code. */
export async function listCustomers(tx: Tx, query: ListQuery<"externalReference" | "email">): Promise<Customer[]> {
  const rows = await tx.sql<CustomersRow>`
    select * from customers where organisation_id = ${tx.organisation}
      ${query.externalReference === undefined ? NOTHING : part`and external_reference = ${query.externalReference}`}
      ${query.email === undefined ? NOTHING : part`and lower(email) = lower(${query.email})`}
      ${query.startingAfter === undefined ? NOTHING : part`and id < ${query.startingAfter}`}
      ${query.q ? part`and (concat_ws(' ', first_name, last_name, company, email, external_reference, account_code) ilike ${containing(query.q)})` : NOTHING}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

/** Oldest first, those after the id `after`; `from` inclusive and `until` exclusive are moments of their creation. */
export async function exportCustomers(
  tx: Tx,
  query: { after: string; limit: number; from: Instant | null; until: Instant | null },
): Promise<Customer[]> {
  const rows = await tx.sql<CustomersRow>`
    select * from customers where organisation_id = ${tx.organisation} and id > ${query.after}
      ${query.from === null ? NOTHING : part`and created_at >= ${query.from}`}
      ${query.until === null ? NOTHING : part`and created_at < ${query.until}`}
     order by id limit ${query.limit}`;
  return rows.map(fromRow);
}
