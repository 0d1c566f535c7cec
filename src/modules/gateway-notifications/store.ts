// Writes: gateway_notifications. Reads nothing else.

import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";

/** `SealContext.column` of the handles that were reported before their subscriptions began. */
export const EARLY_HANDLE_COLUMN = "gateway_notifications.handle";

/**
 * A fact about a payment and its outcome (docs/architecture.md, The path of a payment); `fact` contains no secret. `repeated`: it changes
 * nothing, since the payment has that status already or a later one; the first report that a payment is pending has this outcome too.
 */
export interface ReceivedNotification {
  readonly accountId: string;
  readonly reference: string | null;
  readonly source: "notification" | "query" | "payer" | "sweep" | "staff" | "statement";
  readonly fact: object;
  readonly outcome: "applied" | "repeated" | "mismatch" | "unknown_reference";
  readonly problem: string | null;
  readonly receivedAt: Instant;
  /** The handle with which an adapter changes the subscription, encrypted, from a report that arrived before the subscription began. */
  readonly handleSealed?: string | null;
}

/** Inserts a fact whatever its outcome, so that staff can see what a gateway reported and when. */
export const recordNotification = (tx: Tx, notification: ReceivedNotification): void =>
  recordNotifications(tx, [notification]);

/** As `recordNotification`, of several facts, in their order and in one statement. */
export function recordNotifications(tx: Tx, notifications: readonly ReceivedNotification[]): void {
  if (notifications.length === 0) return;
  const of = (field: keyof ReceivedNotification) => notifications.map((one) => one[field]);
  tx.queue`
    insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome,
                                       problem, received_at, handle_sealed)
    select ${tx.organisation}, n.id, n.account_id, n.reference, n.source, n.fact, n.outcome, n.problem, n.received_at, n.handle_sealed
      from unnest(${notifications.map(() => newId("ntf"))}::text[], ${of("accountId")}::text[], ${of("reference")}::text[],
        ${of("source")}::text[], ${notifications.map(({ fact }) => JSON.stringify(fact))}::jsonb[], ${of("outcome")}::text[],
        ${of("problem")}::text[], ${of("receivedAt")}::timestamptz[],
        ${notifications.map(({ handleSealed }) => handleSealed ?? null)}::text[])
        as n(id, account_id, reference, source, fact, outcome, problem, received_at, handle_sealed)
     order by n.id returning id`;
}

/** The gateway's ids under which a payment was reported as paid and completed: one, or null when that report named none. */
export async function idsOfPaidReports(tx: Tx, reference: string): Promise<(string | null)[]> {
  const rows = await tx.sql<{ readonly id: string | null }>`
    select fact ->> 'providerRef' as id from gateway_notifications
     where organisation_id = ${tx.organisation} and reference = ${reference} and outcome = 'applied' and fact ->> 'kind' = 'paid'`;
  return rows.map(({ id }) => id);
}

/**
 * The newest report that a payment was paid which did not fit it and was not applied; null when there is none. As
 * stored: times are text, and it holds no secrets.
 */
export async function unfitPaidReport(tx: Tx, reference: string): Promise<object | null> {
  const [row] = await tx.sql<{ readonly fact: object }>`
    select fact from gateway_notifications
     where organisation_id = ${tx.organisation} and reference = ${reference} and outcome = 'mismatch' and fact ->> 'about' = 'payment'
       and fact ->> 'kind' = 'paid'
     order by id desc limit 1`;
  return row?.fact ?? null;
}

/**
 * Facts about the subscription of this name that a gateway account reported and that were not applied, because no
 * payment was known or the fact matched none; oldest first. As stored: times are text, and the encrypted handle is
 * beside the fact.
 */
export async function factsNotApplied(
  tx: Tx,
  accountId: string,
  subscriptionKey: string,
): Promise<{ readonly fact: object; readonly handleSealed: string | null }[]> {
  const rows = await tx.sql<{ readonly fact: object; readonly handle_sealed: string | null }>`
    select fact, handle_sealed from gateway_notifications
     where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId}
       and fact -> 'subscription' ->> 'key' = ${subscriptionKey}
       and outcome in ('unknown_reference', 'mismatch')
     order by id`;
  return rows.map(({ fact, handle_sealed: handleSealed }) => ({ fact, handleSealed }));
}

