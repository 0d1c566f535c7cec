import { words } from "./words.ts";

/** The words for an action, by the last part of a path below a record. */
const DONE: Readonly<Record<string, string>> = {
  accept: "Accepted",
  agreement: "Asked to sign the agreement",
  approve: "Approved",
  cancel: "Cancelled",
  "cancel-legacy": "Old debit order cancelled",
  "change-plan": "Plan changed",
  charges: "Card charged",
  close: "Closed",
  convert: "Converted to an invoice",
  credit: "Credit added",
  "credit-refunds": "Credit refunded",
  deactivate: "Deactivated",
  decline: "Declined",
  default: "Set as default card",
  discount: "Discount added",
  draft: "Moved back to draft",
  evidence: "Evidence added",
  erase: "Personal data erased",
  "give-back": "Refunded",
  "give-up": "Marked as failed",
  ignore: "Ignored",
  items: "Item added",
  "mark-legacy-cancelled": "Old debit order marked as cancelled",
  match: "Matched",
  pause: "Paused",
  "payment-method": "Payment method changed",
  payments: "Payment recorded",
  plans: "Plan created",
  "portal-link": "Portal link sent",
  proof: "Proof uploaded",
  reactivate: "Reactivated",
  refunds: "Refunded",
  reject: "Rejected",
  reopen: "Reopened",
  resend: "Resent",
  "resend-failed": "Failed deliveries resent",
  resume: "Resumed",
  retry: "Retried",
  "rotate-secret": "Secret replaced",
  send: "Sent",
  "send-again": "Resent",
  "send-link": "Link sent",
  setup: "Card setup link created",
  submit: "Submitted",
  "sync-period": "Period updated",
  test: "Tested",
  unmatch: "Unmatched",
  update: "Updated",
  usage: "Usage recorded",
};

/** The words for actions whose last part is unclear. */
const WHOLE: Readonly<Record<string, string>> = {
  "POST /auth/sign-in/email": "Signed in",
  "POST /auth/passkey/verify-authentication": "Signed in",
  "POST /auth/two-factor/verify-totp": "Two-step code entered",
  "POST /auth/two-factor/verify-backup-code": "Backup code used",
  "POST /auth/sign-out": "Signed out",
  "POST /auth/change-password": "Password changed",
  "POST /auth/request-password-reset": "Password reset requested",
  "POST /auth/reset-password": "New password set",
  "POST /auth/two-factor/enable": "Two-step verification set up",
  "POST /auth/two-factor/disable": "Two-step verification turned off",
  "POST /auth/two-factor/generate-backup-codes": "Backup codes replaced",
  "POST /auth/passkey/verify-registration": "Passkey added",
  "POST /auth/passkey/update-passkey": "Passkey renamed",
  "POST /auth/passkey/delete-passkey": "Passkey removed",
  "POST /auth/revoke-other-sessions": "Other sessions ended",
  "POST /account/sessions/end": "Session ended",
  "POST /account/name": "Name changed",
  "POST /members": "Invited",
  "POST /notes": "Note added",
  "DELETE /notes/{id}": "Note deleted",
  "DELETE /api-keys/{id}": "Revoked",
  "DELETE /invoices/{id}/payments/{paymentId}": "Payment undone",
  "DELETE /message-opt-outs/{phone}": "Messages allowed again",
  "POST /reconciliation/imports": "Imported",
  "POST /customer-subscriptions/imports": "Imported",
  "POST /quote/{token}": "Answered on its page",
  "POST /sign-mandate/{token}": "Agreement signed",
  "POST /test-clock": "Clock set",
  "POST /sandbox/notify": "Notification sent",
  "POST /tour/end": "Tour ended",
  "key create": "Created",
  "key revoke": "Revoked",
  "org update": "Updated",
  retention: "Old data removed by data retention",
};

const VERBS: Readonly<Record<string, string>> = {
  GET: "Viewed",
  POST: "Created",
  PATCH: "Updated",
  PUT: "Updated",
  DELETE: "Deleted",
};

/**
 * An action of the audit log as words: `POST /invoices/{id}/send` becomes `Sent`, `POST /invoices` `Created`; an
 * unknown one stays unchanged.
 */
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
