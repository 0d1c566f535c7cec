import { GATEWAY_RECONNECT } from "../../modules/gateway-accounts/declarations.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { credentialsOf, gatewayCallOf, gatewayOf, notifyUrlOf } from "./accounts.ts";
import { askGateway } from "./ask-gateway.ts";
import { connectGatewayAccount, REGISTERED_URL, saveGatewayAccount } from "./save-account.ts";

/**
 * Whether the notification address that is registered at the gateway differs from the present one, as after a change of
 * BASE_URL.
 */
function isMoved(services: Services, ctx: Pick<Ctx, "organisation">, account: GatewayAccount): boolean {
  const { secrets } = services;
  const registered = credentialsOf({ secrets, organisation: ctx.organisation }, account)[REGISTERED_URL];
  const always = gatewayOf(account).adapter.notifications?.urlIsSet === "by connect";
  return (always || registered !== undefined) && registered !== notifyUrlOf(services, account);
}

/**
 * Enqueues `reconnect` when the notification address has changed since it was registered. Called with each payment, so
 * that its notifications arrive here.
 */
export function requireReconnection(tx: Tx, services: Services, ctx: Ctx, account: GatewayAccount): void {
  if (isMoved(services, ctx, account)) enqueue(tx, GATEWAY_RECONNECT, account.id, ctx.now);
}

/**
 * Registers the present notification address of an account. Null when it is registered. Locks the account, after the
 * calls. Throws the errors of `connectGatewayAccount` and `saveGatewayAccount`, so that it is retried.
 */
export async function reconnect(services: Services, ctx: Ctx, accountId: string): Promise<null> {
  const account = await services.db.read(ctx.organisation.id, (tx) => findGatewayAccount(tx, accountId));
  if (!account || !isMoved(services, ctx, account)) return null;
  const connected = await connectGatewayAccount(ctx, services, account);
  await services.db.transaction(ctx.organisation.id, (tx) => saveGatewayAccount(tx, account, connected));
  return null;
}

/** Removes what `connect` set up at the gateway of a deleted account, as far as the gateway answers. Never throws. */
export async function disconnectGatewayAccount(services: Services, ctx: Ctx, account: GatewayAccount): Promise<void> {
  const { disconnect } = gatewayOf(account).adapter;
  if (!disconnect) return;
  const about = { deleted: account.id };
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const answer = await askGateway(services, about, () =>
    disconnect({ notifyUrl: notifyUrlOf(services, account) }, call),
  );
  if (answer !== "unclear" && answer.kind === "refused")
    services.log.warn({ ...about, why: answer.reason }, "a deleted gateway account is still registered at its gateway");
}