/** The handles that were reported before their subscriptions began, for `secrets rotate`. */
export const SEALED_EARLY_HANDLES: SealedColumn = {
  column: "gateway_notifications.handle_sealed",
  sealedFor: EARLY_HANDLE_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, handle_sealed as sealed from gateway_notifications
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(handle_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update gateway_notifications set handle_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and handle_sealed = ${before}`,
};

/** A payment, by what a report of a refund may name it. */
interface NamedPayment<Id extends string> {
  readonly id: Id;
  readonly gatewayAccountId: string;
  readonly reference: string;
  readonly providerRef: string | null;
}

/** Those of the payments about which a report of a refund was not applied. */
export async function withRefundReports<Id extends string>(
  tx: Tx,
  payments: readonly NamedPayment<Id>[],
): Promise<Id[]> {
  if (payments.length === 0) return [];
  const of = (field: keyof NamedPayment<Id>) => payments.map((payment) => payment[field]);
  const rows = await tx.sql<{ readonly id: Id }>`
    select p.id
      from unnest(${of("id")}::text[], ${of("gatewayAccountId")}::text[], ${of("reference")}::text[], ${of("providerRef")}::text[])
           as p(id, account_id, reference, provider_ref)
     where exists (select from gateway_notifications n
        where n.organisation_id = ${tx.organisation} and n.gateway_account_id = p.account_id and n.reference = p.reference
          and n.fact ->> 'about' = 'refund' and n.outcome in ('unknown_reference', 'mismatch'))
        or exists (select from gateway_notifications n
        where n.organisation_id = ${tx.organisation} and n.gateway_account_id = p.account_id and n.fact ->> 'paymentRef' = p.provider_ref
          and n.fact ->> 'about' = 'refund' and n.outcome in ('unknown_reference', 'mismatch'))`;
  return rows.map(({ id }) => id);
}

/** The reports of refunds of a payment that were not applied, oldest first, each once. As stored: times are text. */
export async function refundReportsOf(
  tx: Tx,
  { gatewayAccountId, reference, providerRef }: Omit<NamedPayment<string>, "id">,
): Promise<object[]> {
  const rows = await tx.sql<{ readonly fact: object }>`
    select fact from gateway_notifications
     where organisation_id = ${tx.organisation} and gateway_account_id = ${gatewayAccountId}
       and fact ->> 'about' = 'refund' and outcome in ('unknown_reference', 'mismatch')
       and (reference = ${reference} or fact ->> 'paymentRef' = ${providerRef})
     group by fact order by min(id)`;
  return rows.map(({ fact }) => fact);
}

/** Recent outcomes of the payments of an account. */
export interface RecentReports {
  readonly lastNotificationAt: Instant | null;
  /** Notified facts by their outcome. */
  readonly applied: number;
  readonly repeated: number;
  readonly mismatch: number;
  readonly unknown: number;
  /** Payments that a notification decided. */
  readonly seen: number;
  /** Payments that were decided by asking, since there was no notification. */
  readonly asked: number;
}

/** How many of the organisation's newest facts are searched for those of one account. */
const LOOKED_THROUGH = 10_000;

/** Outcomes of the payments of an account since `from`, among the organisation's last 10 000 facts. */
export async function recentReports(tx: Tx, accountId: string, from: Instant): Promise<RecentReports> {
  const [row] = await tx.sql<{ [Key in keyof RecentReports]: RecentReports[Key] }>`
    select max(n.received_at) filter (where n.source = 'notification') as "lastNotificationAt",
        count(*) filter (where n.source = 'notification' and n.outcome = 'applied' and n.received_at >= ${from})::int as applied,
        count(*) filter (where n.source = 'notification' and n.outcome = 'repeated' and n.received_at >= ${from})::int as repeated,
        count(*) filter (where n.source = 'notification' and n.outcome = 'mismatch' and n.received_at >= ${from})::int as mismatch,
        count(*) filter (where n.source = 'notification' and n.outcome = 'unknown_reference' and n.received_at >= ${from})::int as unknown,
        count(*) filter (where n.source = 'notification' and n.outcome = 'applied' and n.received_at >= ${from}
          and n.fact ->> 'about' = 'payment')::int as seen,
        count(*) filter (where n.source = 'query' and n.outcome = 'applied' and n.received_at >= ${from}
          and n.fact ->> 'about' = 'payment')::int as asked
      from (select * from gateway_notifications where organisation_id = ${tx.organisation} order by id desc limit ${LOOKED_THROUGH}) n
     where n.gateway_account_id = ${accountId}`;
  return row ?? { lastNotificationAt: null, applied: 0, repeated: 0, mismatch: 0, unknown: 0, seen: 0, asked: 0 };
}
