import { assert } from "../../kernel/assert.ts";
import type { BankDetails } from "../../kernel/bank-details.ts";
import { EFT_PAGE } from "../../modules/eft-orders/declarations.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder, EftOrderRecord } from "../../modules/eft-orders/types.ts";
import { eftOrderView } from "../../modules/eft-orders/view.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { bankDetailsOf } from "../gateways/accounts.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { PayerPage } from "../search/record-kind.ts";

/** The bank details of the gateway account that the order is paid to. */
export async function bankDetailsOfOrder(tx: Tx, ctx: Ctx, order: EftOrder): Promise<BankDetails> {
  const account = await findGatewayAccount(tx, order.gatewayAccountId);
  assert(account, "an EFT order's account stays as long as the order");
  return bankDetailsOf(ctx, account);
}

/**
 * The order as the API and the events show it (interface 2.11), with its stored status. Callers that only read it apply
 * `asOf` first.
 */
export const eftOrderObject = async (tx: Tx, ctx: Ctx, order: EftOrderRecord) =>
  eftOrderView(order, hostedUrl(ctx, EFT_PAGE, order.id), await bankDetailsOfOrder(tx, ctx, order));

export type EftOrderView = ReturnType<typeof eftOrderView>;

/** Like `eftOrderObject`, for a list of orders and all accounts of the organisation. */
export function eftOrderObjects(
  ctx: Ctx,
  orders: readonly EftOrderRecord[],
  accounts: readonly GatewayAccount[],
): EftOrderView[] {
  const wanted = new Set(orders.map(({ gatewayAccountId }) => gatewayAccountId));
  const details = new Map<string, BankDetails>();
  for (const account of accounts) if (wanted.has(account.id)) details.set(account.id, bankDetailsOf(ctx, account));
  return orders.map((order) => {
    const bank = details.get(order.gatewayAccountId);
    assert(bank, "an EFT order's account stays as long as the order");
    return eftOrderView(order, hostedUrl(ctx, EFT_PAGE, order.id), bank);
  });
}

/** The page of an EFT order. */
export const eftPage: PayerPage = async (tx, ctx, id) => {
  const order = await findEftOrder(tx, id);
  return order && hostedUrl(ctx, EFT_PAGE, order.id);
};
