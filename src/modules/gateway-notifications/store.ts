// Writes: gateway_notifications. Reads nothing else.
import { newId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";

/** A fact about a payment and its outcome (docs/architecture.md, The path of a payment); `fact` contains no secret. */
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
export function recordNotification(tx: Tx, notification: ReceivedNotification): void {
  tx.queue`
    insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome, problem, received_at)
    values (${tx.organisation}, ${newId("ntf")}, ${notification.accountId}, ${notification.reference}, ${notification.source}, ${JSON.stringify(notification.fact)},
      ${notification.outcome}, ${notification.problem}, ${notification.receivedAt})`;
}
