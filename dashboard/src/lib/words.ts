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

/** What events are called whose name in the API is unclear. */
const EVENTS: Readonly<Record<string, string>> = {
  "mandate.debit_unpaid": "Debit returned unpaid",
  "mandate.debit_collected": "Debit collected",
  "debit_batch.submitted": "Batch submitted",
  "debit_batch.completed": "Results are in",
};

/** An event's name as words: `invoice.paid` becomes `Invoice paid`. */
export const eventWords = (type: string): string => EVENTS[type] ?? words(type);

/** A title within a sentence: `Bank lines` becomes `bank lines`, `API keys` stays. */
export const inSentence = (title: string): string =>
  title.replaceAll(/\b[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase());

/** `1 invoice`, `2 invoices`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** What a role is called within a sentence: `viewer`, and one that the organisation has made by its own name. */
export const calledRole = ({ role, roleName }: { readonly role: string; readonly roleName: string }): string =>
  role.startsWith("role_") ? roleName : roleName.toLowerCase();
