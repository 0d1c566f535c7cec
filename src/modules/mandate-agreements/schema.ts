import { z } from "zod";
import { toTimestamp } from "../../kernel/time.ts";
import { flag, optional, textOrNull, timestamp } from "../../platform/schema.ts";
import type { MandateAgreement } from "./types.ts";

/** Body of `POST /mandates/{id}/agreement` (interface 4.10). */
export const AgreementIssue = z
  .object({ email: flag(true), notes: optional(textOrNull(2000)) })
  .default({ email: true, notes: null });

/** Interface 2.8: an agreement that was issued. */
export const AgreementObject = z
  .object({
    id: z.string(),
    object: z.literal("mandate_agreement"),
    mandateId: z.string(),
    status: z.literal("pending"),
    signUrl: z.url(),
    expiresAt: timestamp(),
    emailed: z.boolean(),
  })
  .meta({ id: "MandateAgreement" });

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
