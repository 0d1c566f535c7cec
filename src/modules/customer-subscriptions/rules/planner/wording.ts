import type { Days, LateUsage, LineReason, Reduction, SignedDecimal } from "../../../../domain/line-reason.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { type Cents, cents, formatMoney, formatPrice } from "../../../../kernel/money.ts";
import { nameOfTier, type OfMinimum, type OfTier } from "../../../../kernel/tiers.ts";

/**
 * The text of a line. It is part of the bill as its amount is: it is stored with the line and never made again, so that
 * an issued invoice does not change. Templates show it, and word only what they are given as facts.
 */
export interface Wording {
  readonly description: string;
  readonly details: string | null;
}

const daysText = ({ billed, of }: Days): string => `${billed} of ${of} days`;

const times = (quantity: Decimal, unitAmount: SignedDecimal, currency: string): string =>
  quantity === "1" ? formatPrice(unitAmount, currency) : `${quantity} × ${formatPrice(unitAmount, currency)}`;

/** A name with its tier, or with the minimum that it makes up to. */
function partName(
  { name, tier, minimum }: { readonly name: string; readonly tier?: OfTier; readonly minimum?: OfMinimum },
  currency: string,
): string {
  if (tier) return `${name}: ${nameOfTier(tier)}`;
  if (!minimum) return name;
  const days = minimum.days ? ` (${daysText(minimum.days)})` : "";
  return `${name}: up to the minimum of ${formatPrice(minimum.amount, currency)}${days}`;
}

const lateText = ({ events, quantity }: LateUsage): string =>
  quantity === null ? `with ${events} late ${events === 1 ? "event" : "events"}` : `of which ${quantity} late`;

/** The name of what is charged, with the tier of its price, and what of it is late. */
function nameOf(reason: LineReason, currency: string): string {
  if (reason.kind === "change") return reason.name;
  const name = partName(reason, currency);
  return reason.late ? `${name} (${lateText(reason.late)})` : name;
}

/** The name, with the name of what it replaces and the days. */
function describe(reason: LineReason, currency: string): string {
  const { kind, days, less } = reason;
  const name = nameOf(reason, currency);
  if (kind === "setup_fee") return `${name}: set-up fee`;
  const changed = kind === "change" && reason.replaces !== name ? `${name} in place of ${reason.replaces}` : name;
  const isWhole = days === null || (days.billed === days.of && kind !== "change");
  const shown = isWhole ? changed : `${changed} (${daysText(days)})`;
  const unused = less.find(({ by }) => by === "unused_days");
  if (kind === "change" || unused?.by !== "unused_days") return shown;
  return `${shown}, less unused days of ${unused.name} (${daysText(unused.days)})`;
}

/** The computation of the amount, such as `2 × R 100.00 for 16 of 31 days: R 103.23`. */
function basisText(reason: LineReason, currency: string): string {
  const price =
    reason.kind === "change"
      ? reason.parts
          .map((part) => `${partName(part, currency)} ${times(part.quantity, part.unitAmount, currency)}`)
          .join(" + ")
      : times(reason.quantity, reason.unitAmount, currency);
  const { days } = reason;
  const share = days === null || days.billed === days.of ? "" : ` for ${daysText(days)}`;
  const full = formatMoney(reason.full, currency);
  return price === full ? full : `${price}${share}: ${full}`;
}

function reductionText(reduction: Reduction, currency: string): string {
  const amount = formatMoney(reduction.amount, currency);
  switch (reduction.by) {
    case "coupon":
      return `less coupon ${reduction.code}${reduction.percent === null ? "" : `, ${reduction.percent}\u00a0%`}: ${amount}`;
    case "discount":
      return `less ${reduction.description}, ${reduction.percent}\u00a0%: ${amount}`;
    case "unused_days":
      return `less unused days of ${reduction.name}, ${daysText(reduction.days)}: ${amount}`;
    case "credit":
      return `less credit, ${reduction.description}: ${amount}`;
    case "tax_terms":
      return reduction.amount < 0
        ? `plus VAT, which prices now include: ${formatMoney(cents(-reduction.amount), currency)}`
        : `less VAT, which prices no longer include: ${amount}`;
  }
}

/** The steps from the price to the amount. */
const stepsOf = (reason: LineReason, currency: string): string[] => [
  basisText(reason, currency),
  ...reason.less.map((reduction) => reductionText(reduction, currency)),
];

/**
 * The `details` of a line with VAT in its amount, for a document that shows it without: the steps start from the price
 * that the payer saw, so the last step leads to the amount on the document.
 */
export function detailsWithVat(
  reason: LineReason,
  { amount, net }: { readonly amount: Cents; readonly net: Cents },
  currency: string,
): string {
  const steps = stepsOf(reason, currency);
  if (reason.less.length > 0) steps.push(formatMoney(amount, currency));
  return `${steps.join("; ")} with VAT is ${formatMoney(net, currency)} without it.`;
}

/** Plain English for a line. `details` is null when quantity and price alone explain the amount. */
export function wordingOf(reason: LineReason, currency: string): Wording {
  const { days, less } = reason;
  const description = describe(reason, currency);
  const isPlain = less.length === 0 && reason.kind !== "change" && (days === null || days.billed === days.of);
  if (isPlain) return { description, details: null };
  return { description, details: `${stepsOf(reason, currency).join("; ")}.` };
}
