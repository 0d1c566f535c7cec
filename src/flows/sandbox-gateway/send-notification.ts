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
 * Sends this status of a payment `times` times at once, true or not, over HTTP like any notification (interface 14.2, `POST
 * /sandbox/notify`). A pending payment takes the status, and `complete` is stored also for one that failed or was cancelled; any
 * other status is only sent. Returns the HTTP status of each, 0 for no answer; null when the account has no such payment. Calls
 * this service, so never inside a transaction.
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

/** The payment with that status, stored where `sendSandboxNotification` says so. Locks the payment. */
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
  // A decided payment is not settled by due work any more.
  cancelWork(tx, SANDBOX_SETTLE, decided.id);
  return decided;
}

/** The payment with the outcome that the payer's page gives it for this status. */
function chosen(payment: SandboxPayment, status: Payment["status"], now: SandboxPayment["createdAt"]): SandboxPayment {
  const reading = readPaymentForm({ outcome: status }, payment);
  return reading.kind === "choice" ? decide(payment, reading.choice, null, now) : payment;
}
