import type { DeliveryId, EventId, WebhookEndpointId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** Where events are sent (interface 6). */
export interface WebhookEndpoint {
  readonly id: WebhookEndpointId;
  readonly url: string;
  /** Event types, or `*` for all. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly secretSealed: string;
  /** Signs too for a day after the rotation at `rotatedAt` (interface 6.5). */
  readonly previousSecretSealed: string | null;
  readonly rotatedAt: Instant | null;
  /** The first of the unbroken row of failures that it is in. */
  readonly failingSince: Instant | null;
  /** `gone`: it answered 410; `failing`: for more than five days (interface 6.6). Null when staff switched it off. */
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type DisabledReason = "gone" | "failing";

/** `failed`: the endpoint is off or gone. `parked`: every attempt failed, and staff may send it again (interface 14.4). */
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
  /** The very text that is signed and sent, at every attempt. */
  readonly body: string;
}

/** A delivery with all that its attempt needs. */
export interface DueDelivery extends NewDelivery {
  readonly status: DeliveryStatus;
  readonly attemptsMade: number;
  /** Null once it is deleted. */
  readonly endpoint: WebhookEndpoint | null;
}
