import { createHmac, randomBytes } from "node:crypto";

/** A secret as the service makes them. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The headers of a delivery, as the service signs them: in its own form, and in that of Standard Webhooks. */
export function signedHeaders(
  event: { readonly id: string; readonly type: string },
  body: string,
  secret: string,
  version: string,
): Record<string, string> {
  const time = Math.floor(Date.now() / 1000);
  const own = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const standard = createHmac("sha256", key).update(`${event.id}.${time}.${body}`).digest("base64");
  return {
    "Content-Type": "application/json",
    "User-Agent": `Tefo/${version} (tefo listen)`,
    "Service-Event-Id": event.id,
    "Service-Event-Type": event.type,
    "Service-Signature": `t=${time},v1=${own}`,
    "webhook-id": event.id,
    "webhook-timestamp": String(time),
    "webhook-signature": `v1,${standard}`,
  };
}
