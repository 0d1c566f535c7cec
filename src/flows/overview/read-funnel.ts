import { addDays, startOfDay } from "../../kernel/time.ts";
import { funnelOfCheckouts } from "../../modules/checkout-sessions/store.ts";
import type { Division } from "../../modules/overview/rules.ts";
import { currenciesOf } from "../../modules/overview/store.ts";
import { funnelView } from "../../modules/overview/view.ts";
import { funnelOfLinks } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { type DaysAsked, daysAsked } from "./read-received.ts";

/**
 * How many of the payment links and checkouts that were created in some days were opened, started and paid since, whole and divided
 * (interface 14.4). Throws 400.
 */
export async function readFunnel(
  tx: Tx,
  ctx: Ctx,
  { by = "day", ...query }: Omit<DaysAsked, "currency"> & { readonly by?: Division | undefined },
) {
  const { from, to } = daysAsked(ctx, query);
  const created = {
    createdFrom: startOfDay(from),
    createdTo: startOfDay(addDays(to, 1)),
    inRealTime: !ctx.organisation.sandbox,
  };
  const [links, checkouts] = await Promise.all([funnelOfLinks(tx, created), funnelOfCheckouts(tx, created)]);
  return funnelView({ from, to }, by, { links, checkouts });
}

/** The currencies in which there are figures, the usual one first. */
export async function readCurrencies(tx: Tx) {
  const others = (await currenciesOf(tx)).filter((currency) => currency !== DEFAULT_CURRENCY);
  return { currencies: [DEFAULT_CURRENCY, ...others] };
}
