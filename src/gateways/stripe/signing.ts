import { timedSignatureFault } from "../signatures.ts";

const SIGNATURE_HEADER = "stripe-signature";

/** Why a message is not signed by Stripe with this endpoint's secret within five minutes of the machine's clock; null when it is. */
export const signatureFault = (
  secret: string,
  message: { readonly headers: Readonly<Record<string, string | undefined>>; readonly rawBody: Uint8Array },
  machineNow: Date,
): string | null =>
  secret === ""
    ? "The account has no signing secret."
    : timedSignatureFault(secret, message.headers[SIGNATURE_HEADER], message.rawBody, machineNow);
