import { type Html, html } from "../html.ts";
import { inputField, type Problem, problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import { type Brand, contact, facts, formToken, messageBody, name, sign } from "./parts.ts";

export interface PortalSignInModel {
  readonly brand: Brand;
  /** Why the form is shown: the sign-in link was used before, has expired (15 minutes), or there was none (interface 4.4). */
  readonly reason: "used" | "expired" | "none";
  readonly formToken: string;
  readonly email: string;
  readonly emailError: string | null;
  /** Sentences about other problems, such as too many attempts. */
  readonly problems: readonly string[];
}

const SIGN_IN_WORDS = {
  used: { heading: "This link has been used", sentence: "A sign-in link works once. We mail you a new one." },
  expired: {
    heading: "This link has expired",
    sentence: "A sign-in link works for 15 minutes. We mail you a new one.",
  },
  none: { heading: "Sign in", sentence: "We mail you a link that signs you in. There is no password." },
} as const;

/** Asks for the address that a new sign-in link is mailed to. Its form posts `email` and `formToken` to the page's URL. */
export function portalSignInPage(model: PortalSignInModel): Html {
  const { heading, sentence } = SIGN_IN_WORDS[model.reason];
  const problems: Problem[] = [
    ...model.problems.map((message) => ({ message, inputId: null })),
    ...(model.emailError === null ? [] : [{ message: model.emailError, inputId: "email" }]),
  ];
  return page({
    title: `${problems.length > 0 ? "Not sent yet: " : ""}${heading} – ${model.brand.name}`,
    brand: model.brand,
    width: "narrow",
    main: html`<main class="frame narrow stack"><form class="sheet stack" method="post">
<div class="what"><h1>${heading}</h1><p class="muted">${sentence}</p></div>
${problemSummary(problems)}
${inputField({
  name: "email",
  label: "Email address",
  type: "email",
  autocomplete: "email",
  value: model.email,
  required: true,
  error: model.emailError,
  hint: `The one ${model.brand.name} writes to.`,
})}
<button type="submit" class="button" data-busy="One moment…">Mail me a link</button>${formToken(model.formToken)}</form>
<p class="muted small center">No longer at that address? Contact ${contact(model.brand)}.</p></main>`,
  });
}

/** The answer to the request for a link; the same whether or not a customer has the address. */
export function portalSentPage(model: { readonly brand: Brand; readonly email: string }): Html {
  return page({
    title: `Look in your mail – ${model.brand.name}`,
    brand: model.brand,
    width: "narrow",
    main: messageBody({
      sign: sign("mail", "good"),
      heading: "Look in your mail",
      head: [
        html`<p class="muted">A link is on its way to ${name(model.email)}, if that is the address \
${name(model.brand.name)} has for you. It works once, for 15 minutes.</p>`,
      ],
      below: html`<p class="muted small center">Nothing there after a few minutes? Look in the spam folder, or contact \
${contact(model.brand)}.</p>`,
    }),
  });
}

/** An opened sign-in link that was not used yet. */
export interface PortalConfirmModel {
  readonly brand: Brand;
  /** Name of the customer whom the link signs in; null without a name. */
  readonly customerName: string | null;
  readonly email: string | null;
  readonly formToken: string;
  /** Sentences that say why the last submission was refused. */
  readonly problems: readonly string[];
}

/**
 * Shows who is signed in by the link, and the button that does it. Its form posts `action` (`sign_in`) and `formToken`
 * to the page's URL.
 */
export function portalConfirmPage(model: PortalConfirmModel): Html {
  const { brand, customerName, email, problems } = model;
  return page({
    title: `Sign in – ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      sign: sign("lock", "plain"),
      heading: "Sign in",
      head: [
        html`<p class="muted">To your account with ${name(brand.name)}: what you owe, and what you have paid.</p>`,
      ],
      below: html`${problemSummary(problems.map((message) => ({ message, inputId: null })))}${facts([
        customerName === null ? null : { term: "Name", value: name(customerName) },
        email === null ? null : { term: "Email", value: name(email) },
      ])}<form class="stack" method="post"><input type="hidden" name="action" value="sign_in">
<button type="submit" class="button" data-busy="One moment…">Sign in</button>${formToken(model.formToken)}</form>
<p class="muted small center">Not you? Close this page. The link works once, for 15 minutes.</p>`,
    }),
  });
}
