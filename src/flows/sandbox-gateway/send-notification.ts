import {
  decide,
  newSandboxId,
  paymentView,
  readPaymentForm,
  type SandboxPayment,
  settle,
  withStatus,
} from "../../gateways/sandbox/server.ts";
import { signedHeaders } from "../../gateways/sandbox/signing.ts";
import type { Notification, Payment } from "../../gateways/sandbox/wire.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { decideSandboxPayment, lockSandboxPayment } from "../../modules/sandbox-gateway/store.ts";
import type { Tx } from "../../platform/database.ts";
import { gatewayCallOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { type SandboxMerchant, sandboxMerchantOf } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";

/** One try; a payer may be waiting. */
const TIMEOUT_MS = 5_000;
/** After a try that was not acknowledged. What is still unheard of then, the merchant asks about. */
const RETRY_SECONDS: readonly number[] = [1, 5, 30, 120];

/** Tells the merchant how the payment ended. Resolves after the first try; further ones go on behind it. */
export async function reportPayment(
  services: Services,
  merchant: SandboxMerchant,
  payment: SandboxPayment,
): Promise<void> {
  const body = notificationOf(merchant, payment);
  const status = await post(services, merchant, payment.notifyUrl, body);
  if (isTransient(status)) repeat(0);

  function repeat(round: number): void {
    const seconds = RETRY_SECONDS[round];
    if (seconds === undefined) {
      services.log.warn({ reference: payment.reference }, "sandbox notification was never acknowledged");
      return;
    }
    const again = async () => {
      if (isTransient(await post(services, merchant, payment.notifyUrl, body))) repeat(round + 1);
    };
    const failed = (error: unknown) => services.log.error({ err: error }, "sandbox notification failed");
    setTimeout(() => void again().catch(failed), seconds * 1000).unref();
  }
}

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
  const body = notificationOf(merchant, payment);
  return Promise.all(Array.from({ length: times }, () => post(services, merchant, payment.notifyUrl, body)));
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
  const payment = paymentOf(merchant, record);
  if (status === payment.status) return payment;
  const late = status === "complete";
  if (status === "pending" || (payment.status !== "pending" && !late)) return withStatus(payment, status, now);
  const decided = payment.status === "pending" ? endedAs(payment, status, now) : settle(payment, "complete", now);
  await decideSandboxPayment(tx, recordOf(merchant, decided), [payment.status]);
  return decided;
}

/** As if the payer had pressed the button. */
function endedAs(payment: SandboxPayment, status: Payment["status"], now: SandboxPayment["createdAt"]): SandboxPayment {
  const reading = readPaymentForm({ outcome: status }, payment);
  return reading.kind === "choice" ? decide(payment, reading.choice, null, now) : payment;
}

function notificationOf({ merchantId }: SandboxMerchant, payment: SandboxPayment): string {
  const notification: Notification = {
    id: newSandboxId("sbn"),
    merchantId,
    type: "payment",
    payment: paymentView(payment),
  };
  return JSON.stringify(notification);
}

const isTransient = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/** Signed anew for each try, since a signature grows old. Answers the HTTP status, 0 for none. */
async function post(services: Services, merchant: SandboxMerchant, notifyUrl: string, body: string): Promise<number> {
  const { ctx, account, secret } = merchant;
  const { http, machineNow } = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const url = localUrl(services, notifyUrl);
  const headers = signedHeaders(secret, body, machineNow);
  const request = { method: "POST", url, headers, body, timeoutMs: TIMEOUT_MS } as const;
  const answer = await askGateway(services, { notified: account.id }, () => http(request));
  return answer === "unclear" ? 0 : answer.status;
}

/** BASE_URL may be a name that only the outside can reach: our own listener is the same place. */
function localUrl(services: Services, notifyUrl: string): string {
  const own = services.gatewayUrl({ type: "sandbox", simulated: true }) ?? services.baseUrl;
  return notifyUrl.startsWith(`${services.baseUrl}/`) ? own + notifyUrl.slice(services.baseUrl.length) : notifyUrl;
}
