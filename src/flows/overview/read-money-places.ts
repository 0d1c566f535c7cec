import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { moneyPlaces } from "../../modules/overview/rules.ts";
import { moneyHeld } from "../../modules/overview/store.ts";
import { moneyPlacesView } from "../../modules/overview/view.ts";
import { matchedByAccount } from "../../modules/reconciliation/store/accounts.ts";
import type { Tx } from "../../platform/database.ts";
import { DEFAULT_CURRENCY } from "../context.ts";
import type { MayRead } from "../search/search-records.ts";

/**
 * Where the money is that was ever received (interface 14.4): an entry for each currency, and always one for
 * `DEFAULT_CURRENCY`. Bank and gateway accounts are named to those who may read them.
 */
export async function readMoneyPlaces(tx: Tx, mayRead: MayRead) {
  const [held, banks, gateways] = await Promise.all([
    moneyHeld(tx),
    mayRead("reconciliation:read") ? matchedByAccount(tx) : null,
    mayRead("gateways:read") ? listGatewayAccounts(tx) : null,
  ]);
  const names = new Map<string, string>(gateways?.map(({ id, name }) => [id, name]));
  const currencies = new Set([DEFAULT_CURRENCY, ...held.map(({ currency }) => currency)]);
  return moneyPlacesView(
    [...currencies].map((currency) => {
      const own = held.filter((one) => one.currency === currency);
      return {
        currency,
        places: moneyPlaces(own, {
          ...(banks && {
            bank_reconciled: banks
              .filter((bank) => bank.currency === currency)
              .map(({ account, amount }) => ({ name: account, id: null, amount })),
          }),
          ...(gateways && {
            gateway_clearing: own.flatMap(({ account, gatewayAccountId: id, amount }) =>
              account === "gateway_clearing" && id !== null && names.has(id)
                ? { name: names.get(id) ?? null, id, amount }
                : [],
            ),
          }),
        }),
      };
    }),
  );
}
