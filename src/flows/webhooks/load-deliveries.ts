import { failDeliveries, readDueDeliveries } from "../../modules/webhooks/store.ts";
import type { DueDelivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { completeWork, lockLeased, type Work } from "../../platform/due-work.ts";

/** A delivery whose endpoint is there and on. */
export interface SendableDelivery extends DueDelivery {
  readonly endpoint: WebhookEndpoint;
}

/**
 * What leased work is to send, in the order of the works. Null where there is nothing to send any more: delivered meanwhile, or the endpoint
 * is off or gone, which fails it; that work is then done.
 */
export async function loadDeliveries(tx: Tx, works: readonly Work[]): Promise<(SendableDelivery | null)[]> {
  const found = await readDueDeliveries(
    tx,
    works.map(({ subject }) => subject),
  );
  const sendable = new Map(found.filter(isSendable).map((delivery) => [delivery.id as string, delivery]));
  const over = works.filter(({ subject }) => !sendable.has(subject));
  if (over.length > 0) {
    const held = await lockLeased(tx, over);
    const ended = over.filter(({ subject }) => held.has(subject));
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
