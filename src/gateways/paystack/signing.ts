import { hmac, sameSignature } from "../signatures.ts";

export const SIGNATURE_HEADER = "x-paystack-signature";

/**
 * Null when the header is the HMAC-SHA512 of the received bytes with the account's secret key, in hex; else the reason.
 * The bytes must be as received: the same JSON written differently has another signature.
 */
export function signatureFault(secretKey: string, header: string | undefined, rawBody: Uint8Array): string | null {
  if (!header) return "The signature is missing.";
  return sameSignature(header, hmac("sha512", secretKey, rawBody)) ? null : "The signature is wrong.";
}
