import { newSandboxId, paymentView, type SandboxPayment } from "../../gateways/sandbox/server.ts";
import { signedHeaders } from "../../gateways/sandbox/signing.ts";
import type { Notification, Payment } from "../../gateways/sandbox/wire.ts";
import { gatewayCallOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";

/** Time limit of one attempt; a payer may be waiting. */
const TIMEOUT_MS = 5_000;
/** Time limit of one attempt by due work: the merchant needs some time for a notification of many payments. */
const DUE_TIMEOUT_MS = 60_000;
/** Seconds before each further attempt. When none is acknowledged, the merchant's own query returns the outcome. */
const RETRY_SECONDS: readonly number[] = [1, 5, 30, 120];

/** Notifies the merchant of a payment's outcome, as `report` does. */
export const reportPayment = (services: Services, merchant: SandboxMerchant, payment: SandboxPayment): Promise<void> =>
  report(services, merchant, payment.notifyUrl, { type: "payment", payment: paymentView(payment) });

/** Notifies the merchant. Resolves after the first attempt; further ones follow in the background. */
export async function report(
  services: Services,
  merchant: SandboxMerchant,
  notifyUrl: string,
  content: NotificationContent,
): Promise<void> {
  const body = notificationOf(merchant, content);
  const send = () => postNotification(services, merchant, { notifyUrl, body });
  if (isTransient(await send())) repeat(0);

  function repeat(round: number): void {
    const seconds = RETRY_SECONDS[round];
    if (seconds === undefined) {
      services.log.warn({ account: merchant.account.id }, "sandbox notification was never acknowledged");
      return;
    }
    const again = async () => {
      if (isTransient(await send())) repeat(round + 1);
    };
    const failed = (error: unknown) => services.log.error({ err: error }, "sandbox notification failed");
    setTimeout(() => void again().catch(failed), seconds * 1000).unref();
  }
}

/**
 * Notifies the merchant of a payment that due work has settled. Throws when the notification was not acknowledged, so
 * that the work is retried.
 */
export const reportSettled = (services: Services, merchant: SandboxMerchant, payment: SandboxPayment): Promise<void> =>
  reportDue(services, merchant, payment.notifyUrl, { type: "payment", payment: paymentView(payment) });

/** Like `reportSettled`, for at most `LINES_TOGETHER` payments in one notification. */
export const reportTogether = (
  services: Services,
  merchant: SandboxMerchant,
  notifyUrl: string,
  payments: readonly Payment[],
): Promise<void> => reportDue(services, merchant, notifyUrl, { type: "payments", payments: [...payments] });

/** Notifies the merchant, as due work does. Throws when the notification was not acknowledged. */
export async function reportDue(
  services: Services,
  merchant: SandboxMerchant,
  notifyUrl: string,
  content: NotificationContent,
): Promise<void> {
  const body = notificationOf(merchant, content);
  const status = await postNotification(services, merchant, { notifyUrl, body, timeoutMs: DUE_TIMEOUT_MS });
  if (isTransient(status)) throw new Error(`The sandbox gateway's notification got the answer ${status}.`);
}

/** The content of a notification, without its sender. */
export type NotificationContent = Notification extends infer Each
  ? Each extends Notification
    ? Omit<Each, "id" | "merchantId">
    : never
  : never;

/** The body of a notification, with a new id. */
export const notificationOf = (
  { merchantId }: Pick<SandboxMerchant, "merchantId">,
  content: NotificationContent,
): string => JSON.stringify({ id: newSandboxId("sbn"), merchantId, ...content });

const isTransient = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/**
 * Posts a notification, signed for each attempt, since a signature expires. Returns the HTTP status, 0 for no answer.
 */
export async function postNotification(
  services: Services,
  { ctx, account, secret }: SandboxMerchant,
  {
    notifyUrl,
    body,
    timeoutMs = TIMEOUT_MS,
  }: { readonly notifyUrl: string; readonly body: string; readonly timeoutMs?: number },
): Promise<number> {
  const { http, machineNow } = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const url = localUrl(services, notifyUrl);
  const headers = signedHeaders(secret, body, machineNow);
  const answer = await askGateway(services, { notified: account.id }, () =>
    http({ method: "POST", url, headers, body, timeoutMs }),
  );
  return answer === "unclear" ? 0 : answer.status;
}

/** The URL to call: BASE_URL may be a name that this machine cannot reach; then it is the URL of our own listener. */
function localUrl(services: Services, notifyUrl: string): string {
  const own = services.gatewayUrl({ type: "sandbox", simulated: true }) ?? services.baseUrl;
  return notifyUrl.startsWith(`${services.baseUrl}/`) ? own + notifyUrl.slice(services.baseUrl.length) : notifyUrl;
}
