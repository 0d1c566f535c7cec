/** A value of a request: undefined is left out, and an empty text clears the field. */
export type FormValue = string | number | boolean | undefined | FormFields | readonly FormValue[];

export interface FormFields {
  readonly [name: string]: FormValue;
}

/** Fields as Stripe's form encoding names them: `a[b]`, `a[0]`. */
export function formFields(fields: FormFields): Record<string, string> {
  const flat: Record<string, string> = {};
  const add = (name: string, value: FormValue): void => {
    if (value === undefined) return;
    if (typeof value !== "object") flat[name] = String(value);
    else
      for (const [key, inner] of Object.entries(value)) add(name === "" ? key : `${name}[${key}]`, inner as FormValue);
  };
  add("", fields);
  return flat;
}
