const digits = (decimals: number) =>
  new Intl.NumberFormat("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: Math.max(2, decimals) });
const DIGITS = digits(2);
const OF_CURRENCY = new Map<string, Intl.NumberFormat>();

/** The decimals of a currency: two for ZAR, none for JPY, three for KWD. */
export function decimalsOf(currency: string): number {
  const { maximumFractionDigits = 2 } = /^[A-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
    : {};
  return maximumFractionDigits;
}

/** The digits of a currency: two for ZAR, none for whole JPY, three for KWD. */
function digitsOf(currency: string): Intl.NumberFormat {
  const known = OF_CURRENCY.get(currency);
  if (known) return known;
  const made = digits(decimalsOf(currency));
  OF_CURRENCY.set(currency, made);
  return made;
}

/**
 * An amount in the form of invoices and pages: `R 1 234.50`, `USD 10.00`; groups joined by no-break spaces. Amounts
 * come from the API in whole currency units, with cents.
 */
export function formatMoney(amount: number, currency: string): string {
  return `${amount < 0 ? "−" : ""}${currency === "ZAR" ? "R" : currency}\u00a0${grouped(digitsOf(currency), amount)}`;
}

/** As `formatMoney`, for the price of a unit, which may have up to six decimals. */
export function formatUnitPrice(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const of = new Intl.NumberFormat("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: 6 });
  return `${amount < 0 ? "−" : ""}${currency === "ZAR" ? "R" : currency}\u00a0${grouped(of, amount)}`;
}

/** An amount with cents without its currency, which is shown beside it: `1 234.50`. */
export const formatAmount = (amount: number): string => `${amount < 0 ? "−" : ""}${grouped(DIGITS, amount)}`;

const grouped = (of: Intl.NumberFormat, amount: number): string =>
  of.format(Math.abs(amount)).replaceAll(",", "\u00a0");

/** A number of records: `1 234`. */
export const formatCount = (count: number): string => grouped(new Intl.NumberFormat("en-GB"), count);

/** The sum of amounts, in whole cents while it is added. */
export const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;

/** What is left of an amount after another, exact to the cent; negative when that is more. */
export const leftOf = (amount: number, taken: number): number => sumOf([amount, -taken]);

/** The sum of amounts of records, for each currency: `R 10.00 and USD 5.00`. */
export const totalsOf = <T extends { readonly currency: string }>(
  records: readonly T[],
  amountOf: (record: T) => number,
): string =>
  [...new Set(records.map(({ currency }) => currency))]
    .map((currency) => formatMoney(sumOf(records.filter((one) => one.currency === currency).map(amountOf)), currency))
    .join(" and ");

/** An amount at the side of a chart, as short as can be: `R 0`, `R 1.5k`, `R 2m`. */
export function formatShort(amount: number, currency: string): string {
  const size = Math.abs(amount);
  const [unit, sign] = size >= 1e6 ? [1e6, "m"] : size >= 1000 ? [1000, "k"] : [1, ""];
  const rounded = Math.round((size / unit) * 10) / 10;
  return `${amount < 0 ? "−" : ""}${currency === "ZAR" ? "R" : currency}\u00a0${rounded}${sign}`;
}
