import { unixSeconds } from "../../kernel/time.ts";
import { hmac, isRecent, parseTimedSignature, sameSignature } from "../signatures.ts";

export const SIGNATURE_HEADER = "sandbox-signature";
const TOLERANCE_SECONDS = 300;

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

/** Null when the signature is of this body and secret and its time is within 300 seconds of the machine's clock; else the reason. */
export function signatureFault(
  secret: string,
  header: string | undefined,
  rawBody: Uint8Array,
  machineNow: Date,
): string | null {
  const { time, signatures } = parseTimedSignature(header);
  if (time === undefined || signatures.length === 0) return "The signature is missing.";
  const expected = hmac("sha256", secret, Buffer.concat([Buffer.from(`${time}.`), rawBody]));
  if (!signatures.some((signature) => sameSignature(signature, expected))) return "The signature is wrong.";
  return isRecent(time, machineNow, TOLERANCE_SECONDS) ? null : "The signature is too old.";
}
