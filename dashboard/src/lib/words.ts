const ABBREVIATIONS = /\b(api|csv|debicheck|eft|id|mrr|payfast|url|vat)\b/g;
const WRITTEN: Readonly<Record<string, string>> = { debicheck: "DebiCheck", id: "ID", payfast: "PayFast" };

/** A name of the API as words: `partially_paid` and `partiallyPaid` become `Partially paid`, `vat_output` `VAT output`. */
export function words(name: string): string {
  const text = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_.-]+/g, " ")
    .toLowerCase()
    .replaceAll(ABBREVIATIONS, (one) => WRITTEN[one] ?? one.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A title within a sentence: `Bank lines` becomes `bank lines`, `API keys` stays. */
export const inSentence = (title: string): string =>
  title.replaceAll(/\b[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase());

/** `1 invoice`, `2 invoices`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
