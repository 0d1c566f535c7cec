import { decide, newSandboxId, type PaymentChoice, type SandboxPayment } from "../../gateways/sandbox/server.ts";
import type { CheckoutRequest } from "../../gateways/sandbox/wire.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import { cents } from "../../kernel/money.ts";
import {
  decideSandboxPayment,
  findCheckout,
  findSandboxPayment,
  insertCheckout,
} from "../../modules/sandbox-gateway/store.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { reportPayment } from "./send-notification.ts";

/** Where a payer chooses the outcome of a checkout, below {base_url}. */
const payerPath = (account: string, checkout: string): string => `/sandbox-gateway/pay/${account}/${checkout}`;

/**
 * `POST /checkouts`: the same record when repeated. Throws 400 for addresses elsewhere (this gateway plays for its own service only,
 * and is no way to make the server call others) and for recurring payments; 409 when the reference stands for another amount.
 */
export async function createCheckout(
  services: Services,
  merchant: SandboxMerchant,
  request: CheckoutRequest,
): Promise<{ id: string; redirectUrl: string }> {
  for (const field of ["notifyUrl", "returnUrl", "cancelUrl"] as const)
    if (!request[field].startsWith(`${services.baseUrl}/`))
      throw invalidField([field], `${field} must begin with ${services.baseUrl}/`);
  if (request.recurring) throw invalidField(["recurring"], "The sandbox gateway takes no recurring payments.");
  const { ctx, account } = merchant;
  const created: SandboxPayment = {
    ...request,
    id: newSandboxId("sbp"),
    checkoutId: newSandboxId("sbc"),
    merchantId: merchant.merchantId,
    amount: cents(request.amount),
    status: "pending",
    card: null,
    decline: null,
    fee: null,
    subscription: null,
    createdAt: ctx.now,
    decidedAt: null,
  };
  const payment = await services.db.transaction(ctx.organisation.id, async (tx) => {
    insertCheckout(tx, recordOf(merchant, created));
    return findSandboxPayment(tx, account.id, created.reference);
  });
  if (!payment?.checkoutId || payment.amount !== created.amount || payment.currency !== created.currency)
    throw new ApiError("invalid_state", 409, "This reference stands for another payment.");
  const { checkoutId } = payment;
  return { id: checkoutId, redirectUrl: services.baseUrl + payerPath(account.id, checkoutId) };
}

/** `GET /payments/{id or reference}`; null when there is none. */
export async function findPayment(
  services: Services,
  merchant: SandboxMerchant,
  name: string,
): Promise<SandboxPayment | null> {
  const record = await services.db.read(merchant.ctx.organisation.id, (tx) =>
    findSandboxPayment(tx, merchant.account.id, name),
  );
  return record && paymentOf(merchant, record);
}

/** The payment whose page has this id; null when there is none. */
export async function findPaymentOfPage(
  services: Services,
  merchant: SandboxMerchant,
  checkoutId: string,
): Promise<SandboxPayment | null> {
  const record = await services.db.read(merchant.ctx.organisation.id, (tx) =>
    findCheckout(tx, merchant.account.id, checkoutId),
  );
  return record && paymentOf(merchant, record);
}

/**
 * The payer's choice: recorded, then reported. Of several at once the first holds, and null tells the others that it is decided.
 * Waits until the merchant has heard of it or has not answered, so that the payer who goes on finds the outcome there.
 */
export async function choosePaymentOutcome(
  services: Services,
  merchant: SandboxMerchant,
  payment: SandboxPayment,
  choice: PaymentChoice,
): Promise<SandboxPayment | null> {
  const decided = decide(payment, choice, null, merchant.ctx.now);
  const held = await services.db.transaction(merchant.ctx.organisation.id, (tx) =>
    decideSandboxPayment(tx, recordOf(merchant, decided), ["pending"]),
  );
  if (!held) return null;
  await reportPayment(services, merchant, decided);
  return decided;
}
