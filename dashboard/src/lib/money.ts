const DIGITS = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** As invoices and pages write an amount: `R 1 234.50`, `USD 10.00`; groups joined by no-break spaces. Amounts come from the API in whole currency units, with cents. */
export function formatMoney(amount: number, currency: string): string {
  const digits = DIGITS.format(Math.abs(amount)).replaceAll(",", "\u00a0");
  return `${amount < 0 ? "−" : ""}${currency === "ZAR" ? "R" : currency}\u00a0${digits}`;
}

/** The sum of amounts, in whole cents while it is added. */
export const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;
