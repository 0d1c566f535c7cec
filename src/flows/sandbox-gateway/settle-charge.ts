import { settle } from "../../gateways/sandbox/server.ts";
import type { Instant } from "../../kernel/time.ts";
import { decideSandboxPayment, lockSandboxPaymentById } from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { reportDispute } from "./disputes.ts";
import { merchantOfGatewayAccount } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { reportSettled } from "./report.ts";

/**
 * Settles a due charge, then reports it. A charge whose outcome was chosen earlier is neither settled nor reported
 * again. Throws when the notification was not acknowledged: the work is then repeated, and only reports. Locks the
 * payment.
 */
export async function settleCharge(services: Services, ctx: Ctx, paymentId: string): Promise<Instant | null> {
  const settled = await services.db.transaction(ctx.organisation.id, (tx) => settleNow(tx, ctx.now, paymentId));
  const merchant = settled && (await merchantOfGatewayAccount(services, ctx, settled.accountId));
  if (!merchant) return null;
  const payment = paymentOf(settled);
  await reportSettled(services, merchant, payment);
  if (payment.isDisputed && payment.status === "complete") await reportDispute(services, merchant, payment);
  return null;
}

/** The charge after settlement; null when it is not to be settled. */
async function settleNow(tx: Tx, now: Instant, paymentId: string): Promise<SandboxPaymentRecord | null> {
  const record = await lockSandboxPaymentById(tx, paymentId);
  if (!record?.settlesAt) return null;
  if (record.status !== "pending") return record;
  const payment = paymentOf(record);
  const settled = recordOf(record.accountId, settle(payment, payment.ending ?? "complete", now));
  await decideSandboxPayment(tx, settled, ["pending"]);
  return settled;
}
