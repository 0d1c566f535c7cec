import { toTimestamp } from "../../kernel/time.ts";
import type { MandateAgreement } from "./types.ts";

/** Interface 2.8: an agreement that was just issued. */
export const agreementView = (agreement: MandateAgreement, signUrl: string) => ({
  id: agreement.id,
  object: "mandate_agreement" as const,
  mandateId: agreement.mandateId,
  status: "pending" as const,
  signUrl,
  expiresAt: toTimestamp(agreement.expiresAt),
  emailed: agreement.emailed,
});
