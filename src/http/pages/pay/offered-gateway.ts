import type { Ctx } from "../../../flows/context.ts";
import { bankDetailsOf, type Gateway } from "../../../flows/gateways/accounts.ts";
import type { GatewayOption } from "../../../templates/pages/gateway-choice.ts";
import { gatewayOption } from "../paying-page.ts";

/**
 * A gateway as the pay page offers it: a bank transfer with its bank's name, any other with the name that the merchant
 * gave it.
 */
export function offeredGateway(ctx: Ctx, gateway: Gateway): GatewayOption {
  const { account, adapter } = gateway;
  if (!adapter.manualBankTransfer) return gatewayOption(gateway);
  const { bankName } = bankDetailsOf(ctx, account);
  return { id: account.id, name: "Bank transfer", methods: [bankName], byHand: true, isDown: false };
}
