// Writes: gateway_notifications. Reads nothing else.
import { newId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * A fact about a payment and its outcome (docs/architecture.md, The path of a payment); `fact` contains no secret. `repeated`: it moves
 * nothing, since the payment has that status already or a later one; the first report that a payment is pending is one too.
 */
export interface ReceivedNotification {
  readonly accountId: string;
  readonly reference: string | null;
  readonly source: "notification" | "query" | "payer" | "sweep" | "staff";
  readonly fact: object;
  readonly outcome: "applied" | "repeated" | "mismatch" | "unknown_reference";
  readonly problem: string | null;
  readonly receivedAt: Instant;
}

/** Inserts a fact whatever its outcome, so that staff can see what a gateway reported and when. */
export const recordNotification = (tx: Tx, notification: ReceivedNotification): void =>
  recordNotifications(tx, [notification]);

/** As `recordNotification`, of several facts, in their order and in one statement. */
export function recordNotifications(tx: Tx, notifications: readonly ReceivedNotification[]): void {
  if (notifications.length === 0) return;
  const of = (field: keyof ReceivedNotification) => notifications.map((one) => one[field]);
  tx.queue`
    insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome, problem, received_at)
    select ${tx.organisation}, n.id, n.account_id, n.reference, n.source, n.fact, n.outcome, n.problem, n.received_at
      from unnest(${notifications.map(() => newId("ntf"))}::text[], ${of("accountId")}::text[], ${of("reference")}::text[],
        ${of("source")}::text[], ${notifications.map(({ fact }) => JSON.stringify(fact))}::jsonb[], ${of("outcome")}::text[],
        ${of("problem")}::text[], ${of("receivedAt")}::timestamptz[])
        as n(id, account_id, reference, source, fact, outcome, problem, received_at)
     order by n.id returning id`;
}

/**
 * What a gateway account has reported of the subscription of this name and what was not applied, because no payment was known or it did not fit
 * one; oldest first. As stored: times are text.
 */
export async function factsNotApplied(tx: Tx, accountId: string, subscriptionKey: string): Promise<object[]> {
  const rows = await tx.sql<{ readonly fact: object }>`
    select fact from gateway_notifications
     where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId} and fact -> 'subscription' ->> 'key' = ${subscriptionKey}
       and outcome in ('unknown_reference', 'mismatch')
     order by id`;
  return rows.map(({ fact }) => fact);
}
