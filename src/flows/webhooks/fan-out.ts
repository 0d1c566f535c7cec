import type { StoredEvent } from "../../modules/events/types.ts";
import { eventView } from "../../modules/events/view.ts";
import { ENDPOINT_TEST } from "../../modules/webhooks/declarations.ts";
import { subscribes } from "../../modules/webhooks/rules.ts";
import { insertDeliveries, shareEnabledEndpoints } from "../../modules/webhooks/store.ts";
import type { NewDelivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, hasFeature } from "../context.ts";

/**
 * Inserts a delivery of each event for each endpoint that subscribes to it, with its body fixed (interface 6): one for
 * each event and endpoint, however often it runs. Locks the endpoints in common with others that do so. Inserts none
 * while the plan does not include the REST API.
 */
export async function fanOut(tx: Tx, ctx: Ctx, events: readonly StoredEvent[]): Promise<void> {
  if (!hasFeature(ctx.organisation, "rest_api")) return;
  const endpoints = await shareEnabledEndpoints(tx);
  const deliveries = events.flatMap((event) => {
    const body = bodyOf(ctx, event);
    return endpoints.filter((endpoint) => takes(endpoint, event)).map((endpoint) => newDelivery(event, endpoint, body));
  });
  if (deliveries.length > 0) await insertDeliveries(tx, deliveries, ctx.now);
}

/** The body of an event's deliveries (interface 6.1). */
export const bodyOf = ({ organisation }: Pick<Ctx, "organisation">, event: StoredEvent): string =>
  JSON.stringify(eventView(organisation, event));

/** A delivery of an event, with its body fixed. */
export const newDelivery = (event: StoredEvent, endpoint: Pick<WebhookEndpoint, "id">, body: string): NewDelivery => ({
  id: newId("whd"),
  eventId: event.id,
  eventType: event.type,
  subject: event.subject,
  endpointId: endpoint.id,
  body,
});

/** Whether the endpoint gets the event. A test event goes to its endpoint, whatever events that subscribes to. */
const takes = (endpoint: WebhookEndpoint, event: StoredEvent): boolean =>
  event.type === ENDPOINT_TEST.name ? event.subject === endpoint.id : subscribes(endpoint.events, event.type);
