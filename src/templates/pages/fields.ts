import { type Html, html } from "../html.ts";

/** Fields that a payer may be asked for (interface 15.3). */
export type PayerFieldName = "email" | "firstName" | "lastName" | "phone" | "company" | "address" | "vatNumber";

/** One field as the page shows it. */
export interface PayerField {
  readonly name: PayerFieldName;
  /** The value that the payer sent last, or a known value. */
  readonly value: string;
  readonly required: boolean;
  /** A sentence that says what is wrong and how to correct it; null when nothing is wrong. */
  readonly error: string | null;
  /** The value is shown and cannot be changed. */
  readonly isFixed?: boolean;
}

interface Look {
  readonly label: string;
  readonly type: "text" | "email" | "tel" | "area";
  readonly autocomplete: string;
}

const LOOKS: Readonly<Record<PayerFieldName, Look>> = {
  email: { label: "Email address", type: "email", autocomplete: "email" },
  firstName: { label: "First name", type: "text", autocomplete: "given-name" },
  lastName: { label: "Last name", type: "text", autocomplete: "family-name" },
  phone: { label: "Phone number", type: "tel", autocomplete: "tel" },
  company: { label: "Company", type: "text", autocomplete: "organization" },
  address: { label: "Billing address", type: "area", autocomplete: "billing street-address" },
  vatNumber: { label: "VAT number", type: "text", autocomplete: "off" },
};

type Hints = Partial<Record<PayerFieldName, string>>;

/** Label, hint, error and input of each field; first and last name share a row where there is room. */
export function payerFields(fields: readonly PayerField[], hints: Hints = {}): Html | null {
  if (fields.length === 0) return null;
  const rows: Html[] = [];
  for (let i = 0; i < fields.length; i++) {
    const [one, two] = [fields[i], fields[i + 1]];
    if (!one) break;
    if (one.name === "firstName" && two?.name === "lastName") {
      rows.push(html`<div class="fields names">${payerField(one, hints)}${payerField(two, hints)}</div>`);
      i++;
    } else rows.push(payerField(one, hints));
  }
  return html`<div class="fields">${rows}</div>`;
}

function payerField(field: PayerField, hints: Hints): Html {
  const { label, type, autocomplete } = LOOKS[field.name];
  return inputField({ ...field, label, type, autocomplete, hint: hints[field.name] ?? null });
}

/** A labelled input on pages that ask for other things than a payer's data. */
export interface InputField {
  /** Name and id of the input. */
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "tel" | "date" | "area";
  readonly autocomplete: string;
  readonly value: string;
  readonly required: boolean;
  readonly error: string | null;
  readonly hint: string | null;
  readonly inputMode?: "numeric" | "decimal";
  /** The value is shown and cannot be changed. */
  readonly isFixed?: boolean;
}

/** Label, hint, error and input, connected for screen readers. */
export function inputField(field: InputField): Html {
  const { name } = field;
  const notes = [field.hint === null ? "" : `${name}-hint`, field.error === null ? "" : `${name}-error`].filter(
    Boolean,
  );
  const attributes = html`id="${name}" name="${name}" autocomplete="${field.autocomplete}" dir="auto"${[
    field.required && html` required`,
    field.isFixed === true && html` readonly`,
    field.inputMode ? html` inputmode="${field.inputMode}"` : null,
    field.error !== null && html` aria-invalid="true"`,
    notes.length > 0 && html` aria-describedby="${notes.join(" ")}"`,
  ]}`;
  return html`<div class="field"><label for="${name}">${field.label}${
    field.required ? null : html` <span class="muted">(optional)</span>`
  }</label>
${field.hint !== null ? html`<p class="hint" id="${name}-hint">${field.hint}</p>` : ""}${
  field.error !== null ? html`<p class="error" id="${name}-error">${field.error}</p>` : ""
}${
  field.type === "area"
    ? html`<textarea rows="3" ${attributes}>
${field.value}</textarea>`
    : html`<input type="${field.type}" value="${field.value}" ${attributes}>`
}</div>`;
}

/** A problem of a form, with the id of the input that it is about (null: the whole form). */
export interface Problem {
  readonly message: string;
  readonly inputId: string | null;
}

/** The summary of problems above a form; null without problems. The script moves the focus to it. */
export function problemSummary(problems: readonly Problem[], heading = "Not sent yet"): Html | null {
  if (problems.length === 0) return null;
  const items = problems.map(({ message, inputId }) =>
    inputId === null ? html`<li>${message}</li>` : html`<li><a href="#${inputId}">${message}</a></li>`,
  );
  return html`<div class="problem" role="alert" tabindex="-1"><strong>${heading}</strong><ul>${items}</ul></div>`;
}
