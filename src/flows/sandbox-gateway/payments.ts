import {
  chargeOf,
  decide,
  newSandboxId,
  type PaymentChoice,
  type SandboxPayment,
} from "../../gateways/sandbox/server.ts";
import { startedBy, subscriptionToStart } from "../../gateways/sandbox/subscriptions.ts";
import type { ChargeRequest, CheckoutRequest } from "../../gateways/sandbox/wire.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { SANDBOX_SETTLE } from "../../modules/sandbox-gateway/declarations.ts";
import {
  decideSandboxPayment,
  findCheckout,
  findSandboxPayment,
  insertSandboxPayment,
} from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxKind, SandboxStep } from "../../modules/sandbox-gateway/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { reportDispute } from "./disputes.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { asScripted, lostAnswer, stepFor } from "./outcomes.ts";
import { paymentOf, recordOf } from "./payment-records.ts";
import { referenceTaken, requireOwnUrls } from "./refusals.ts";
import { reportPayment } from "./report.ts";
import { startSubscription } from "./subscriptions.ts";

/** The path of the page on which a payer chooses the outcome of a checkout, below {base_url}. */
const payerPath = (account: string, checkout: string): string => `/sandbox-gateway/pay/${account}/${checkout}`;

/**
 * `POST /checkouts`; the same request again returns the same record. Throws 400 for URLs outside of this service, so
 * that the server cannot be made to call others; 409 when the reference has another amount or currency.
 */
export async function createCheckout(
  services: Services,
  merchant: SandboxMerchant,
  request: CheckoutRequest,
): Promise<{ id: string; redirectUrl: string }> {
  requireOwnUrls(services, request, ["notifyUrl", "returnUrl", "cancelUrl"]);
  const { ctx, account } = merchant;
  const created: SandboxPayment = {
    ...request,
    id: newSandboxId("sbp"),
    kind: "checkout",
    checkoutId: newSandboxId("sbc"),
    amount: cents(request.amount),
    status: "pending",
    card: null,
    decline: null,
    fee: null,
    subscription: null,
    ending: null,
    settlesAt: null,
    createdAt: ctx.now,
    decidedAt: null,
  };
  const payment = await services.db.transaction(ctx.organisation.id, async (tx) => {
    await insertSandboxPayment(tx, recordOf(account.id, created));
    return findSandboxPayment(tx, account.id, created.reference);
  });
  if (!payment?.checkoutId || payment.amount !== created.amount || payment.currency !== created.currency)
    throw referenceTaken();
  const { checkoutId } = payment;
  return { id: checkoutId, redirectUrl: services.baseUrl + payerPath(account.id, checkoutId) };
}

/**
 * `POST /charges`; the same request again returns the same record. The charge is pending until due work settles it; a
 * charge of a subscription's token is settled at once. Throws 400 for a URL outside of this service and for a token
 * that this gateway has not made, 409 when the reference belongs to another payment or the account charges no stored
 * cards.
 */
export async function createCharge(
  services: Services,
  merchant: SandboxMerchant,
  request: ChargeRequest,
): Promise<SandboxPayment> {
  const { ctx, account } = merchant;
  requireOwnUrls(services, request, ["notifyUrl"]);
  if (!gatewayOf(account).adapter.storedCards)
    throw new ApiError("invalid_state", 409, "This account charges no stored cards.");
  const charge = chargeOf(request, ctx.now);
  if (!charge) throw invalidField(["token"], "The gateway does not know this token.");
  let isLost = false;
  const record = await services.db.transaction(ctx.organisation.id, async (tx) => {
    const asked = recordOf(account.id, charge);
    if (!(await insertSandboxPayment(tx, asked))) return findSandboxPayment(tx, account.id, charge.reference);
    const kinds: readonly SandboxKind[] = request.token.startsWith("sst_") ? ["renewal"] : ["card_charge", "renewal"];
    const step = await stepFor(tx, { kinds, reference: charge.reference, now: ctx.now });
    isLost = step?.outcome === "unclear";
    const scripted = step ? asScripted(charge, step, ctx.now) : charge;
    const record = recordOf(account.id, scripted);
    if (step) await decideSandboxPayment(tx, record, [charge.status]);
    if (scripted.settlesAt) enqueue(tx, SANDBOX_SETTLE, charge.id, scripted.settlesAt);
    return record;
  });
  if (isLost) throw lostAnswer();
  if (record?.kind !== "charge" || record.amount !== charge.amount || record.currency !== charge.currency)
    throw referenceTaken();
  return paymentOf(record);
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
  return record && paymentOf(record);
}

/** The payment whose page has this checkout id; null when there is none. */
export async function findPaymentOfPage(
  services: Services,
  merchant: SandboxMerchant,
  checkoutId: string,
): Promise<SandboxPayment | null> {
  const record = await services.db.read(merchant.ctx.organisation.id, (tx) =>
    findCheckout(tx, merchant.account.id, checkoutId),
  );
  return record && paymentOf(record);
}

/**
 * Records the payer's choice and reports it. When several choices arrive at once the first is stored, and the others
 * get null. Returns after the first attempt to notify the merchant, so that the payer's next page can show the outcome.
 */
export async function choosePaymentOutcome(
  services: Services,
  merchant: SandboxMerchant,
  payment: SandboxPayment,
  choice: PaymentChoice,
): Promise<SandboxPayment | null> {
  const { ctx, account } = merchant;
  const decided = await services.db.transaction(ctx.organisation.id, async (tx) =>
    recordChoice(tx, account.id, { payment, choice: await scriptedChoice(tx, payment, choice, ctx.now), now: ctx.now }),
  );
  if (decided && decided.status !== "pending") await reportPayment(services, merchant, decided);
  if (decided?.isDisputed) await reportDispute(services, merchant, decided);
  return decided;
}

/**
 * The payer's choice, or what the gateway was told to make of it. One who leaves is left alone, and so is a payment that has
 * ended.
 */
async function scriptedChoice(
  tx: Tx,
  payment: SandboxPayment,
  choice: PaymentChoice,
  now: Instant,
): Promise<PaymentChoice & { readonly step?: SandboxStep }> {
  if (choice.outcome === "cancelled" || payment.status === "complete") return choice;
  const step = await stepFor(tx, { kinds: ["payment"], reference: payment.reference, now });
  return step ? { ...choice, step } : choice;
}

/**
 * Stores the outcome of a checkout, and starts its subscription when it completes. Null when the stored status is not
 * that of `payment`.
 */
export async function recordChoice(
  tx: Tx,
  accountId: GatewayAccountId,
  {
    payment,
    choice,
    now,
  }: {
    readonly payment: SandboxPayment;
    readonly choice: PaymentChoice & { readonly step?: SandboxStep };
    readonly now: Instant;
  },
): Promise<SandboxPayment | null> {
  const chosen = decide(payment, choice, subscriptionToStart(payment, now), now);
  const decided = choice.step ? scriptedCheckout(chosen, choice.step, now) : chosen;
  if (!(await decideSandboxPayment(tx, recordOf(accountId, decided), [payment.status]))) return null;
  const started = startedBy(decided, now);
  if (started) await startSubscription(tx, accountId, started);
  if (decided.settlesAt) enqueue(tx, SANDBOX_SETTLE, decided.id, decided.settlesAt);
  return decided;
}

/** A checkout as a step wants it. A payer whose payment fails or stays pending starts no subscription. */
function scriptedCheckout(chosen: SandboxPayment, step: SandboxStep, now: Instant): SandboxPayment {
  const scripted = asScripted(chosen, step, now);
  return scripted.status === "complete" ? scripted : { ...scripted, subscription: null };
}
