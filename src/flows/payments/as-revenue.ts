import { unitOf } from "../../kernel/currency.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { exemption, type StatedVat, UNSTATED } from "../../kernel/exemption.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { ZERO } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { vatRateOn } from "../../modules/organisations/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Product } from "../../modules/products/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { currentSettings, taxedToday } from "../organisations/settings.ts";
import type { PaymentSplit } from "./purpose.ts";

/** What says which VAT a payment without an invoice includes. */
interface Supply {
  /** Of its link or mandate. */
  readonly stated: StatedVat;
  /** The product that is sold. */
  readonly product?: Product | null | undefined;
}

/** A payment that is revenue and includes no VAT. */
const ALL_REVENUE: PaymentSplit = { applied: ZERO, overpaid: ZERO, vat: ZERO };

/**
 * A payment that no invoice carries, as revenue with the VAT that it includes: at the rate that its link or mandate
 * states, else at its product's, else, where the settings say so, at the standard rate of today
 * (decisions.md#payments-may-include-vat). The 1.00 by which a card is saved is credited, so it is no supply.
 */
export async function asRevenue(
  tx: Tx,
  ctx: Ctx,
  { amount, currency, type }: Pick<Transaction, "amount" | "currency" | "type">,
  supply: Supply = { stated: UNSTATED },
): Promise<PaymentSplit> {
  if (type === "card_setup") return ALL_REVENUE;
  const { taxRate, taxExempt } = await vatOf(tx, ctx, supply);
  return taxRate === null
    ? { ...ALL_REVENUE, ...exemption(taxExempt) }
    : { ...ALL_REVENUE, vat: vatWithin(amount, taxRate, unitOf(currency)), ...exemption(taxExempt) };
}

async function vatOf(
  tx: Tx,
  ctx: Ctx,
  { stated, product }: Supply,
): Promise<{ readonly taxRate: Decimal | null; readonly taxExempt: boolean }> {
  if (stated.taxExempt) return stated;
  if (stated.taxRate === null && product) return taxedToday(ctx, product);
  const settings = await currentSettings(tx);
  if (stated.taxRate === null && !settings.paymentsIncludeVat) return UNSTATED;
  return { taxRate: vatRateOn(settings, calendarDay(ctx.now), stated.taxRate), taxExempt: false };
}
