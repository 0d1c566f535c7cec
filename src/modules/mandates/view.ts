import { customerReferenceView } from "../../domain/customer-reference.ts";
import { statedVatFields } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { calendarDay, type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { MANDATE_CURRENCY, shownNextDebitDate } from "./rules.ts";
import { stageOf } from "./states.ts";
import type { LatestAgreement, MandateRecord } from "./types.ts";

/** Interface 2.8, with its status at `now`. */
export function mandateView(mandate: MandateRecord, now: Instant) {
  const { bank, latestAgreement } = mandate;
  const stage = stageOf(mandate);
  return {
    object: "mandate" as const,
    id: mandate.id,
    accountReference: mandate.accountReference,
    status: mandate.status,
    stage,
    customerId: mandate.customerId,
    customer: customerReferenceView(mandate.customer),
    productId: mandate.productId,
    subscriptionId: mandate.subscriptionId,
    description: mandate.description,
    amount: toRand(mandate.amount),
    currency: MANDATE_CURRENCY,
    ...statedVatFields(mandate.vat),
    frequency: mandate.frequency,
    debitDay: mandate.debitDay,
    startDate: mandate.startDate,
    endDate: mandate.endDate,
    nextDebitDate: shownNextDebitDate(mandate, calendarDay(now)),
    lastCollectedAt: mandate.lastCollectedAt,
    bank: {
      name: bank.name,
      branchCode: bank.branchCode,
      accountType: bank.accountType,
      accountHolder: bank.accountHolder,
      accountNumberLast4: bank.accountNumberLast4,
    },
    idNumberLast4: mandate.idNumberLast4,
    eMandateUrl: stage === "awaiting_signature" ? mandate.eMandateUrl : null,
    authorisedAt: toTimestampOrNull(mandate.authorisedAt),
    ...(mandate.authorityLostAt ? { authorityLostAt: toTimestamp(mandate.authorityLostAt) } : {}),
    approvedAt: toTimestampOrNull(mandate.approvedAt),
    rejectedAt: toTimestampOrNull(mandate.rejectedAt),
    rejectionReason: mandate.rejectionReason,
    failureCount: mandate.failureCount,
    agreement: {
      signed: mandate.agreementSignedAt !== null,
      signedAt: toTimestampOrNull(mandate.agreementSignedAt),
      latest: latestAgreement && latestView(latestAgreement, now),
    },
    createdAt: toTimestamp(mandate.createdAt),
    updatedAt: toTimestamp(mandate.updatedAt),
  };
}

const latestView = ({ id, status, expiresAt }: LatestAgreement, now: Instant) => ({
  id,
  status: status === "open" && expiresAt <= now ? "expired" : status,
});
