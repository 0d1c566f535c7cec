import { standardWebhookFault } from "../signatures.ts";

const TOLERANCE_SECONDS = 300;

/** Why a message is not signed by Stitch (Svix) with this secret within five minutes of the machine's clock; null when it is. */
export const signatureFault = (
  secret: string,
  message: { readonly headers: Readonly<Record<string, string | undefined>>; readonly rawBody: Uint8Array },
  machineNow: Date,
): string | null =>
  standardWebhookFault({ prefix: "svix", secret, toleranceSeconds: TOLERANCE_SECONDS }, message, machineNow);
