// Writes: mandates. Reads: mandate_agreements (the newest one), debits (the mandates of a batch).

import { joinCustomer } from "../../domain/customer-name.ts";
import { isInNoBatchOf } from "../../domain/debited-days.ts";
import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { AgreementStatus } from "../../domain/mandate-agreement.ts";
import type { MandatesRow } from "../../domain/rows.ts";
import type { CurrencyTotal } from "../../domain/totals.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type {
  CustomerSubscriptionId,
  DebitBatchId,
  GatewayAccountId,
  MandateAgreementId,
  MandateId,
} from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import { type CalendarDay, type Instant, instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import type { Mandate, MandateRecord } from "./types.ts";

/** `SealContext.column` of the bank account numbers. */
export const ACCOUNT_NUMBER_COLUMN = "mandates.account_number";
/** `SealContext.column` of the customers' identity numbers. */
export const ID_NUMBER_COLUMN = "mandates.id_number";

interface RecordRow extends MandatesRow {
  readonly customer_reference: string | null;
  readonly customer_email: string | null;
  /** `expiresAt` is text, since it comes as JSON. */
  readonly latest_agreement: {
    readonly id: MandateAgreementId;
    readonly status: AgreementStatus;
    readonly expiresAt: string;
  } | null;
}

const fromRow = (row: MandatesRow): Mandate => ({
  id: row.id,
  accountReference: row.account_reference,
  customerId: row.customer_id,
  gatewayAccountId: row.gateway_account_id,
  productId: row.product_id,
  vat: { taxRate: row.tax_rate === null ? null : decimalOf(row.tax_rate), taxExempt: row.tax_exempt },
  subscriptionId: row.subscription_id,
  status: row.status,
  authority: row.authority,
  description: row.description,
  notes: row.notes,
  amount: row.amount_cents,
  frequency: row.frequency,
  debitDay: row.debit_day,
  startDate: row.start_date,
  endDate: row.end_date,
  firstDebitDate: row.first_debit_date,
  lastDebitDate: row.last_debit_date,
  nextDebitDate: row.next_debit_date,
  lastCollectedAt: row.last_collected_at,
  failureCount: row.failure_count,
  lastUnpaidDate: row.last_unpaid_date,
  bank: {
    name: row.bank_name,
    branchCode: row.branch_code,
    accountType: row.account_type,
    accountHolder: row.account_holder,
    accountNumberSealed: row.account_number_sealed,
    accountNumberLast4: row.account_number_last4,
  },
  idNumberSealed: row.id_number_sealed,
  idNumberLast4: row.id_number_last4,
  eMandateUrl: row.e_mandate_url,
  authorisedAt: row.authorised_at,
  authorityLostAt: row.authority_lost_at,
  authorityRenewedAt: row.authority_renewed_at,
  agreementSignedAt: row.agreement_signed_at,
  approvedAt: row.approved_at,
  rejectedAt: row.rejected_at,
  rejectionReason: row.rejection_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const recordFromRow = (row: RecordRow): MandateRecord => ({
  ...fromRow(row),
  customer: { id: row.customer_id, externalReference: row.customer_reference, email: row.customer_email },
  latestAgreement: row.latest_agreement && {
    id: row.latest_agreement.id,
    status: row.latest_agreement.status,
    expiresAt: instant(row.latest_agreement.expiresAt),
  },
});

/** The columns of a mandate `m` of a customer `c`, with its newest agreement. */
const record = (tx: Tx) => part`
  m.*, c.external_reference as customer_reference, c.email as customer_email,
  (select json_build_object('id', a.id, 'status', a.status, 'expiresAt', a.expires_at) from mandate_agreements a
    where a.organisation_id = ${tx.organisation} and a.mandate_id = m.id order by a.id desc limit 1) as latest_agreement`;

/** Inserts a mandate; false when the account reference is taken. */
export async function insertMandate(tx: Tx, mandate: Mandate): Promise<boolean> {
  const { bank } = mandate;
  const rows = await tx.sql`
    insert into mandates (organisation_id, id, account_reference, customer_id, gateway_account_id, product_id, tax_rate, tax_exempt,
      subscription_id, status, authority, description, notes, amount_cents, frequency, debit_day, start_date, end_date,
      first_debit_date, next_debit_date, bank_name, branch_code, account_type, account_holder, account_number_sealed,
      account_number_last4, id_number_sealed, id_number_last4, authorised_at, created_at, updated_at)
    values (${tx.organisation}, ${mandate.id}, ${mandate.accountReference}, ${mandate.customerId}, ${mandate.gatewayAccountId},
      ${mandate.productId}, ${mandate.vat.taxRate}, ${mandate.vat.taxExempt}, ${mandate.subscriptionId}, ${mandate.status},
      ${mandate.authority}, ${mandate.description}, ${mandate.notes}, ${mandate.amount}, ${mandate.frequency},
      ${mandate.debitDay}, ${mandate.startDate}, ${mandate.endDate}, ${mandate.firstDebitDate}, ${mandate.nextDebitDate},
      ${bank.name}, ${bank.branchCode}, ${bank.accountType}, ${bank.accountHolder}, ${bank.accountNumberSealed},
      ${bank.accountNumberLast4}, ${mandate.idNumberSealed}, ${mandate.idNumberLast4}, ${mandate.authorisedAt},
      ${mandate.createdAt}, ${mandate.updatedAt})
    on conflict (organisation_id, account_reference) do nothing returning id`;
  return rows.length > 0;
}

/** Updates the fields that can change. The caller has locked the mandate. */
export function updateMandate(tx: Tx, mandate: Mandate): void {
  tx.queue`
    update mandates set status = ${mandate.status}, subscription_id = ${mandate.subscriptionId},
      amount_cents = ${mandate.amount}, debit_day = ${mandate.debitDay},
      first_debit_date = ${mandate.firstDebitDate}, next_debit_date = ${mandate.nextDebitDate}, failure_count = ${mandate.failureCount},
      last_unpaid_date = ${mandate.lastUnpaidDate}, e_mandate_url = ${mandate.eMandateUrl},
      authorised_at = ${mandate.authorisedAt}, authority_lost_at = ${mandate.authorityLostAt},
      authority_renewed_at = ${mandate.authorityRenewedAt}, agreement_signed_at = ${mandate.agreementSignedAt},
      approved_at = ${mandate.approvedAt}, rejected_at = ${mandate.rejectedAt},
      rejection_reason = ${mandate.rejectionReason}, updated_at = ${mandate.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${mandate.id}`;
}

/** Deletes a mandate that the gateway refused before its creation was answered. */
export function deleteMandate(tx: Tx, id: MandateId): void {
  tx.queue`delete from mandates where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Null when absent or another organisation's. */
export async function findMandate(tx: Tx, id: string): Promise<MandateRecord | null> {
  const [row] = await tx.sql<RecordRow>`
    select ${record(tx)} from mandates m ${joinCustomer(tx, part`m.customer_id`)}
     where m.organisation_id = ${tx.organisation} and m.id = ${id}`;
  return row ? recordFromRow(row) : null;
}

/** The mandates with these ids, as `findMandate` reads one. */
export async function findMandates(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<MandateId, MandateRecord>> {
  const rows = await tx.sql<RecordRow>`
    select ${record(tx)} from mandates m ${joinCustomer(tx, part`m.customer_id`)}
     where m.organisation_id = ${tx.organisation} and m.id = any (${ids})`;
  return new Map(rows.map((row) => [row.id, recordFromRow(row)]));
}

/** Locks a mandate until the transaction ends. Null when absent or another organisation's. */
export async function lockMandate(tx: Tx, id: string): Promise<Mandate | null> {
  const [row] = await locking(tx, "mandate").sql<MandatesRow>`
    select * from mandates where organisation_id = ${tx.organisation} and id = ${id} for no key update`;
  return row ? fromRow(row) : null;
}

/** As `lockMandate`, by the account reference that a gateway reports. */
export async function lockMandateByReference(tx: Tx, accountReference: string): Promise<Mandate | null> {
  const [row] = await locking(tx, "mandate").sql<MandatesRow>`
    select * from mandates where organisation_id = ${tx.organisation} and account_reference = ${accountReference} for no key update`;
  return row ? fromRow(row) : null;
}

/** Locks several mandates, in the order of their ids. */
export async function lockMandates(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<MandateId, Mandate>> {
  const rows = await locking(tx, "mandate").sql<MandatesRow>`
    select * from mandates where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for no key update`;
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** The ids of the mandates that name a subscription and are not cancelled, oldest first. */
export async function mandatesOfSubscription(tx: Tx, subscription: CustomerSubscriptionId): Promise<MandateId[]> {
  const rows = await tx.sql<Pick<MandatesRow, "id">>`
    select id from mandates where organisation_id = ${tx.organisation} and subscription_id = ${subscription}
       and status <> 'cancelled' order by id`;
  return rows.map(({ id }) => id);
}

/** The mandates with these ids. */
export async function readMandates(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<MandateId, Mandate>> {
  const rows = await tx.sql<MandatesRow>`
    select * from mandates where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/**
 * The mandates that go into a batch of `by` with their own amount: those that are due and are in no other batch of that
 * day; `signed`: only those with a signed agreement. One that collects a subscription debits its invoices instead.
 */
const dueBy = (tx: Tx, by: CalendarDay, signed: boolean) => part`
  m.subscription_id is null and m.next_debit_date <= ${by} and ${isInNoBatchOf(tx, by)}
      and (not ${signed} or m.agreement_signed_at is not null)`;

/** The first mandates of an account that go into a batch of `by`, in the order of their ids. Locks them. */
export async function lockDueMandates(
  tx: Tx,
  account: GatewayAccountId,
  by: CalendarDay,
  { signed, limit }: { readonly signed: boolean; readonly limit: number },
): Promise<Mandate[]> {
  // Found in the order of the index, so that mandates already in a batch are not read again; locked in the order in which every transaction
  // locks mandates.
  const rows = await locking(tx, "mandate").sql<MandatesRow>`
    select * from mandates m
     where m.organisation_id = ${tx.organisation} and ${dueBy(tx, by, signed)} and m.id = any (array(
             select m.id from mandates m where m.organisation_id = ${tx.organisation}
                 and m.gateway_account_id = ${account} and ${dueBy(tx, by, signed)}
              order by m.next_debit_date, m.id limit ${limit}))
     order by m.id for no key update`;
  return rows.map(fromRow);
}

/** A gateway account, among these or all, with a mandate that goes into a batch of `by`; null when there is none. */
export async function gatewayAccountToDebit(
  tx: Tx,
  by: CalendarDay,
  accounts: readonly GatewayAccountId[] | null,
  signed: boolean,
): Promise<GatewayAccountId | null> {
  const [row] = await tx.sql<Pick<MandatesRow, "gateway_account_id">>`
    select m.gateway_account_id from mandates m where m.organisation_id = ${tx.organisation} and ${dueBy(tx, by, signed)}
       ${when(accounts, (value) => part`and m.gateway_account_id = any (${value})`)}
     order by m.next_debit_date, m.id limit 1`;
  return row?.gateway_account_id ?? null;
}

/** The first active mandates with a date before `today` that has passed: those without a signed agreement, or `all`. Locks them. */
export async function lockPassed(
  tx: Tx,
  today: CalendarDay,
  { all, limit }: { readonly all: boolean; readonly limit: number },
): Promise<Mandate[]> {
  const passed = part`next_debit_date < ${today} and (${all} or agreement_signed_at is null)`;
  const rows = await locking(tx, "mandate").sql<MandatesRow>`
    select * from mandates
     where organisation_id = ${tx.organisation} and ${passed} and id = any (array(
             select id from mandates where organisation_id = ${tx.organisation} and ${passed} order by id limit ${limit}))
     order by id for no key update`;
  return rows.map(fromRow);
}

/** Whether any mandate has a date for a debit. */
export async function anyToDebit(tx: Tx): Promise<boolean> {
  const rows = await tx.sql`
    select from mandates where organisation_id = ${tx.organisation} and next_debit_date is not null limit 1`;
  return rows.length > 0;
}

/** Newest first; `q` searches reference, description, account holder, last digits, amount and customer. */
export async function listMandates(
  tx: Tx,
  query: ListQuery<"customerId" | "status" | "accountReference"> & { readonly nextDebitDate?: CalendarDay | undefined },
): Promise<MandateRecord[]> {
  const rows = await tx.sql<RecordRow>`
    select ${record(tx)} from mandates m ${joinCustomer(tx, part`m.customer_id`)}
     where m.organisation_id = ${tx.organisation}
      ${when(query.customerId, (customerId) => part`and m.customer_id = ${customerId}`)}
      ${when(query.status, (status) => part`and m.status = ${status}`)}
      ${when(query.nextDebitDate, (nextDebitDate) => part`and m.next_debit_date = ${nextDebitDate}`)}
      ${when(query.accountReference, (accountReference) => part`and m.account_reference = upper(${accountReference})`)}
      ${onPage(query, part`m.id`)}
      ${createdIn(query, "man", { id: part`m.id`, createdAt: part`m.created_at` })}
      ${when(
        query.q || null,
        (q) => part`and (m.account_reference = upper(${q}) or m.account_number_last4 = ${q}
                                               or concat_ws(' ', m.description, m.account_holder) ilike ${containing(q)}
                                               or m.amount_cents = any (${query.named?.amounts ?? []}::bigint[])
                                               or m.customer_id = any (${query.named?.customers ?? []}::text[]))`,
      )}
     ${newestFirst(query, part`m.id`)}`;
  return rows.map(recordFromRow);
}

/** Locks the number of mandates until the transaction ends, so that creations under a limit run one after the other. */
export const lockMandateQuota = (tx: Tx): void => lockName(tx, "mandate quota", "");

/** The number of mandates that are not cancelled, counted up to `limit`. */
export async function countOpenMandates(tx: Tx, limit: number): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (
      select from mandates where organisation_id = ${tx.organisation} and status <> 'cancelled' limit ${limit}) counted`;
  return row?.count ?? 0;
}

/** The fields of a mandate that a batch changes. */
export interface DebitDates {
  readonly id: MandateId;
  /** The date that went into the batch. */
  readonly lastDebitDate: CalendarDay;
  readonly nextDebitDate: CalendarDay | null;
}

/**
 * Moves mandates that are debited on `actionDate` to their next dates, all in one statement. The caller has locked
 * them; they are active.
 */
export function saveDebitDates(tx: Tx, now: Instant, actionDate: CalendarDay, dates: readonly DebitDates[]): void {
  if (dates.length === 0) return;
  tx.queue`
    update mandates m set last_debit_date = d.last_date, next_debit_date = d.next_date,
      last_action_date = greatest(m.last_action_date, ${actionDate}), updated_at = ${now}
      from unnest(${dates.map(({ id }) => id)}::text[], ${dates.map(({ lastDebitDate }) => lastDebitDate)}::date[],
             ${dates.map(({ nextDebitDate }) => nextDebitDate)}::date[]) as d(id, last_date, next_date)
     where m.organisation_id = ${tx.organisation} and m.id = d.id`;
}

/** Locks the mandates of a batch until the transaction ends, in the order of their ids. */
export async function lockMandatesOfBatch(tx: Tx, batch: DebitBatchId): Promise<void> {
  await locking(tx, "mandate").sql`
    select count(*) from (
      select from mandates where organisation_id = ${tx.organisation} and id in (
        select mandate_id from debits where organisation_id = ${tx.organisation} and debit_batch_id = ${batch})
       order by id for no key update) locked`;
}

/** Stores the later date on which mandates of a batch are debited. The caller has locked them. */
export function saveActionDate(tx: Tx, batch: DebitBatchId, actionDate: CalendarDay): void {
  tx.queue`
    update mandates set last_action_date = greatest(last_action_date, ${actionDate})
     where organisation_id = ${tx.organisation} and id in (
       select mandate_id from debits where organisation_id = ${tx.organisation} and debit_batch_id = ${batch})`;
}

/**
 * Stores the changes of mandates by outcomes of debits (`collected`, `unpaid`) and by dates without a debit, all in one
 * statement. The caller has locked them.
 */
export function saveDebitOutcomes(tx: Tx, now: Instant, mandates: readonly Mandate[]): void {
  if (mandates.length === 0) return;
  const of = (field: keyof Mandate) => mandates.map((mandate) => mandate[field]);
  tx.queue`
    update mandates m set failure_count = o.failure_count, last_unpaid_date = o.last_unpaid_date,
      last_collected_at = o.last_collected_at, status = o.status, next_debit_date = o.next_debit_date,
      authority_lost_at = o.authority_lost_at, updated_at = ${now}
      from unnest(${of("id")}::text[], ${of("failureCount")}::integer[], ${of("lastUnpaidDate")}::date[],
                  ${of("lastCollectedAt")}::date[], ${of("status")}::text[], ${of("nextDebitDate")}::date[],
                  ${of("authorityLostAt")}::timestamptz[])
             as o(id, failure_count, last_unpaid_date, last_collected_at, status, next_debit_date, authority_lost_at)
     where m.organisation_id = ${tx.organisation} and m.id = o.id`;
}

/** Bank account numbers, for `secrets rotate`. */
export const SEALED_ACCOUNT_NUMBERS: SealedColumn = {
  column: "mandates.account_number_sealed",
  sealedFor: ACCOUNT_NUMBER_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, account_number_sealed as sealed from mandates
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(account_number_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update mandates set account_number_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and account_number_sealed = ${before}`,
};

/** Customers' identity numbers, for `secrets rotate`. */
export const SEALED_ID_NUMBERS: SealedColumn = {
  column: "mandates.id_number_sealed",
  sealedFor: ID_NUMBER_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, id_number_sealed as sealed from mandates
     where organisation_id = ${tx.organisation} and id > ${after} and id_number_sealed is not null
       and not starts_with(id_number_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update mandates set id_number_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and id_number_sealed = ${before}`,
};

/** The mandates that are debited next, with their date; null when none is. */
export async function nextDebits(
  tx: Tx,
): Promise<(Omit<CurrencyTotal, "currency"> & { readonly date: CalendarDay }) | null> {
  const [row] = await tx.sql<Omit<CurrencyTotal, "currency"> & { readonly date: CalendarDay }>`
    select m.next_debit_date as date, sum(m.amount_cents)::bigint as amount, count(*)::integer as count
      from mandates m where m.organisation_id = ${tx.organisation} and m.next_debit_date = (
        select min(n.next_debit_date) from mandates n where n.organisation_id = ${tx.organisation} and n.next_debit_date is not null)
     group by 1`;
  return row ?? null;
}
