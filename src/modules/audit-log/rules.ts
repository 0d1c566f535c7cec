/** A field that a change gave another value. */
export interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that change with every change, and are left out. */
const MOVING = new Set(["updatedAt"]);

/**
 * The fields of two states of a record that differ, by name; none when either state is missing. Values are compared as
 * JSON; what is left out is null.
 */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !MOVING.has(field))
    .toSorted()
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

/**
 * What changed since an edit was opened, among the fields that it sends: `opened` is the record as it was read, `now`
 * as it is (decisions.md#edits-compare-what-they-touch). Fields within objects have a path, `branding.address`. An id in the
 * edit, such as `customerId`, is compared with the record that both show, `customer`. A field that either record does
 * not show is not compared.
 */
export function changedSince(opened: unknown, now: unknown, sent: Fields): ChangedField[] {
  if (!isRecord(opened) || !isRecord(now)) return [];
  return Object.entries(sent).flatMap(([name, value]): ChangedField[] => {
    const shown = name.endsWith("Id") && !(name in now) ? name.slice(0, -2) : name;
    if (!(shown in opened && shown in now)) return [];
    const [before, after] = [opened[shown], now[shown]];
    if (shown !== name) return idOf(before) === idOf(after) ? [] : [{ field: shown, before, after }];
    if (isRecord(value) && isRecord(before) && isRecord(after))
      return changedSince(before, after, value).map((inner) => ({ ...inner, field: `${name}.${inner.field}` }));
    return sorted(before) === sorted(after) ? [] : [{ field: name, before, after }];
  });
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const idOf = (record: unknown): unknown => (isRecord(record) ? record["id"] : null);

/** A value as JSON whose objects have their fields in one order. */
const sorted = (value: unknown): string | undefined =>
  JSON.stringify(value, (_name, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
