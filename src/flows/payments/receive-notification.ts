import type {
  GatewayCall,
  NotificationAbility,
  NotificationReading,
  RawNotification,
} from "../../gateways/contract.ts";
import type { GatewayFact } from "../../gateways/facts.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { recordNotification } from "../../modules/gateway-notifications/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, contextFor } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { noteRefused } from "../gateways/health.ts";
import { alertUnread } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { applyFacts } from "./apply-facts.ts";

/**
 * What the endpoint responds: 200, 400, 404, or 503, after which the gateway sends the notification again
 * (gateways/contract.ts). `unclear`: the gateway had to confirm the notification and did not answer. `not_applied`: a
 * fact could not be applied; the others are committed, and have no effect when they come again.
 */
export type NotificationAnswer = "accepted" | "refused" | "unknown_account" | "unclear" | "not_applied";

/** What became of a notification, and the facts that it confirmed. */
interface Received {
  readonly answer: NotificationAnswer;
  readonly facts: readonly GatewayFact[];
}

const without = (answer: NotificationAnswer): Received => ({ answer, facts: [] });

/**
 * Receives a notification at `/api/webhooks/{type}?account=` (interface 17.3): the adapter verifies it, its facts are
 * applied, and it is acknowledged after the commit (decisions.md#acknowledged-after-the-commit). The URL alone names
 * the gateway account, never the body. Locks as `applyFacts`.
 */
export const receiveNotification = async (...given: Parameters<typeof receiveFacts>): Promise<NotificationAnswer> =>
  (await receiveFacts(...given)).answer;

/** Like `receiveNotification`; also returns the facts. */
export async function receiveFacts(
  services: Services,
  type: string,
  accountId: string,
  raw: RawNotification,
): Promise<Received> {
  const organisation = await organisationOfGatewayAccount(services.db, accountId);
  if (!organisation) return without("unknown_account");
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  const { adapter } = account ? gatewayOf(account) : { adapter: null };
  if (!account || account.type !== type || !adapter?.notifications) return without("unknown_account");
  const ctx = contextFor(services, organisation, {
    kind: "gateway",
    id: account.id,
    name: account.name,
    ip: raw.remoteAddress,
  });
  const call = gatewayCallOf(services, organisation, account, ctx.now);
  const { notifications } = adapter;
  const reading = await confirmed(services, account.id, notifications, raw, call);
  if (reading === "unclear") return without(reading);
  if (reading.kind === "refused") {
    await noteRefused(services, account.id, reading.reason);
    services.log.warn({ account: account.id, why: reading.reason }, "notification refused");
    return without("refused");
  }
  if (reading.kind === "unread") {
    const { event, reason } = reading;
    services.log.warn({ account: account.id, event, why: reason }, "notification not understood");
    await services.db.transaction(organisation.id, (tx) => recordUnread(tx, ctx, account, { event, reason }));
    return without("accepted");
  }
  if (reading.leftOut !== undefined) {
    await noteRefused(services, account.id, reading.leftOut);
    services.log.warn({ account: account.id, why: reading.leftOut }, "notification left out");
  }
  const { facts } = reading;
  const failed = await applyFacts(services, ctx, { accountId: account.id, source: "notification" }, facts);
  return { answer: failed === 0 ? "accepted" : "not_applied", facts };
}

/**
 * Records a genuine message whose form is unknown, and mails staff once for each event of the gateway
 * (decisions.md#unknown-forms-are-kept).
 */
async function recordUnread(
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<GatewayAccount, "id">,
  { event, reason }: { readonly event: string; readonly reason: string },
): Promise<void> {
  recordNotification(tx, {
    accountId: id,
    reference: null,
    source: "notification",
    fact: { about: "unread", gatewayWord: event },
    outcome: "unknown_reference",
    problem: reason,
    receivedAt: ctx.now,
  });
  await alertUnread(tx, ctx, { id }, { event, reason });
}

/** Reads the message; when it does not prove itself, the gateway confirms it. */
async function confirmed(
  services: Services,
  accountId: string,
  { read, confirm }: NotificationAbility,
  raw: RawNotification,
  call: GatewayCall,
): Promise<Exclude<NotificationReading, { kind: "confirm" }> | Unclear> {
  const reading = read(raw, call);
  if (reading.kind !== "confirm") return reading;
  if (!confirm) return { kind: "refused", reason: "It cannot be confirmed." };
  return askGateway(services, { gateway: accountId }, () => confirm(reading.claim, call));
}
