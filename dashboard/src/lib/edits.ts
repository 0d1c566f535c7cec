/** A field of a record that somebody changed while it was edited: its path, its earlier and its present value. */
export interface ChangedField {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly by: string | null;
  readonly at: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The record with the present values of these fields. */
export const withChanges = <R extends object>(record: R, changed: readonly ChangedField[]): R =>
  changed.reduce<Fields>((whole, { field, after }) => put(whole, field.split("."), after), record as Fields) as R;

function put(record: Fields, [name = "", ...inner]: readonly string[], value: unknown): Fields {
  const within = record[name];
  return { ...record, [name]: inner.length > 0 && isRecord(within) ? put(within, inner, value) : value };
}

/**
 * The differences of two records, or of two values of a form: by path, with the value of each. A field that the second
 * lacks is not compared.
 */
export function differences(
  one: object,
  other: object,
): { readonly path: string; readonly before: unknown; readonly value: unknown }[] {
  return Object.entries(other).flatMap(([name, value]) => {
    const before = (one as Fields)[name];
    if (isRecord(before) && isRecord(value))
      return differences(before, value).map((inner) => ({ ...inner, path: `${name}.${inner.path}` }));
    return JSON.stringify(before) === JSON.stringify(value) ? [] : [{ path: name, before, value }];
  });
}

/** The fields of a record that a body sends, `customer` for `customerId`. */
export const openedFor = (record: object, body: object): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name in body || `${name}Id` in body));
