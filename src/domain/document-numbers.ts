/** Documents that have numbers of their own, with the prefixes that their numbers have unless the settings name others. */
export const NUMBER_PREFIXES = { invoice: "INV-", quote: "QUO-", credit_note: "CN-" } as const;
export type NumberedKind = keyof typeof NUMBER_PREFIXES;

const DIGITS = 6;

/** The longest prefix: with its digits a number still fits the reference of a bank payment. */
export const PREFIX_MAX = 12;

/** Digits are in all numbers after the last sign that is none, so that no two prefixes make the same number. */
const PREFIX = /^(?!.*--)[A-Z0-9][A-Z0-9-]*(?<![0-9])$/;

/** Whether numbers can begin so: capital letters, digits and single hyphens, a letter or hyphen at the end. */
export const isNumberPrefix = (text: string): boolean => text.length <= PREFIX_MAX && PREFIX.test(text);

/** The number of a document, such as `INV-000042`. */
export const documentNumber = (prefix: string, counter: number | string): string =>
  prefix + String(counter).padStart(DIGITS, "0");
