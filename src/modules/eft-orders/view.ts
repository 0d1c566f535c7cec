import type { BankDetails } from "../../kernel/bank-details.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { EftOrderRecord } from "./types.ts";

/** Interface 2.11. */
export const eftOrderView = (order: EftOrderRecord, payUrl: string, bankDetails: BankDetails) => ({
  id: order.id,
  reference: order.reference,
  status: order.status,
  amount: toRand(order.amount),
  currency: order.currency,
  description: order.description,
  externalReference: order.externalReference,
  metadata: order.metadata,
  customer: order.customer,
  bankDetails,
  paymentReference: order.reference,
  payUrl,
  proofs: order.proofs.map(({ id, fileName, contentType, size, source, createdAt }) => ({
    id,
    fileName,
    contentType,
    size,
    source,
    createdAt: toTimestamp(createdAt),
  })),
  rejectionReason: order.rejectionReason,
  expiresAt: toTimestamp(order.expiresAt),
  reviewedAt: toTimestampOrNull(order.reviewedAt),
  paidAt: toTimestampOrNull(order.paidAt),
  createdAt: toTimestamp(order.createdAt),
});
