import { createHmac, randomBytes } from "node:crypto";
import { addSeconds, type Instant } from "../kernel/time.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** How long the previous secret also signs after a rotation (interface 6.5). */
const ROTATION_OVERLAP_SECONDS = 24 * 3600;

/** `whsec_` and 32 random bytes in base64: the form that Standard Webhooks libraries accept. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The secrets that sign at `now`: the current one, and for 24 hours after a rotation the one before it. */
export function signingSecrets(
  endpoint: { secret: string; previousSecret: string | null; rotatedAt: Instant | null },
  now: Instant,
): readonly string[] {
  const { secret, previousSecret, rotatedAt } = endpoint;
  if (previousSecret === null || rotatedAt === null) return [secret];
  return now < addSeconds(rotatedAt, ROTATION_OVERLAP_SECONDS) ? [secret, previousSecret] : [secret];
}

export interface Delivery {
  readonly eventId: string;
  readonly eventType: string;
  /** Unix seconds of real time, also in a sandbox whose clock is set (interface 13.1). */
  readonly timestamp: number;
  /** The exact text that is sent. */
  readonly body: string;
  /** From `signingSecrets`. */
  readonly secrets: readonly string[];
  /** The product's version, for `User-Agent`. */
  readonly version: string;
}

/** Every header of a webhook delivery (interface 6.5): our own signature, and one in the form of Standard Webhooks with the same secret. */
export function deliveryHeaders(delivery: Delivery): Record<string, string> {
  const { eventId, eventType, timestamp, body, secrets, version } = delivery;
  return {
    "Content-Type": "application/json",
    "User-Agent": `Tefo/${version}`,
    "Service-Event-Id": eventId,
    "Service-Event-Type": eventType,
    "Service-Signature": [
      `t=${timestamp}`,
      ...secrets.map((secret) => `v1=${serviceMac(secret, timestamp, body)}`),
    ].join(","),
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${standardMac(secret, eventId, timestamp, body)}`).join(" "),
  };
}

/** Keyed with the whole secret as text, `whsec_` included. */
const serviceMac = (secret: string, timestamp: number, body: string): string =>
  createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");

/** Keyed with the bytes that the secret encodes after `whsec_`. */
const standardMac = (secret: string, id: string, timestamp: number, body: string): string =>
  createHmac("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
