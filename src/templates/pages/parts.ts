import { type Cents, formatMoney } from "../../kernel/money.ts";
import { type Html, html } from "../html.ts";

/** The merchant's brand on hosted pages. */
export interface Brand {
  readonly name: string;
  /**
   * A path on this service's host, or, in previews, a picture as data: URL; another is left out, since pages contact no
   * other host (interface 15.2).
   */
  readonly logoUrl: string | null;
  /** `#rrggbb`; null or an invalid colour: Tefo's colour. */
  readonly accentColour: string | null;
  readonly supportEmail: string | null;
  /** Whether the page leaves out the name of this product. */
  readonly hideProduct?: boolean;
  /** A sandbox organisation: the page says that it is a test (interface 13.5). */
  readonly sandbox: boolean;
}

/** Name of the hidden field with the form token, which forms need because capability pages send `Origin: null` (interface 15.3). */
export const FORM_TOKEN_FIELD = "formToken";

/** The target if it is an http(s) URL or a path on this host; else null, as for `javascript:` and `//host`. */
export function safeHref(target: string | null): string | null {
  if (target === null || /[\p{Cc}\s\\]/u.test(target)) return null;
  if (/^\/(?!\/)/.test(target)) return target;
  return /^https?:\/\//i.test(target) && URL.canParse(target) ? target : null;
}

/** The target if it is a path on this host, else null. */
export const ownPath = (target: string | null): string | null => (target?.startsWith("/") ? safeHref(target) : null);

/** The address of a logo, if it is a path on this host or a picture itself, else null. */
export const logoSource = (logo: string | null): string | null =>
  logo && /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(logo) ? logo : ownPath(logo);

/** The hidden input that carries the form token. */
export const formToken = (token: string): Html =>
  html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">`;

/** An amount in a sentence; it has no line break. */
export const money = (value: Cents, currency: string): Html =>
  html`<span class="money">${formatMoney(value, currency)}</span>`;

/** The amount in the page's largest type; smaller for long amounts, so that they fit a phone of 320 px. */
export function bigAmount(value: Cents, currency: string): Html {
  const text = formatMoney(value, currency);
  const size = text.length > 13 ? " longer" : text.length > 10 ? " long" : "";
  return html`<p class="amount money${size}">${text}</p>`;
}

/** A name in a sentence, isolated, so that right-to-left text does not change the order of the sentence. */
export const name = (text: string): Html => html`<bdi>${text}</bdi>`;

/** A row of a list of facts. */
export interface Fact {
  readonly term: string;
  readonly value: string | Html;
}

/** Facts as rows of term and value; absent ones (null) are left out, and so is an empty list. */
export function facts(rows: readonly (Fact | null)[]): Html | null {
  const present = rows.filter((row) => row !== null);
  if (present.length === 0) return null;
  return html`<dl class="facts">${present.map((row) => html`<div><dt>${row.term}</dt><dd>${row.value}</dd></div>`)}</dl>`;
}

/** A reference with a button that copies it (needs script). `shown` is the text to read when it differs from the copied one. */
export const copyable = (text: string, what: string, shown: string = text): Html =>
  html`<bdi>${shown}</bdi><button type="button" class="plain-button copy" data-copy="${text}" hidden>Copy<span \
class="unseen"> ${what}</span></button>`;

/** `Questions? Write to …`, or null without an address. */
export function support(brand: Brand): Html | null {
  if (!brand.supportEmail || !/^[^\s@]+@[^\s@]+$/.test(brand.supportEmail)) return null;
  return html`<a href="mailto:${mailbox(brand.supportEmail)}">${brand.supportEmail}</a>`;
}

/** The merchant's contact as the end of a sentence: `Karoo Books at help@…` or `Karoo Books`. */
export function contact(brand: Brand): Html {
  const address = support(brand);
  return address ? html`${name(brand.name)} at ${address}` : name(brand.name);
}

// All but the @ is encoded, so that an address cannot add headers such as ?bcc= to the mail.
const mailbox = (address: string): string => {
  const [local = "", domain = ""] = address.toWellFormed().split("@");
  return `${encodeURIComponent(local)}@${encodeURIComponent(domain)}`;
};

const ICONS = {
  tick: html`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  cross: html`<path d="m7 7 10 10M17 7 7 17"/>`,
  clock: html`<circle cx="12" cy="12" r="9"/><path class="hand" d="M12 12V6.5"/><path d="m12 12 3.5 2"/>`,
  back: html`<path d="M9 7 4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 0 10h-1"/>`,
  pause: html`<path d="M9 6v12M15 6v12"/>`,
  mail: html`<rect x="3" y="5.5" width="18" height="13" rx="2"/><path d="m4 7.5 8 6 8-6"/>`,
  lock: html`<rect x="5" y="10.5" width="14" height="9.5" rx="2"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5"/>`,
} as const;
export type IconName = keyof typeof ICONS;

/** A decorative icon; screen readers skip it. */
export const icon = (which: IconName): Html =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" \
stroke-linejoin="round" aria-hidden="true" focusable="false">${ICONS[which]}</svg>`;

export type Tone = "good" | "bad" | "wait" | "plain";

/** The round icon above a result. */
export const sign = (which: IconName, tone: Tone): Html => html`<div class="sign ${tone}">${icon(which)}</div>`;

/** The main element of a page with a short message: icon, heading, paragraphs, then a dividing line and `below`. */
export function messageBody(model: {
  readonly sign: Html;
  readonly heading: string;
  /** Paragraphs above the dividing line. */
  readonly head: readonly Html[];
  /** Content under the dividing line; null leaves the line out. */
  readonly below: Html | null;
  /** The script compares it to see that a pending result has changed. */
  readonly status?: string;
  /** Seconds after which the script asks for the page again while a result is pending. */
  readonly pollSeconds?: number;
}): Html {
  const poll = model.pollSeconds ? html` data-poll="${model.pollSeconds}"` : "";
  return html`<main class="frame narrow slip" data-status="${model.status ?? ""}"${poll}><section>
<div class="head">${model.sign}<h1 tabindex="-1">${model.heading}</h1>${model.head}</div>
${model.below && html`<hr class="tear"><div class="stack">${model.below}</div>`}
</section></main>`;
}
