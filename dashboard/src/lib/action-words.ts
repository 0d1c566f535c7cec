import { words } from "./words.ts";

/** What was done, for the last part of a path below a record. */
const DONE: Readonly<Record<string, string>> = {
  accept: "Accepted",
  agreement: "Asked to sign the agreement",
  approve: "Approved",
  cancel: "Cancelled",
  "cancel-legacy": "Old instruction ended",
  "change-plan": "Plan changed",
  charges: "Card charged",
  close: "Closed",
  convert: "Turned into an invoice",
  credit: "Credit given",
  "credit-refunds": "Credit paid out",
  deactivate: "Deactivated",
  decline: "Declined",
  default: "Made the default card",
  discount: "Discount given",
  draft: "Taken back to a draft",
  erase: "Personal data erased",
  "give-up": "Given up",
  ignore: "Ignored",
  items: "Item added",
  "mark-legacy-cancelled": "Old instruction marked as ended",
  match: "Matched",
  pause: "Paused",
  payments: "Payment recorded",
  plans: "Plan made",
  "portal-link": "Portal link sent",
  proof: "Proof added",
  reactivate: "Reactivated",
  refunds: "Refunded",
  reject: "Rejected",
  reopen: "Reopened",
  resend: "Sent again",
  "resend-failed": "Failed ones sent again",
  resume: "Resumed",
  retry: "Tried again",
  "rotate-secret": "Secret replaced",
  send: "Sent",
  "send-again": "Sent again",
  "send-link": "Link sent",
  setup: "Card page made",
  submit: "Submitted",
  "sync-period": "Period brought up to date",
  test: "Tested",
  unmatch: "Match undone",
  update: "Changed",
  usage: "Usage recorded",
};

const VERBS: Readonly<Record<string, string>> = {
  GET: "Looked at",
  POST: "Made",
  PATCH: "Changed",
  PUT: "Changed",
  DELETE: "Deleted",
};

/** An action of the audit log as words: `POST /invoices/{id}/send` becomes `Sent`, `POST /invoices` `Made`, and one that is unknown itself. */
export function actionWords(action: string): string {
  const [method = "", path = ""] = action.split(" ");
  const verb = VERBS[method];
  if (verb === undefined) return words(action);
  const last = path.split("/").at(-1) ?? "";
  if (method === "POST" && DONE[last] !== undefined) return DONE[last];
  const parts = path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
  // What lies below a record is named; the record itself is not.
  const part = words(parts.at(-1) ?? "").toLowerCase();
  if (parts.length < 2 || !path.includes("{")) return verb;
  return `${verb} the ${path.endsWith("}") ? part.replace(/s$/, "") : part}`;
}
