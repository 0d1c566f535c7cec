import { accountCapabilities } from "../../gateways/capabilities.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Ctx } from "../context.ts";
import { credentialsOf, gatewayOf, notifyUrlOf } from "./accounts.ts";

/**
 * The gateway account as the dashboard shows it (interface 14.2, `gateways`): with its capabilities, and only the names
 * of its credentials.
 */
export function describeGatewayAccount(ctx: Ctx, account: GatewayAccount) {
  const { adapter } = gatewayOf(account);
  const credentials = credentialsOf(ctx, account);
  return {
    id: account.id,
    type: account.type,
    name: account.name,
    mode: account.mode,
    enabled: account.enabled,
    currencies: account.currencies,
    capabilities: accountCapabilities(adapter, credentials),
    credentialsSet: Object.keys(credentials).sort(),
    notifyUrl: adapter.notifications ? notifyUrlOf(ctx, account) : null,
    createdAt: toTimestamp(account.createdAt),
    updatedAt: toTimestamp(account.updatedAt),
  };
}
