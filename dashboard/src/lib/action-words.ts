import { words } from "./words.ts";

/** The words for an action, by the last part of a path below a record. */
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
  "give-back": "Given back",
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

/** The words for actions whose last part is unclear. */
const WHOLE: Readonly<Record<string, string>> = {
  "POST /auth/sign-in/email": "Signed in",
  "POST /auth/passkey/verify-authentication": "Signed in",
  "POST /auth/two-factor/verify-totp": "Code of the authenticator given",
  "POST /auth/two-factor/verify-backup-code": "Backup code used",
  "POST /auth/sign-out": "Signed out",
  "POST /auth/change-password": "Password changed",
  "POST /auth/request-password-reset": "New password asked for",
  "POST /auth/reset-password": "New password set",
  "POST /auth/two-factor/enable": "Second factor set up",
  "POST /auth/two-factor/disable": "Second factor turned off",
  "POST /auth/two-factor/generate-backup-codes": "Backup codes replaced",
  "POST /auth/passkey/verify-registration": "Passkey added",
  "POST /auth/passkey/update-passkey": "Passkey renamed",
  "POST /auth/passkey/delete-passkey": "Passkey removed",
  "POST /auth/revoke-other-sessions": "Other sessions ended",
  "POST /account/sessions/end": "Session ended",
  "POST /account/name": "Name changed",
  "POST /members": "Invited",
  "POST /notes": "Note written",
  "DELETE /notes/{id}": "Note deleted",
  "DELETE /api-keys/{id}": "Revoked",
  "POST /reconciliation/imports": "Imported",
  "POST /customer-subscriptions/imports": "Imported",
  "POST /quote/{token}": "Answered on its page",
  "POST /sign-mandate/{token}": "Agreement signed",
  "POST /test-clock": "Clock set",
  "POST /sandbox/notify": "Notification sent",
  "POST /tour/end": "Tour ended",
  "key create": "Made",
  "key revoke": "Revoked",
  "org update": "Changed",
  retention: "What is kept no longer was removed",
};

const VERBS: Readonly<Record<string, string>> = {
  GET: "Looked at",
  POST: "Made",
  PATCH: "Changed",
  PUT: "Changed",
  DELETE: "Deleted",
};

/** An action of the audit log as words: `POST /invoices/{id}/send` becomes `Sent`, `POST /invoices` `Made`; an unknown one stays unchanged. */
export function actionWords(action: string): string {
  const whole = WHOLE[action];
  if (whole !== undefined) return whole;
  const [method = "", path = ""] = action.split(" ");
  const verb = VERBS[method];
  if (verb === undefined) return words(action);
  const last = path.split("/").at(-1) ?? "";
  if (method === "POST" && DONE[last] !== undefined) return DONE[last];
  const parts = path.split("/").filter((part) => part !== "" && !part.startsWith("{"));
  // The words name a record below another one, not the record itself.
  const part = words(parts.at(-1) ?? "").toLowerCase();
  if (parts.length < 2 || !path.includes("{")) return verb;
  return `${verb} the ${path.endsWith("}") ? part.replace(/s$/, "") : part}`;
}
