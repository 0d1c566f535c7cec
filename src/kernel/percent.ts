const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2, useGrouping: false });

/** A share in percent, with at most two decimals; 0 when the whole is 0. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Number(PERCENT.format(part / whole).replace("%", ""));

/** As `percent`; null when the whole is 0. */
export const percentOrNull = (part: number, whole: number): number | null =>
  whole === 0 ? null : percent(part, whole);
