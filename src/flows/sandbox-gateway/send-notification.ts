import {
  decide,
  paymentView,
  readPaymentForm,
  type SandboxPayment,
  withStatus,
} from "../../gateways/sandbox/server.ts";
import type { Payment } from "../../gateways/sandbox/wire.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { SANDBOX_SETTLE } from "../../modules/sandbox-gateway/declarations.ts";
import { decideSandboxPayment, lockSandboxPayment } from "../../modules/sandbox-gateway/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Services } from "../services.ts";
import { type SandboxMerchant, sandboxMerchantOf } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { notificationOf, postNotification } from "./report.ts";

/**
 * Interface 14.2, `POST /sandbox/notify`: this news of a payment, true or not, `times` times at once, over the same HTTP path as any other.
 * A payment that nobody has decided yet ends by it, and money that comes late is kept; all else is told only. Answers the HTTP status
 * of each, 0 for none; null when the account knows no such payment. Calls this very service: never inside a transaction.
 */
export async function sendSandboxNotification(
  services: Services,
  organisation: Organisation,
  account: GatewayAccount,
  reference: string,
  status: Payment["status"],
  times: number,
): Promise<readonly number[] | null> {
  const merchant = sandboxMerchantOf(services, organisation, account);
  if (!merchant) return null;
  const payment = await services.db.transaction(organisation.id, (tx) => applyStatus(tx, merchant, reference, status));
  if (!payment) return null;
  const body = notificationOf(merchant, { type: "payment", payment: paymentView(payment) });
  const send = () => postNotification(services, merchant, payment.notifyUrl, body);
  return Promise.all(Array.from({ length: times }, send));
}

/** The payment as the news says it is, kept where `sendSandboxNotification` says so. */
async function applyStatus(
  tx: Tx,
  merchant: SandboxMerchant,
  reference: string,
  status: Payment["status"],
): Promise<SandboxPayment | null> {
  const { now } = merchant.ctx;
  const record = await lockSandboxPayment(tx, merchant.account.id, reference);
  if (!record) return null;
  const payment = paymentOf(record);
  if (status === payment.status) return payment;
  const told = withStatus(payment, status, now);
  if (status === "pending" || (payment.status !== "pending" && status !== "complete")) return told;
  const decided = { ...(payment.kind === "checkout" ? chosen(payment, status, now) : told), settlesAt: null };
  await decideSandboxPayment(tx, recordOf(record.accountId, decided), [payment.status]);
  // What is decided does not settle by itself any more.
  cancelWork(tx, SANDBOX_SETTLE, decided.id);
  return decided;
}

/** As if the payer had pressed the button. */
function chosen(payment: SandboxPayment, status: Payment["status"], now: SandboxPayment["createdAt"]): SandboxPayment {
  const reading = readPaymentForm({ outcome: status }, payment);
  return reading.kind === "choice" ? decide(payment, reading.choice, null, now) : payment;
}
