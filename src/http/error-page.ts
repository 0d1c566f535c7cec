import { ERROR_STATUSES, type ErrorCode } from "../kernel/errors.ts";
import { type Html, html } from "../templates/html.ts";

/** What each error means and what the caller does about it (interface 7.2). */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    "The body or the query is not valid, or a rule refuses it. `message` says what to change, `issues` " +
    "where it is. A corrected request needs a new Idempotency-Key: a refusal is stored under its key, " +
    "too.",
  unauthorized:
    "The API key is missing, malformed, unknown, revoked or expired. Send the header `Authorization: " +
    "Bearer tefo_…`; keys are for paths below /api/v1.",
  plan_restricted: "The plan of the organisation lacks the REST API or the endpoint's feature.",
  plan_limit: "A quota of the plan is reached, such as customers or active mandates.",
  account_restricted: "The account is read-only: it is suspended or cancelled, or its trial is over. Reads still work.",
  permission_required:
    "The key lacks the scope or the permission that `message` names, or may not be used from this " +
    "address. Change it under Developers, API keys.",
  reauthentication_required: "The change moves a large amount, and the last sign-in is more than five minutes ago.",
  not_found: "The organisation has no such record, or there is no such path.",
  method_not_allowed: "The path has no such method; the header `Allow` lists those that it has.",
  idempotency_conflict: "The Idempotency-Key came with another body before, or its first request still runs.",
  invalid_state: "The state of the record does not allow it.",
  external_reference_conflict: "Another record has the external reference.",
  card_setup_unavailable: "No enabled gateway can save a card.",
  charge_exists: "A pending or successful charge has the external reference.",
  no_default_card: "The customer has no default card.",
  card_not_chargeable: "The card is expired or failed, or its network cannot be charged.",
  card_charges_unavailable: "No gateway charges the card.",
  unsupported: "The gateway of the subscription cannot do it.",
  nothing_to_retry: "No missed charge of the subscription is left to collect.",
  invoice_linked: "The subscription keeps the total of its invoice.",
  plan_code_taken: "Another plan of the organisation has the code.",
  external_subscription: "Another platform bills the subscription.",
  not_external: "The service bills the subscription itself.",
  stale_period: "A later period of the subscription is recorded.",
  concurrent_update: "Other updates of the subscription took too long. Send it again.",
  record_changed: "Somebody has changed a field of the edit since the form was opened.",
  rate_limited: "Too many requests in this minute. Wait as long as the header `Retry-After` says.",
  internal_error: "A fault of the service, which is logged. Send the request again with the same Idempotency-Key.",
  gateway_error: "A gateway refused, or gave no clear answer where one was needed.",
  service_unavailable: "The service stops or has no database. Wait as long as the header `Retry-After` says.",
};

/** A text whose parts between backticks are code. */
const marked = (text: string): readonly (string | Html)[] =>
  text.split("`").map((part, place) => (place % 2 === 0 ? part : html`<code>${part}</code>`));

/** The page of errors, with an anchor for each (interface 7.1, `docUrl`). */
export const errorPage = (): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors of the Tefo API</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>Errors of the Tefo API</h1>
<p>Match on <code>error</code> and on the status. <code>message</code> is for people and may change.
<code>requestId</code> finds the request in the request log.</p>
${Object.entries(MEANINGS).map(
  ([code, meaning]) => html`<section id="${code}">
<h2><code>${code}</code></h2>
<p>Status ${ERROR_STATUSES[code as ErrorCode].join(", ")}. ${marked(meaning)}</p>
</section>
`,
)}
<section id="not-found-codes">
<h2>Codes of what was not found</h2>
<p>A <code>code</code> such as <code>customer_not_found</code> or <code>plan_not_found</code> names the kind of record
that the path (404) or a field of the body (400) names, and that the organisation does not have.</p>
</section>
</main>
</body>
</html>
`;
