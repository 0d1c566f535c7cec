import type { GatewayCall } from "../../gateways/contract.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { findGatewaySubscription, HANDLE_COLUMN } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type Gateway, gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";

/** The gateway that runs a subscription; null before it has begun. */
export async function gatewayOfSubscription(
  tx: Tx,
  { gatewayAccountId }: Pick<GatewaySubscription, "gatewayAccountId">,
): Promise<Gateway | null> {
  const account = gatewayAccountId === null ? null : await findGatewayAccount(tx, gatewayAccountId);
  return account && gatewayOf(account);
}

/** The data for a call to the gateway about a subscription. */
export interface SubscriptionCall {
  readonly subscription: GatewaySubscription;
  readonly gateway: Gateway;
  readonly call: GatewayCall;
  /** The handle with which the adapter changes it, decrypted. */
  readonly handle: string | null;
}

/** Reads the data for a call about a subscription. Null when it has not begun. */
export function subscriptionCall(services: Services, ctx: Ctx, id: string): Promise<SubscriptionCall | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const subscription = await findGatewaySubscription(tx, id);
    const gateway = subscription && (await gatewayOfSubscription(tx, subscription));
    if (!gateway) return null;
    return {
      subscription,
      gateway,
      call: gatewayCallOf(services, ctx.organisation, gateway.account, ctx.now),
      handle: handleOf(ctx, subscription),
    };
  });
}

function handleOf({ secrets, organisation }: Ctx, { handleSealed }: GatewaySubscription): string | null {
  const context = { organisation: organisation.id, column: HANDLE_COLUMN };
  return handleSealed === null ? null : secrets.open(handleSealed, context);
}
