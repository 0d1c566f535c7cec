import { type Html, html } from "../html.ts";
import { page } from "./layout.ts";
import { type Brand, contact, type IconName, messageBody, sign } from "./parts.ts";

/** 404 for unknown and changed URLs (interface 15.4); it does not tell which. */
export const notFoundPage = (): Html =>
  message(null, "cross", "This page does not exist", [
    "The address may be incomplete, or the link may have been replaced by a newer one.",
    "Check the address, or ask whoever sent it for a new one.",
  ]);

/** 429 for a request whose form cannot be shown again. `retryAfterSeconds` is the value of Retry-After. */
export const rateLimitedPage = (brand: Brand | null, retryAfterSeconds: number): Html =>
  message(brand, "pause", "Too many attempts", [
    `For safety this page takes a short break. Please try again in ${waitInWords(retryAfterSeconds)}.`,
  ]);

/** Other 4xx, for requests that browsers do not send by themselves, such as a form that is far too large. */
export const unreadablePage = (): Html =>
  message(null, "cross", "This could not be read", [
    "What your browser sent is not what this page takes.",
    "Load the page again, and try once more.",
  ]);

/** 500: an unexpected error. 503: shutting down, no database, or too many PDFs at once. By `requestId` support finds the log line. */
export const errorPage = (status: 500 | 503, requestId: string | null): Html =>
  message(
    null,
    "pause",
    status === 503 ? "Back in a moment" : "Something went wrong",
    [
      status === 503
        ? "The payment service cannot answer right now. Please load this page again in a minute."
        : "The mistake is ours. Please load this page again in a minute.",
      "If you have just paid, do not pay again: look at your mail or ask the merchant first.",
    ],
    requestId,
  );

function message(
  brand: Brand | null,
  icon: IconName,
  heading: string,
  sentences: readonly string[],
  requestId: string | null = null,
): Html {
  const help = brand && html`<p class="muted small center">Questions? Contact ${contact(brand)}.</p>`;
  const support =
    requestId === null ? null : html`<p class="muted small center">For support: <bdi>${requestId}</bdi></p>`;
  return page({
    title: brand ? `${heading} – ${brand.name}` : heading,
    brand,
    width: "narrow",
    main: messageBody({
      sign: sign(icon, "plain"),
      heading,
      head: sentences.map((sentence) => html`<p class="muted">${sentence}</p>`),
      below: help || support ? html`${help}${support}` : null,
    }),
  });
}

function waitInWords(seconds: number): string {
  if (seconds <= 90) return seconds <= 1 ? "a second" : `${Math.ceil(seconds)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
