import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { DisputeRecord } from "./types.ts";

/** Interface 4.16. `sendable`: whether the gateway takes evidence from the service. */
export const disputeView = (dispute: DisputeRecord, sendable: boolean) => ({
  object: "dispute" as const,
  id: dispute.id,
  transactionReference: dispute.transactionReference,
  amount: toRand(dispute.amount),
  currency: dispute.currency,
  reason: dispute.reason,
  code: dispute.code,
  status: dispute.status,
  openedAt: toTimestamp(dispute.openedAt),
  respondBy: toTimestampOrNull(dispute.respondBy),
  closedAt: toTimestampOrNull(dispute.closedAt),
  submittedAt: toTimestampOrNull(dispute.submittedAt),
  answeredBy: sendable ? ("api" as const) : ("gateway_dashboard" as const),
  customerId: dispute.customerId,
  invoiceId: dispute.invoiceId,
  gateway: dispute.gatewayType,
  evidence: dispute.evidence.map(({ id, fileName, contentType, size, createdAt }) => ({
    id,
    fileName,
    contentType,
    size,
    createdAt: toTimestamp(createdAt),
  })),
});
