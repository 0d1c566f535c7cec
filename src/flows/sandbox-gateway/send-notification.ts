import {
  paymentView,
  readPaymentForm,
  reversalOf,
  type SandboxPayment,
  withStatus,
} from "../../gateways/sandbox/server.ts";
import type { Payment } from "../../gateways/sandbox/wire.ts";
import type { Instant } from "../../kernel/time.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { SANDBOX_SETTLE } from "../../modules/sandbox-gateway/declarations.ts";
import { decideSandboxPayment, lockSandboxPayment } from "../../modules/sandbox-gateway/store/payments.ts";
import { noteCollected } from "../../modules/sandbox-gateway/store/subscriptions.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Services } from "../services.ts";
import { applyDispute, type DisputeStatus, isOfDispute } from "./disputes.ts";
import { mandateView, withMandateStatus } from "./mandates.ts";
import { type SandboxMerchant, sandboxMerchantOf } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { recordChoice } from "./payments.ts";
import { type NotificationContent, notificationOf, postNotification } from "./report.ts";

/** The statuses of a payment that can be sent on demand. */
type SendableStatus = Payment["status"] | DisputeStatus;
/**
 * Sends this status of a payment, or of the mandate with that account reference, `times` times at once, whether it is
 * true or not, over HTTP like any notification (interface 13.6). A pending payment gets the status, and `complete` is
 * also stored for one that failed or was cancelled; `failed` for a collected debit sends its reversal, `disputed` the
 * reversal of any complete payment, whose dispute is open from then on, and `won` and `lost` the end of that dispute; any
 * other status is only sent. Returns the HTTP status of each, 0 for no answer; null when the account has no such payment
 * or mandate. Throws 400 for a dispute of a payment that is not complete, and for the end of one that is not open.
 * Calls this service, so never inside a transaction.
 */
export async function sendSandboxNotification(
  services: Services,
  organisation: Organisation,
  account: GatewayAccount,
  reference: string,
  status: SendableStatus,
  times: number,
): Promise<readonly number[] | null> {
  const merchant = sandboxMerchantOf(services, organisation, account);
  if (!merchant) return null;
  const outgoing =
    (await services.db.transaction(organisation.id, (tx) => applyStatus(tx, merchant, reference, status))) ??
    (isOfDispute(status) ? null : await mandateNotification(services, merchant, reference, status));
  if (!outgoing) return null;
  const body = notificationOf(merchant, outgoing.content);
  const send = () => postNotification(services, merchant, { notifyUrl: outgoing.notifyUrl, body });
  return Promise.all(Array.from({ length: times }, send));
}

/** A notification and its URL. */
interface Outgoing {
  readonly content: NotificationContent;
  readonly notifyUrl: string;
}

async function mandateNotification(
  services: Services,
  merchant: SandboxMerchant,
  reference: string,
  status: Payment["status"],
): Promise<Outgoing | null> {
  const mandate = await withMandateStatus(services, merchant, reference, status);
  return (
    mandate && { content: { type: "mandate", mandate: mandateView(services, mandate) }, notifyUrl: mandate.notifyUrl }
  );
}

/**
 * The notification of that status, stored as described at `sendSandboxNotification`. Locks the payment; null when there
 * is none.
 */
async function applyStatus(
  tx: Tx,
  merchant: SandboxMerchant,
  reference: string,
  status: SendableStatus,
): Promise<Outgoing | null> {
  const { now } = merchant.ctx;
  const record = await lockSandboxPayment(tx, merchant.account.id, reference);
  if (!record) return null;
  const payment = paymentOf(record);
  const { notifyUrl } = payment;
  if (isOfDispute(status)) return { content: await applyDispute(tx, record, status, now), notifyUrl };
  if (payment.kind === "debit" && payment.status === "complete" && status === "failed")
    return { content: { type: "reversal", reversal: reversalOf(payment, "unpaid", now) }, notifyUrl };
  const ends = status !== "pending" && status !== payment.status;
  const kept = ends && (payment.status === "pending" || status === "complete");
  const shown = kept ? await end(tx, record, status, now) : withStatus(payment, status, now);
  return { content: { type: "payment", payment: paymentView(shown) }, notifyUrl };
}

/**
 * Stores the outcome by the payer's page, or by the bank, for this status. Due work then no longer settles the payment.
 */
async function end(
  tx: Tx,
  record: SandboxPaymentRecord,
  status: "complete" | "failed" | "cancelled",
  now: Instant,
): Promise<SandboxPayment> {
  const payment = paymentOf(record);
  const reading = readPaymentForm({ outcome: status }, payment);
  if (payment.kind === "checkout" && reading.kind === "choice") {
    const decided = await recordChoice(tx, record.accountId, { payment, choice: reading.choice, now });
    return decided ?? payment;
  }
  const decided = { ...withStatus(payment, status, now), settlesAt: null };
  await decideSandboxPayment(tx, recordOf(record.accountId, decided), [payment.status]);
  cancelWork(tx, SANDBOX_SETTLE, decided.id);
  if (decided.subscription && status === "complete") noteCollected(tx, decided.subscription.id, now);
  return decided;
}
