import type { BankDetails } from "../../kernel/bank-details.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Proof } from "../../modules/eft-orders/types.ts";
import { type Html, html } from "../html.ts";
import { momentInWords } from "../wording.ts";
import { problemSummary } from "./fields.ts";
import { page } from "./layout.ts";
import {
  type Brand,
  bigAmount,
  contact,
  copyable,
  facts,
  formToken,
  icon,
  messageBody,
  money,
  name,
  safeHref,
  sign,
} from "./parts.ts";
import { newerLink, type Unavailable, unavailableWords } from "./pay.ts";

/** The order's status, as the page shows it to the payer. */
export type EftState =
  | {
      readonly kind: "open";
      readonly status: "awaiting_payment" | "awaiting_review" | "rejected";
      readonly expiresAt: Instant;
      readonly rejectionReason: string | null;
      /** The merchant's account is read-only, so no proof can be sent. */
      readonly paused: boolean;
    }
  /** `onwardUrl` is the merchant's return URL. */
  | { readonly kind: "paid"; readonly at: Instant | null; readonly onwardUrl: string | null }
  | { readonly kind: "cancelled"; readonly onwardUrl: string | null }
  | { readonly kind: "expired"; readonly at: Instant }
  /** Its link or invoice takes no payment any more. */
  | { readonly kind: "closed"; readonly why: Unavailable };

export interface EftPageModel {
  readonly brand: Brand;
  /** The purpose of the payment. */
  readonly title: string | null;
  readonly amount: Cents;
  readonly currency: string;
  /** The reference that the payer must give with the transfer. */
  readonly reference: string;
  readonly bank: BankDetails;
  readonly proofs: readonly Pick<Proof, "fileName" | "size" | "createdAt">[];
  readonly state: EftState;
  readonly formToken: string;
  /** A sentence that says why the last file was refused. */
  readonly problem: string | null;
}

/** The payer's page of a bank transfer (interface 2.11). Its form posts a file and `formToken` to the page's URL. */
export const eftPage = (model: EftPageModel): Html =>
  model.state.kind === "open" ? openPage(model, model.state) : closedPage(model, model.state);

type OpenState = Extract<EftState, { kind: "open" }>;

const HEADINGS: Readonly<Record<OpenState["status"], string>> = {
  awaiting_payment: "Pay by bank transfer",
  awaiting_review: "Your proof is being checked",
  rejected: "Please send another proof",
};

function openPage(model: EftPageModel, state: OpenState): Html {
  const { brand, problem } = model;
  const heading = HEADINGS[state.status];
  return page({
    title: `${problem === null ? "" : "Not sent yet: "}${heading} – ${brand.name}`,
    brand,
    width: "wide",
    main: html`<main class="frame pay">
<div class="what"><h1>${heading}</h1>${bigAmount(model.amount, model.currency)}
${model.title ? html`<p class="description" dir="auto">${model.title}</p>` : ""}
${statusText(model, state)}
${state.status === "awaiting_review" ? "" : facts([{ term: "Open until", value: momentInWords(state.expiresAt) }])}</div>
<div class="stack"><section class="sheet stack" aria-labelledby="deposit"><h2 id="deposit">Deposit to</h2>
${bankFacts(model)}</section>
${state.paused ? "" : proofForm(model, state)}</div></main>`,
  });
}

/** The next action of the payer. */
function statusText({ brand }: EftPageModel, { status, rejectionReason, paused }: OpenState): Html {
  const merchant = name(brand.name);
  if (paused)
    return html`<div class="notice wait">${icon("pause")}<p>${merchant} cannot take proofs of payment here at the \
moment. Questions? Contact ${contact(brand)}.</p></div>`;
  switch (status) {
    case "awaiting_payment":
      return html`<p>Transfer the amount from your bank to this account, with the reference. \
Then send the proof of payment here, so that ${merchant} can find it.</p>`;
    case "awaiting_review":
      return html`<div class="notice wait">${icon("clock")}<p>${merchant} has your proof and compares it with their bank \
account. You need not do anything more.</p></div>`;
    case "rejected":
      return html`<div class="notice bad">${icon("back")}<div><p>${merchant} could not accept the last proof:</p>
<p class="lines"><strong dir="auto">${rejectionReason ?? ""}</strong></p></div></div>`;
  }
}

function bankFacts({ bank, amount, currency, reference }: EftPageModel): Html {
  // Digits and the decimal point only, as forms of banks accept it.
  const plain = formatMoney(amount, currency).replaceAll(/[^\d.]/g, "");
  const row = (term: string, text: string, shown: string = text) => ({
    term,
    value: copyable(text, `the ${term.toLowerCase()}`, shown),
  });
  return html`<div class="deposit">${facts([
    row("Reference", reference),
    row("Amount", plain, formatMoney(amount, currency)),
    row("Bank", bank.bankName),
    row("Account name", bank.accountName),
    row("Account number", bank.accountNumber),
    row("Branch code", bank.branchCode),
    row("Account type", bank.accountType),
  ])}</div>`;
}

