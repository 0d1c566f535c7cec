import { createHmac } from "node:crypto";

/**
 * Checks `Service-Signature` as a receiver does (interface 6.5): one `v1` is the HMAC with the secret, and the time is
 * within 300 seconds of now.
 */
export function isSigned(signature: string, body: string, secret: string): boolean {
  const [time = "", ...macs] = signature.split(",");
  const seconds = Number(time.replace("t=", ""));
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return Math.abs(Date.now() / 1000 - seconds) <= 300 && macs.includes(`v1=${mac}`);
}
