import type { NotificationReading, RawNotification } from "../../gateways/contract.ts";
import type { GatewayFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, contextFor } from "../context.ts";
import { callOf, gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { settlePayment } from "./settle-payment.ts";

/** What the gateway is told: 200, 400, or 503 so that it sends again (gateways/contract.ts). */
export type NotificationAnswer = "accepted" | "refused" | "unknown_account" | "unclear";

/**
 * A message at `/api/webhooks/{type}?account=` (interface 17.3): verified by the adapter, then applied, and acknowledged only once its
 * effect is committed (decision 50). Nothing in the body decides whose it is.
 */
export async function receiveNotification(
  services: Services,
  type: string,
  accountId: string,
  raw: RawNotification,
): Promise<NotificationAnswer> {
  const organisation = await organisationOfGatewayAccount(services.db, accountId);
  if (!organisation) return "unknown_account";
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  const { adapter } = account ? gatewayOf(account) : { adapter: null };
  if (!account || account.type !== type || !adapter?.notifications) return "unknown_account";
  const ctx = contextFor(services, organisation, {
    kind: "gateway",
    id: account.id,
    name: account.name,
    ip: raw.remoteAddress,
  });
  const call = callOf(services, organisation, account, ctx.now);
  let reading: NotificationReading;
  try {
    reading = adapter.notifications.read(raw, call);
    if (reading.kind === "confirm") {
      if (!adapter.notifications.confirm) return "refused";
      reading = await adapter.notifications.confirm(reading.claim, call);
    }
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    services.log.warn({ account: account.id, why: error.message }, "notification cannot be confirmed yet");
    return "unclear";
  }
  if (reading.kind !== "verified") {
    services.log.warn(
      { account: account.id, why: reading.kind === "refused" ? reading.reason : "not confirmed" },
      "notification refused",
    );
    return "refused";
  }
  const { facts } = reading;
  await services.db.transaction(organisation.id, async (tx) => {
    for (const fact of facts) await applyFact(tx, ctx, services, account.id, fact);
  });
  return "accepted";
}

/** One verified fact. Subscriptions, mandates and reversals arrive with their resources; until then they are logged. */
async function applyFact(tx: Tx, ctx: Ctx, services: Services, accountId: string, fact: GatewayFact): Promise<void> {
  const reportedBy = { accountId, source: "notification" } as const;
  if (fact.about === "payment") await settlePayment(tx, ctx, reportedBy, fact);
  else if (fact.about === "refund") await applyRefundFact(tx, ctx, reportedBy, fact);
  else services.log.warn({ account: accountId, about: fact.about, word: fact.gatewayWord }, "a fact of unknown kind");
}
