/** What stands for a minus before the digits: the hyphen, dashes, the minus sign, and an opening bracket, as in accounts. */
const MINUS = /(?<=^\D*)[-\u2010-\u2015\u2212\uFE63\uFF0D(]/;

/**
 * The amount that a text stands for, as people in South Africa write it: `1 234.50`, `1,234.50`, `1234,50`, `R 1 234.50`, `(50)`. Of two
 * signs the last one divides the cents; a comma alone before exactly three digits groups thousands. Decimals beyond `decimals` are cut off.
 * An empty text for an empty one; the text itself when it is no amount.
 */
export function typedAmount(text: string, decimals: number): number | string {
  const bare = text
    .replace(MINUS, "")
    .replace(/^\s*[A-Z]{1,3}(?=[\s\d])/i, "")
    .replace(/[\s\u00a0\u202f'’)]/g, "");
  if (bare === "") return text.trim();
  if (!/^\d*(?:[.,]\d*)*$/.test(bare) || !/\d/.test(bare)) return text;
  const point = decimalPlace(bare);
  const whole = bare.slice(0, point).replace(/[.,]/g, "");
  const fraction = bare.slice(point + 1).slice(0, decimals);
  const amount = Number(`${whole || "0"}.${fraction || "0"}`);
  return MINUS.test(text) ? -amount : amount;
}

/** The place of the sign before the cents; the length of the text where there is none. */
function decimalPlace(text: string): number {
  const signs = [...text.matchAll(/[.,]/g)];
  const last = signs.at(-1);
  if (!last) return text.length;
  const isRepeated = signs.length > 1 && signs.every(([sign]) => sign === last[0]);
  const groups = last[0] === "," && signs.length === 1 && /^[1-9]\d{0,2},\d{3}$/.test(text);
  return isRepeated || groups ? text.length : last.index;
}
