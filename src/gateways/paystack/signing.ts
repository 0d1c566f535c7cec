import { hmac, sameSignature } from "../signatures.ts";

const SIGNATURE_HEADER = "x-paystack-signature";

/**
 * Null when the header is the HMAC-SHA512 of the received bytes with the account's secret key, in hex; else the reason.
 * The bytes must be as received: the same JSON written differently has another signature.
 */
export function signatureFault(
  secretKey: string,
  {
    headers,
    rawBody,
  }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly rawBody: Uint8Array },
): string | null {
  const given = headers[SIGNATURE_HEADER];
  if (!given) return "The signature is missing.";
  return sameSignature(given, hmac("sha512", secretKey, rawBody)) ? null : "The signature is wrong.";
}
