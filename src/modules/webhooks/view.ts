import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { Delivery, WebhookEndpoint } from "./types.ts";

/** An endpoint as the dashboard shows it (interface 14.2), without its secret. */
export const endpointView = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason,
  failingSince: toTimestampOrNull(endpoint.failingSince),
  createdAt: toTimestamp(endpoint.createdAt),
  updatedAt: toTimestamp(endpoint.updatedAt),
});

/** Interface 14.4, shapes. */
export const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  endpointId: delivery.endpointId,
  status: delivery.status,
  attempts: delivery.attempts.map(({ at, statusCode, durationMs, error, responseExcerpt }) => ({
    at,
    statusCode,
    durationMs,
    error,
    responseExcerpt,
  })),
  nextAttemptAt: toTimestampOrNull(delivery.nextAttemptAt),
});
