import { accountCapabilities } from "../../gateways/capabilities.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import type { Authority } from "../../modules/mandates/types.ts";
import type { Ctx } from "../context.ts";
import { credentialsOf, type Gateway, gatewayOf } from "../gateways/accounts.ts";

/** Whether the account is enabled and collects debit orders. */
function collects(ctx: Ctx, { account, adapter }: Gateway): boolean {
  const able = account.enabled && account.currencies.includes(MANDATE_CURRENCY);
  return able && accountCapabilities(adapter, credentialsOf(ctx, account)).includes("debitOrders");
}

/**
 * The debit order provider of a new mandate: the one that `providerId` names, else the first enabled one that supports
 * the authority. Throws 400 when there is none.
 */
export function debitOrderProvider(
  ctx: Ctx,
  accounts: readonly GatewayAccount[],
  { providerId, authority }: { providerId: string | null; authority: Authority },
): Gateway {
  const providers = accounts.map(gatewayOf).filter((gateway) => collects(ctx, gateway));
  const named = providerId === null ? providers : providers.filter(({ account }) => account.id === providerId);
  if (named.length === 0)
    throw invalidField(
      ["providerId"],
      providerId === null
        ? "No enabled gateway collects debit orders. Add one under Settings, Gateways."
        : "No enabled gateway with this id collects debit orders.",
    );
  const [provider] = named.filter(({ adapter }) => authority !== "emandate" || adapter.eMandates !== undefined);
  if (!provider)
    throw invalidField(["authority"], "This provider makes no electronic mandates. Use another authority.");
  return provider;
}
