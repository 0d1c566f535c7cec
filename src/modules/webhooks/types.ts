import type { DeliveryId, EventId, WebhookEndpointId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** A webhook endpoint (interface 6). */
export interface WebhookEndpoint {
  readonly id: WebhookEndpointId;
  readonly url: string;
  /** Event types, or `*` for all. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly secretSealed: string;
  /** It signs too for 24 hours after `rotatedAt` (interface 6.5). */
  readonly previousSecretSealed: string | null;
  readonly rotatedAt: Instant | null;
  /** The first of the present uninterrupted series of failed attempts. */
  readonly failingSince: Instant | null;
  /** `gone`: it answered 410; `failing`: it failed for more than five days (interface 6.6). Null when staff disabled it. */
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type DisabledReason = "gone" | "failing";

/**
 * The statuses of a delivery. `failed`: the endpoint is disabled or deleted. `parked`: every attempt failed, and staff may send it
 * again (interface 14.4).
 */
export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "parked"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Interface 14.4, shapes; stored as it is shown. `at` is by the organisation's clock. */
export interface Attempt {
  readonly at: string;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly responseExcerpt: string | null;
}

/** One event for one endpoint. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly endpointId: WebhookEndpointId;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Instant | null;
}

/** A delivery before its first attempt. */
export interface NewDelivery extends Pick<Delivery, "id" | "eventId" | "eventType" | "endpointId"> {
  readonly subject: string;
  /** The text that is signed and sent, the same at every attempt. */
  readonly body: string;
}

/** A delivery with all data for an attempt. */
export interface DueDelivery extends NewDelivery {
  readonly status: DeliveryStatus;
  readonly attemptsMade: number;
  /** Null when it was deleted. */
  readonly endpoint: WebhookEndpoint | null;
}
