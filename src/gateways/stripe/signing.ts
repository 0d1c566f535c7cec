import { hmac, isRecent, parseTimedSignature, sameSignature } from "../signatures.ts";

export const SIGNATURE_HEADER = "stripe-signature";
const TOLERANCE_SECONDS = 300;

/**
 * Null when a `v1` of the header is the HMAC-SHA256 of `<t>.<raw body>` and `t` is within 300 seconds of the machine's clock; else the reason. The
 * key is the endpoint's secret as text, `whsec_` included. Other schemes are ignored.
 */
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
