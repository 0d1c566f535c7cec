import { paymentView } from "../../gateways/sandbox/server.ts";
import type { EvidenceRequest, Payment } from "../../gateways/sandbox/wire.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { decideSandboxPayment, lockSandboxPayment } from "../../modules/sandbox-gateway/store/payments.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";

/**
 * `POST /payments/{name}/evidence`: keeps how many files answer the dispute. Locks the payment. Throws 404 for an unknown
 * payment, 409 when it has no open dispute.
 */
export function receiveEvidence(
  services: Services,
  { ctx, account }: SandboxMerchant,
  name: string,
  { files }: EvidenceRequest,
): Promise<Payment> {
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const record = await lockSandboxPayment(tx, account.id, name);
    if (!record) throw notFound("payment");
    const payment = paymentOf(record);
    const { dispute } = payment;
    if (dispute?.status !== "open") throw new ApiError("invalid_state", 409, "The payment has no open dispute.");
    const answered = { ...payment, dispute: { ...dispute, files: files.length } };
    await decideSandboxPayment(tx, recordOf(account.id, answered), [payment.status]);
    return paymentView(payment);
  });
}
