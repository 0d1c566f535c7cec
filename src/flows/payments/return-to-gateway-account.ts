import type { RawNotification } from "../../gateways/contract.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import { findByReference } from "../../modules/payments/store.ts";
import { contextFor } from "../context.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { handoffOf } from "./payment-on-page.ts";
import { receiveNotification } from "./receive-notification.ts";

/**
 * Handles the return of a payer's browser to the one address that a gateway account has for all its payments. What the browser brings is taken as a
 * notification, which the adapter verifies as any other, so that a payment whose own notification was lost is found. Answers the URL of the payment's
 * result page; null when the browser names no payment that was started through the account. Locks as `applyFacts`.
 */
export async function returnToGatewayAccount(
  services: Services,
  type: string,
  accountId: string,
  { raw, fields }: { readonly raw: RawNotification; readonly fields: URLSearchParams },
): Promise<string | null> {
  const organisation = await organisationOfGatewayAccount(services.db, accountId);
  if (!organisation) return null;
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  const readReturn = account?.type === type ? gatewayOf(account).adapter.checkout?.readReturn : undefined;
  const reference = readReturn?.(fields) ?? null;
  if (reference === null) return null;
  await receiveNotification(services, type, accountId, raw);
  const payment = await services.db.read(organisation.id, (tx) => findByReference(tx, reference));
  if (payment?.gatewayAccountId !== accountId) return null;
  const ctx = contextFor(services, organisation, { kind: "payer", id: null, name: null, ip: raw.remoteAddress });
  return handoffOf(services, ctx, payment)?.returnUrl ?? null;
}
