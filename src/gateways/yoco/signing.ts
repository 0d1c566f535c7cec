import { standardWebhookFault } from "../signatures.ts";

/** Yoco's own advice; the scheme's libraries take five minutes. */
const TOLERANCE_SECONDS = 180;

/** Why a message is not signed by Yoco with this secret within three minutes of the machine's clock; null when it is. */
export const signatureFault = (
  secret: string,
  message: { readonly headers: Readonly<Record<string, string | undefined>>; readonly rawBody: Uint8Array },
  machineNow: Date,
): string | null =>
  standardWebhookFault({ prefix: "webhook", secret, toleranceSeconds: TOLERANCE_SECONDS }, message, machineNow);
