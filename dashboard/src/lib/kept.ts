/** Fields that are never kept, wherever they stand in a form: secrets, and numbers that identify a person or an account. */
const SECRET = /password|passphrase|secret|credential|token|apikey|accountnumber|idnumber|^(?:pin|otp|key)$/i;

/** Values without what is never kept. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET.test(name))
      .map(([name, one]) => [name, withoutSecrets(one)]),
  );
}

/** A form's values with those that were kept in their places; what was not kept stays as it is. */
export function withKept(values: unknown, kept: unknown): unknown {
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(values) || !isObject(kept)) return kept;
  return {
    ...values,
    ...Object.fromEntries(Object.entries(kept).map(([name, one]) => [name, withKept(values[name], one)])),
  };
}
