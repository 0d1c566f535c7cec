import { unixSeconds } from "../../kernel/time.ts";
import { hmac } from "../signatures.ts";

export const SIGNATURE_HEADER = "sandbox-signature";

/**
 * Headers of a notification: `Sandbox-Signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA256 with the merchant's secret (UTF-8 text) over
 * `<t>.<raw body>`. The time is the machine's, whatever the organisation's clock says (interface 13.1).
 */
export function signedHeaders(secret: string, rawBody: string, machineNow: Date): Record<string, string> {
  const time = String(unixSeconds(machineNow));
  return {
    "content-type": "application/json",
    [SIGNATURE_HEADER]: `t=${time},v1=${hmac("sha256", secret, `${time}.${rawBody}`)}`,
  };
}
