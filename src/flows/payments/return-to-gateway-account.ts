import type { RawNotification } from "../../gateways/contract.ts";
import type { PaymentFact } from "../../gateways/facts.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import { mismatchOf } from "../../modules/payments/rules.ts";
import { findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { contextFor } from "../context.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { handoffOf } from "./payment-on-page.ts";
import { receiveFacts } from "./receive-notification.ts";

/**
 * Handles the return of a payer's browser to the one address that a gateway account has for all its payments. What the
 * browser brings is treated as a notification, which the adapter verifies like any other, so that a payment whose own
 * notification was lost is found. Returns the URL of the payment's result page when the gateway has confirmed an
 * attempt at it: a reference alone leads nobody to a page that its link keeps secret
 * (decisions.md#a-reference-proves-nothing). `unclear`: the gateway has not answered; null: it confirms no attempt, or
 * the payment was not started through the account. Locks as `applyFacts`.
 */
export async function returnToGatewayAccount(
  services: Services,
  type: string,
  accountId: string,
  raw: RawNotification,
): Promise<string | "unclear" | null> {
  const organisation = await organisationOfGatewayAccount(services.db, accountId);
  if (!organisation) return null;
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  if (account?.type !== type || !gatewayOf(account).adapter.checkout?.returnsToAccount) return null;
  const { answer, facts } = await receiveFacts(services, type, accountId, raw);
  if (answer === "unclear") return answer;
  const fact = facts.find((one) => one.about === "payment");
  const reference = fact?.reference ?? null;
  if (!fact || reference === null) return null;
  const payment = await services.db.read(organisation.id, (tx) => findByReference(tx, reference));
  if (payment?.gatewayAccountId !== accountId || !isAttemptAt(payment, fact)) return null;
  const ctx = contextFor(services, organisation, { kind: "payer", id: null, name: null, ip: raw.remoteAddress });
  return handoffOf(services, ctx, payment)?.returnUrl ?? null;
}

/**
 * Whether the confirmed fact is an attempt at this payment, with its amount. Anybody with an account at the gateway can
 * have another payment use its reference.
 */
const isAttemptAt = (payment: Transaction, { amount, currency, inexactAmount }: PaymentFact): boolean =>
  amount !== null && currency !== null && inexactAmount === undefined && !mismatchOf(payment, { amount, currency });
