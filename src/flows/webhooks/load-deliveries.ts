import { failDeliveries, readDueDeliveries } from "../../modules/webhooks/store.ts";
import type { DueDelivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { completeWork, lockLeased, type Work } from "../../platform/due-work.ts";

/** A pending delivery whose endpoint is enabled. */
export interface SendableDelivery extends DueDelivery {
  readonly endpoint: WebhookEndpoint;
}

/**
 * Loads the deliveries of leased work, in the order of `works`. Null for a delivery that is not to be sent: it was
 * delivered, or its endpoint is disabled or deleted, in which case it fails. Completes the work of these.
 */
export async function loadDeliveries(tx: Tx, works: readonly Work[]): Promise<(SendableDelivery | null)[]> {
  const found = await readDueDeliveries(
    tx,
    works.map(({ subject }) => subject),
  );
  const sendable = new Map(found.filter(isSendable).map((delivery) => [delivery.id as string, delivery]));
  const notSendable = works.filter(({ subject }) => !sendable.has(subject));
  if (notSendable.length > 0) {
    const leased = await lockLeased(tx, notSendable);
    const ended = notSendable.filter(({ subject }) => leased.has(subject));
    failDeliveries(
      tx,
      ended.map(({ subject }) => subject),
    );
    completeWork(tx, ended);
  }
  return works.map(({ subject }) => sendable.get(subject) ?? null);
}

const isSendable = (delivery: DueDelivery): delivery is SendableDelivery =>
  delivery.status === "pending" && (delivery.endpoint?.enabled ?? false);