const ACCEPT = "application/pdf,image/png,image/jpeg,.pdf,.png,.jpg,.jpeg";

function proofForm(model: EftPageModel, { status }: OpenState): Html {
  const { problem, proofs } = model;
  const error = problem === null ? "" : html`<p class="error" id="file-error">${problem}</p>`;
  const marks = problem === null ? "" : html` aria-invalid="true"`;
  return html`<form class="sheet stack" method="post" enctype="multipart/form-data">
${problemSummary(problem === null ? [] : [{ message: problem, inputId: "file" }])}
<div class="field"><label for="file">${status === "awaiting_review" ? "Another proof of payment" : "Proof of payment"}</label>
<p class="hint" id="file-hint">Your bank's confirmation or a photograph of the slip: PDF, PNG or JPEG, at most 10 MB.</p>${error}
<input type="file" id="file" name="file" autocomplete="off" accept="${ACCEPT}" required${marks} aria-describedby="file-hint${
    problem === null ? "" : " file-error"
  }"></div>
<button type="submit" class="button" data-busy="Sending…">Send proof</button>
${sent(proofs)}${formToken(model.formToken)}</form>`;
}

function sent(proofs: EftPageModel["proofs"]): Html | null {
  if (proofs.length === 0) return null;
  const rows = proofs.map(
    ({ fileName, size, createdAt }) =>
      html`<li><span class="name" dir="auto">${fileName}</span><span \
class="muted small">${sizeInWords(size)}</span><span class="muted small">Sent ${momentInWords(createdAt)}</span></li>`,
  );
  return html`<section aria-labelledby="sent"><h2 id="sent">Sent so far</h2><ul class="rows">${rows}</ul></section>`;
}

const sizeInWords = (bytes: number): string =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} kB` : `${Math.ceil(bytes / 104_857.6) / 10} MB`;

function closedPage(model: EftPageModel, state: Exclude<EftState, OpenState>): Html {
  const { brand } = model;
  const merchant = name(brand.name);
  const { mark, heading, sentence, onwardUrl } = wordsFor(state, brand);
  const onward = safeHref(onwardUrl);
  const newer = state.kind === "closed" && state.why.reason === "replaced" ? newerLink(state.why.url) : "";
  return page({
    title: `${heading} – ${brand.name}`,
    brand,
    width: "narrow",
    main: messageBody({
      status: state.kind,
      sign: mark,
      heading,
      head: [html`<p class="muted">${sentence}</p>`],
      below: html`${facts([
        model.title ? { term: "For", value: name(model.title) } : null,
        { term: "Amount", value: money(model.amount, model.currency) },
        state.kind === "paid" && state.at ? { term: "Paid", value: momentInWords(state.at) } : null,
        { term: "Reference", value: copyable(model.reference, "the reference") },
      ])}${onward ? html`<p class="onward"><a class="button" href="${onward}">Return to ${merchant}</a></p>` : newer}
<p class="muted small center">Something not right? Contact ${contact(brand)} and give the reference.</p>`,
    }),
  });
}

interface ClosedWords {
  readonly mark: Html;
  readonly heading: string;
  readonly sentence: Html;
  readonly onwardUrl: string | null;
}

function wordsFor(state: Exclude<EftState, OpenState>, brand: Brand): ClosedWords {
  const merchant = name(brand.name);
  switch (state.kind) {
    case "paid":
      return {
        mark: sign("tick", "good"),
        heading: "Payment received",
        sentence: html`${merchant} has received your transfer.`,
        onwardUrl: state.onwardUrl,
      };
    case "cancelled":
      return {
        mark: sign("cross", "plain"),
        heading: "This bank transfer was cancelled",
        sentence: html`${merchant} expects no payment for it. Please do not pay it.`,
        onwardUrl: state.onwardUrl,
      };
    case "expired":
      return {
        mark: sign("pause", "plain"),
        heading: "This bank transfer has expired",
        sentence: html`It could be paid until ${momentInWords(state.at)}. If you have made the transfer, tell \
${merchant}: it can still be matched.`,
        onwardUrl: null,
      };
    case "closed": {
      const { heading, sentence, paid } = unavailableWords(state.why, brand);
      return {
        mark: paid ? sign("tick", "good") : sign("pause", "plain"),
        heading,
        sentence: html`${sentence} If you have made the transfer, tell ${merchant}: it can still be matched.`,
        onwardUrl: null,
      };
    }
  }
}
