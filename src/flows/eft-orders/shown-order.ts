import { assert } from "../../kernel/assert.ts";
import type { BankDetails, EftOrder, EftOrderRecord } from "../../modules/eft-orders/types.ts";
import { eftOrderView } from "../../modules/eft-orders/view.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { credentialsOf, gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { eftUrl } from "./eft-url.ts";

/** Spec 2.11 `bankDetails`, of a Manual EFT account. */
export function bankDetailsOf(
  services: Pick<Services, "secrets">,
  { organisation }: Pick<Ctx, "organisation">,
  account: GatewayAccount | null,
): BankDetails {
  const transfer = account && gatewayOf(account).adapter.manualBankTransfer;
  assert(account && transfer, "an EFT order's account takes deposits, and stays as long as the order");
  return transfer(credentialsOf(services, organisation, account));
}

/** The bank details that the order's payer deposits to. */
export const bankDetailsOfOrder = async (
  tx: Tx,
  ctx: Pick<Ctx, "organisation">,
  services: Pick<Services, "secrets">,
  order: EftOrder,
): Promise<BankDetails> => bankDetailsOf(services, ctx, await findGatewayAccount(tx, order.gatewayAccountId));

/** Spec 2.11, with the status as the order gives it: callers that read say `asOf` first. */
export const shownOrder = async (
  tx: Tx,
  ctx: Pick<Ctx, "organisation">,
  services: Pick<Services, "secrets" | "baseUrl">,
  order: EftOrderRecord,
) =>
  eftOrderView(order, eftUrl(services, ctx.organisation, order.id), await bankDetailsOfOrder(tx, ctx, services, order));

export type ShownOrder = ReturnType<typeof eftOrderView>;

/** As `shownOrder`, for a list and the organisation's accounts. */
export function shownOrders(
  ctx: Pick<Ctx, "organisation">,
  services: Pick<Services, "secrets" | "baseUrl">,
  orders: readonly EftOrderRecord[],
  accounts: readonly GatewayAccount[],
): ShownOrder[] {
  const details = new Map(
    [...new Set(orders.map(({ gatewayAccountId }) => gatewayAccountId))].map((id) => [
      id,
      bankDetailsOf(services, ctx, accounts.find((account) => account.id === id) ?? null),
    ]),
  );
  return orders.map((order) =>
    eftOrderView(
      order,
      eftUrl(services, ctx.organisation, order.id),
      details.get(order.gatewayAccountId) as BankDetails,
    ),
  );
}
