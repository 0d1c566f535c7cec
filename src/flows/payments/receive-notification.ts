import type {
  GatewayCall,
  NotificationAbility,
  RawNotification,
  Refusal,
  VerifiedNotification,
} from "../../gateways/contract.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import { contextFor } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { noteRefused } from "../gateways/health.ts";
import type { Services } from "../services.ts";
import { applyFacts } from "./apply-facts.ts";

/**
 * What the endpoint answers: 200, 400, 404, or 503, after which the gateway sends the notification again (gateways/contract.ts). `unclear`:
 * the gateway had to confirm it and did not answer. `not_applied`: a fact could not be applied; those that could are committed, and have no
 * effect when they come again.
 */
export type NotificationAnswer = "accepted" | "refused" | "unknown_account" | "unclear" | "not_applied";

/**
 * Receives a notification at `/api/webhooks/{type}?account=` (interface 17.3): the adapter verifies it, its facts are applied, and
 * it is acknowledged after the commit (decision 50). The URL alone names the gateway account, never the body. Locks as `applyFacts`.
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
  const call = gatewayCallOf(services, organisation, account, ctx.now);
  const { notifications } = adapter;
  const reading = await confirmed(services, account.id, notifications, raw, call);
  if (reading === "unclear") return "unclear";
  if (reading.kind === "refused") {
    await noteRefused(services, account.id, reading.reason);
    services.log.warn({ account: account.id, why: reading.reason }, "notification refused");
    return "refused";
  }
  if (reading.leftOut !== undefined) {
    await noteRefused(services, account.id, reading.leftOut);
    services.log.warn({ account: account.id, why: reading.leftOut }, "notification left out");
  }
  const failed = await applyFacts(services, ctx, { accountId: account.id, source: "notification" }, reading.facts);
  return failed === 0 ? "accepted" : "not_applied";
}

/** Reads the message; when it proves nothing by itself, the gateway confirms it. */
async function confirmed(
  services: Services,
  accountId: string,
  { read, confirm }: NotificationAbility,
  raw: RawNotification,
  call: GatewayCall,
): Promise<VerifiedNotification | Refusal | Unclear> {
  const reading = read(raw, call);
  if (reading.kind !== "confirm") return reading;
  if (!confirm) return { kind: "refused", reason: "It cannot be confirmed." };
  return askGateway(services, { gateway: accountId }, () => confirm(reading.claim, call));
}
