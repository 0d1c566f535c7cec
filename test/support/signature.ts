import { createHmac } from "node:crypto";

/** As a receiver checks `Service-Signature` (interface 6.5): one of its `v1` is keyed with the secret, its time within 300 seconds of now. */
export function isSigned(signature: string, body: string, secret: string): boolean {
  const [time = "", ...macs] = signature.split(",");
  const seconds = Number(time.replace("t=", ""));
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return Math.abs(Date.now() / 1000 - seconds) <= 300 && macs.includes(`v1=${mac}`);
}
