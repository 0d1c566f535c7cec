import { disputeEnd, reversalOf, type SandboxPayment, withDispute } from "../../gateways/sandbox/server.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { decideSandboxPayment, lockSandboxPaymentById } from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { type NotificationContent, reportDue } from "./report.ts";

/** A dispute of a payment, and its outcomes. */
export type DisputeStatus = "disputed" | "won" | "lost";

/** Whether a status is one of a dispute. */
export const isOfDispute = (status: string): status is DisputeStatus =>
  status === "disputed" || status === "won" || status === "lost";

/** Stores a dispute, or how it ended, and returns the notification. Throws 400 when the payment does not allow it. */
export async function applyDispute(
  tx: Tx,
  record: SandboxPaymentRecord,
  status: DisputeStatus,
  now: Instant,
): Promise<NotificationContent> {
  const payment = paymentOf(record);
  if (payment.status !== "complete")
    throw invalidField(["status"], `This payment is ${payment.status}: only a complete one can be disputed.`);
  const save = (changed: SandboxPayment) =>
    decideSandboxPayment(tx, recordOf(record.accountId, changed), [payment.status]);
  if (status === "disputed") {
    const disputed = withDispute(payment, now);
    await save(disputed);
    return { type: "reversal", reversal: reversalOf(disputed, status, now) };
  }
  const { dispute } = payment;
  if (!dispute || (dispute.status !== "open" && dispute.status !== status))
    throw invalidField(["status"], dispute ? `The dispute was ${dispute.status}.` : "This payment is not disputed.");
  await save({ ...payment, dispute: { ...dispute, status } });
  return { type: "dispute", dispute: disputeEnd(payment, status, now) };
}

/**
 * Opens the dispute of a complete payment that its payer was told to dispute, and notifies the merchant. Throws when the
 * notification was not acknowledged; a repeat finds the dispute open and only reports it. Locks the payment.
 */
export async function reportDispute(
  services: Services,
  merchant: SandboxMerchant,
  { id, notifyUrl }: Pick<SandboxPayment, "id" | "notifyUrl">,
): Promise<void> {
  const { organisation, now } = merchant.ctx;
  const content = await services.db.transaction(organisation.id, async (tx) => {
    const record = await lockSandboxPaymentById(tx, id);
    return record && applyDispute(tx, record, "disputed", now);
  });
  if (content) await reportDue(services, merchant, notifyUrl, content);
}
