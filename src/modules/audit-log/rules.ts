/** A field that a change gave another value. */
export interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields that change with every change, and say nothing. */
const MOVING = new Set(["updatedAt"]);

/** The fields of two states of a record that differ, by name; none when either state is missing. Values are compared as JSON. */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !MOVING.has(field) && JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .toSorted()
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
