/** The input without blanks at its ends; null when it is empty. */
export const textOrNull = (text: string): string | null => text.trim() || null;

/** The number in a number field; null for an empty one. */
export const numberOrNull = (value: number | string | null): number | null =>
  value === "" || value === null ? null : Number(value);
