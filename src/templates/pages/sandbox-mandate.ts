import type { Frequency } from "../../kernel/frequency.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Html, html } from "../html.ts";
import { problemSummary } from "./fields.ts";
import { formToken, name } from "./parts.ts";
import { sandboxPage } from "./sandbox-gateway.ts";

export interface SandboxMandatePageModel {
  readonly merchantName: string;
  readonly accountReference: string;
  readonly description: string;
  /** Of each debit, in ZAR. */
  readonly amount: Cents;
  readonly frequency: Frequency;
  /** 1 to 31. */
  readonly debitDay: number;
  readonly startDate: CalendarDay;
  /** `waiting` shows the buttons. */
  readonly status: "waiting" | "accepted" | "rejected";
  /** Why it was rejected, as a sentence. */
  readonly reason: string | null;
  /** What is wrong with the form, as a sentence. */
  readonly problem: string | null;
  readonly formToken: string;
}

const HEADINGS = {
  accepted: "This mandate is signed",
  rejected: "This mandate was rejected",
} as const;

const EVERY = { monthly: "month", quarterly: "three months", biannually: "six months", annually: "year" } as const;

/** The page of the payer's bank where an electronic mandate is signed (interface 13.6): buttons named `outcome`. */
export function sandboxMandatePage(model: SandboxMandatePageModel): Html {
  const { status, merchantName } = model;
  if (status !== "waiting")
    return sandboxPage(
      HEADINGS[status],
      html`<h1>${HEADINGS[status]}</h1>${mandateFacts(model)}
<div class="panel"><p>${model.reason ?? "Debits are collected as it says."} It cannot be changed here any more.</p></div>`,
    );
  return sandboxPage(
    "Sign a mandate",
    html`<h1>Let ${name(merchantName)} debit your account</h1>${mandateFacts(model)}
<form method="post">${problemSummary(model.problem === null ? [] : [{ message: model.problem, inputId: null }])}
<div class="buttons">
<button type="submit" class="button main" name="outcome" value="complete">Sign the mandate</button>
<button type="submit" class="button quiet" name="outcome" value="failed">Decline</button>
<button type="submit" class="button quiet" name="outcome" value="cancelled">Not now</button>
</div>${formToken(model.formToken)}</form>`,
  );
}

function mandateFacts({
  amount,
  frequency,
  debitDay,
  startDate,
  accountReference,
  description,
}: SandboxMandatePageModel): Html {
  return html`<p class="amount money">${formatMoney(amount, "ZAR")}</p>
<dl><div><dt>Every</dt><dd>${EVERY[frequency]}, on day ${String(debitDay)}</dd></div>
<div><dt>From</dt><dd>${startDate}</dd></div>
<div><dt>Reference</dt><dd><bdi>${accountReference}</bdi></dd></div>
<div><dt>For</dt><dd><bdi>${description}</bdi></dd></div></dl>`;
}
