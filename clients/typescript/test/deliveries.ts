import { deliveryHeaders, newWebhookSecret } from "../../../src/platform/webhook-signing.ts";
import type { Event } from "../src/generated/types.ts";
import { type List, listOf, type Page } from "../src/lists.ts";
import type { WebhookEvent } from "../src/webhooks/verify.ts";

export const SECRET = newWebhookSecret();

/** An event of a subject. */
export function eventOf(subject: string, sequence: number, type = "invoice.paid"): WebhookEvent {
  const event: Event = {
    id: `evt_${subject}_${sequence}`,
    type,
    created: "2026-11-20T09:30:12.345Z",
    subject,
    sequence,
    apiVersion: "1.16.0",
    sandbox: true,
    organisation: { id: "org_1", slug: "demo" },
    data: {},
  };
  return JSON.parse(JSON.stringify(event)) as WebhookEvent;
}

/** Body and headers of a delivery, made by the service's own code. */
export function delivered(event: WebhookEvent, secrets: readonly string[] = [SECRET], timestamp = nowSeconds()) {
  const body = JSON.stringify(event);
  const headers = deliveryHeaders({ eventId: event.id, eventType: event.type, timestamp, body, secrets, version: "1" });
  return { body, headers };
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** `GET /events` over these events, two a page. */
export const readerOf =
  (events: () => readonly WebhookEvent[]) =>
  ({ subject }: { subject?: string }): List<unknown> =>
    listOf({} as { startingAfter?: string }, async ({ startingAfter }): Promise<Page<unknown>> => {
      const found = events()
        .filter((event) => subject === undefined || event.subject === subject)
        .toReversed();
      const from = startingAfter === undefined ? 0 : found.findIndex(({ id }) => id === startingAfter) + 1;
      const data = found.slice(from, from + 2);
      const hasMore = from + 2 < found.length;
      return { data, hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null };
    });
