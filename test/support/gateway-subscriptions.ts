import assert from "node:assert/strict";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import type { FactOutcome } from "../../src/flows/payments/record-fact.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { type GatewayFact, internalFact, type PaidFact, type PaymentFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import type { TestApi } from "./api.ts";
import { begin, type CardShop, choose, openCardShop, type Shown, VISA } from "./cards.ts";

/** A card of the sandbox gateway that misses every renewal (interface 13.6). */
export const MISSING = "4000000000000341";

/** A shop whose clock stands at 2027-03-01 12:00 South African time; `type` is the variant of the sandbox gateway. */
export const openSubscriptionShop = (api: TestApi, type = "sandbox"): Promise<CardShop> =>
  openCardShop(api, {}, { type });

/** A recurring link of 100.00 a month. */
export async function addRecurringLink({ shop }: CardShop, body: object = {}): Promise<Shown> {
  const answer = await shop.post("/payment-links", {
    title: "Gym",
    amount: 100,
    recurring: { frequency: "monthly" },
    singleUse: false,
    customerEmail: "thandi@example.co.za",
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A subscription that has begun, and its first payment. */
export interface BegunSubscription {
  readonly link: Shown;
  readonly reference: string;
  readonly id: string;
}

/** Pays a recurring link with the card. */
export async function subscribe(shop: CardShop, card: string = VISA, body: object = {}): Promise<BegunSubscription> {
  const link = await addRecurringLink(shop, body);
  const { reference, gatewayUrl } = await begin(shop, String(link["url"]));
  await choose(shop, gatewayUrl, { outcome: "complete", card });
  const { subscriptionId } = (await shop.shop.get(`/transactions/${reference}`)).body;
  return { link, reference, id: String(subscriptionId) };
}

/** The subscription as it stands now. */
export const subscriptionNow = async ({ shop }: CardShop, id: string): Promise<Shown> =>
  (await shop.get(`/subscriptions/${id}`)).body;

/** Its payments, newest first. */
export const chargesNow = async ({ shop }: CardShop, id: string): Promise<Shown[]> =>
  (await shop.get<{ data: Shown[] }>(`/subscriptions/${id}/charges`)).body.data;

/** A report that 100.00 of a subscription was paid, with the gateway's names of the subscription and the payment. */
export const collectionFact = (
  reference: string,
  { key, providerRef }: { readonly key: string; readonly providerRef: string },
  facts: Partial<PaidFact> = {},
): PaidFact => ({
  ...internalFact(reference, "paid"),
  kind: "paid",
  amount: cents(10_000),
  currency: "ZAR",
  fee: null,
  providerRef,
  subscription: { key, handle: key, nextChargeOn: null },
  ...facts,
});

/** Applies reports of the shop's gateway account as a notification; answers how many could not be applied. */
export async function reportFacts({ api, shop, account }: CardShop, facts: readonly GatewayFact[]): Promise<number> {
  return applyFacts(api.services, await shop.ctx(), { accountId: account.id, source: "notification" }, facts);
}

/** Applies a report of the shop's gateway account as a notification. */
export async function reportFact({ api, shop, account }: CardShop, fact: PaymentFact): Promise<FactOutcome> {
  const ctx = await shop.ctx();
  return api.services.db.transaction(ctx.organisation.id, (tx) =>
    settlePayment(tx, ctx, { accountId: account.id, source: "notification" }, fact),
  );
}
