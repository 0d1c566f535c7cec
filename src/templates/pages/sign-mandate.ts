import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type AgreementBlock, CONSENT } from "../agreement.ts";
import { type Html, html } from "../html.ts";
import { momentInWords } from "../wording.ts";
import { inputField, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, bigAmount, contact, facts, formToken, type IconName, icon, name, type Tone } from "./parts.ts";

/** The agreement's status, and what the customer can do. */
export type SignState =
  | { readonly kind: "open"; readonly formToken: string; readonly expiresAt: Instant }
  /** The merchant's account is read-only. */
  | { readonly kind: "paused" }
  /** Open, on a page without a form to sign it. */
  | { readonly kind: "shown"; readonly expiresAt: Instant }
  | { readonly kind: "signed"; readonly by: string; readonly at: Instant }
  | { readonly kind: "cancelled" }
  | { readonly kind: "expired"; readonly at: Instant };

export interface SignMandateModel {
  readonly brand: Brand;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string;
  /** Only the last digits. */
  readonly account: string;
  readonly accountReference: string;
  readonly blocks: readonly AgreementBlock[];
  /** Path of its PDF. */
  readonly pdf: string;
  readonly state: SignState;
  /** The values that were sent last. */
  readonly fullName: string;
  readonly accepted: boolean;
  /** What is wrong with a field, by its name: `fullName`, `accept`. */
  readonly errors: Readonly<Record<string, string>>;
  /** A sentence about the form as a whole. */
  readonly problem: string | null;
}

/**
 * The page on which a customer signs a debit order agreement. Its form posts `fullName`, `accept`, `action=sign` and
 * `formToken` to the page's URL.
 */
export function signMandatePage(model: SignMandateModel): Html {
  const { brand, state, errors, problem } = model;
  const problems = [
    ...(problem === null ? [] : [{ message: problem, inputId: null }]),
    ...Object.entries(errors).map(([inputId, message]) => ({ message, inputId })),
  ];
  const readable = state.kind !== "cancelled" && state.kind !== "expired";
  // The signed text has its own amount; the mandate's amount may have changed since.
  const current = state.kind === "open" || state.kind === "paused" || state.kind === "shown";
  return page({
    title: `${problems.length > 0 ? "Not signed yet: " : ""}Debit order agreement with ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1>Debit order agreement</h1>${current ? bigAmount(model.amount, model.currency) : ""}
${facts([
  { term: "With", value: name(brand.name) },
  { term: "For", value: name(model.description) },
  { term: "Bank account", value: model.account },
  { term: "Reference", value: name(model.accountReference) },
])}
${readable ? html`<p><a href="${model.pdf}">Download the agreement (PDF)</a></p>` : ""}</div>
<div class="sheet stack">
${problemSummary(problems, "Not signed yet")}
${state.kind === "open" ? "" : statusText(state, brand)}
${readable ? agreementText(model.blocks) : ""}
${state.kind === "open" ? signForm(model, state) : ""}</div></main>`,
  });
}

const agreementText = (blocks: readonly AgreementBlock[]): Html =>
  html`<section class="stack">${blocks.map(({ kind, text }) =>
    kind === "heading" ? html`<h2 dir="auto">${text}</h2>` : html`<p class="lines" dir="auto">${text}</p>`,
  )}</section>`;

function signForm(model: SignMandateModel, { formToken: token, expiresAt }: SignState & { kind: "open" }): Html {
  const fullName = inputField({
    name: "fullName",
    label: "Full name of the person who signs",
    type: "text",
    autocomplete: "name",
    value: model.fullName,
    required: true,
    error: model.errors["fullName"] ?? null,
    hint: null,
  });
  const wrong = model.errors["accept"] ?? null;
  return html`<form class="stack" method="post">
<div class="fields">${fullName}
<div class="field">${wrong === null ? "" : html`<p class="error" id="accept-error">${wrong}</p>`}
<label class="tick"><input type="checkbox" id="accept" name="accept" value="yes" required${model.accepted && html` checked`}${
    wrong !== null && html` aria-invalid="true" aria-describedby="accept-error"`
  }><span>${CONSENT}</span></label></div></div>
<button type="submit" class="button" name="action" value="sign" data-busy="One moment…">Sign the agreement</button>
<p class="muted small center">You can sign until ${momentInWords(expiresAt)}. Questions? Contact ${contact(model.brand)}.</p>
${formToken(token)}</form>`;
}

/** Explains a status other than open. */
function statusText(state: Exclude<SignState, { kind: "open" }>, brand: Brand): Html {
  switch (state.kind) {
    case "paused":
      return notice(
        "pause",
        "plain",
        "Signing is paused",
        html`${name(brand.name)} cannot take a signature here at the moment. Contact ${contact(brand)}.`,
      );
    case "shown":
      return notice(
        "clock",
        "wait",
        "Not signed yet",
        html`It is signed on the page that the customer was sent, until ${momentInWords(state.expiresAt)}.`,
      );
    case "signed":
      return notice(
        "tick",
        "good",
        "Signed",
        html`${name(state.by)} signed this agreement on ${momentInWords(state.at)}.`,
      );
    case "cancelled":
      return notice(
        "cross",
        "plain",
        "This agreement was withdrawn",
        html`It can no longer be signed. You may have been sent another one; else contact ${contact(brand)}.`,
      );
    case "expired":
      return notice(
        "clock",
        "wait",
        "This agreement has expired",
        html`It could be signed until ${momentInWords(state.at)}. For a new one, contact ${contact(brand)}.`,
      );
  }
}

const notice = (which: IconName, tone: Tone, heading: string, sentence: Html): Html =>
  html`<div class="notice ${tone}">${icon(which)}<div><h2>${heading}</h2><p>${sentence}</p></div></div>`;
