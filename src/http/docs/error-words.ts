import type { ErrorCode } from "../../kernel/errors.ts";

/** What the page of an error says. Text between backticks is code; links lead to paths of the site. */
interface ErrorWords {
  /** What the error means (interface 7.2). */
  readonly cause: string;
  /** What the caller does about it. */
  readonly change: string;
  /** A message that comes with it. */
  readonly message: string;
}

const WAIT =
  "Wait as many seconds as the header `Retry-After` says, and send the same request again, with the same Idempotency-Key.";
const READ = "Read the record: `message` says what prevents it.";

export const ERROR_WORDS: Readonly<Record<ErrorCode, ErrorWords>> = {
  invalid_request: {
    cause:
      "The body or the query is not valid, or a rule refuses it. `message` says what to change, `issues` where it is. " +
      "`code` names what is missing where a field names a record that the organisation does not have.",
    change:
      "Correct the request. A corrected request needs a new Idempotency-Key: a refusal is stored under its key, too. " +
      "With 413 send less; with 415 send JSON with the header `Content-Type: application/json`, or a file as `multipart/form-data`.",
    message: "Invalid body: amount must be greater than 0.",
  },
  unauthorized: {
    cause: "The API key is missing, malformed, unknown, revoked or expired. For staff: nobody is signed in.",
    change:
      "Send the header `Authorization: Bearer tefo_…` to a path below `/api/v1`. A new key is made in the dashboard, " +
      "under Developers, API keys ([authentication](/docs/guides/authentication#api-keys)).",
    message: "The API key is invalid: it is unknown or has been revoked.",
  },
  plan_restricted: {
    cause: "The plan of the organisation lacks the REST API or the endpoint's feature.",
    change: "Change the plan. `GET /api/v1/me` lists the features that it has.",
    message: "Your plan does not include Debit orders. Upgrade the plan to use it.",
  },
  plan_limit: {
    cause: "A quota of the plan is reached, such as customers or active mandates.",
    change: "Change the plan, or have the operator raise the limit.",
    message: "Your plan allows no more payments this month. Upgrade the plan to take more.",
  },
  account_restricted: {
    cause: "The account is read-only: it is suspended or cancelled, or its trial is over.",
    change: "Reads still work. Ask the operator to make the organisation active again.",
    message: "Your trial is over, so it is read-only: reads still work, changes do not.",
  },
  permission_required: {
    cause:
      "The key lacks the scope or the permission that `message` names, or may not be used from this address. For " +
      "staff: the role does not allow it.",
    change:
      "Change the key under Developers, API keys, or use one that has the scope ([authentication](/docs/guides/authentication#api-keys)).",
    message: "This API key lacks the permission charge_saved_cards. Grant it under Developers, API keys.",
  },
  reauthentication_required: {
    cause: "The change moves a large amount, and the last sign-in is more than five minutes ago. Only staff meet it.",
    change: "Sign in again, then send the request again.",
    message:
      "This moves more than your organisation's limit. Sign in again, with your password or passkey, and send it again.",
  },
  not_found: {
    cause: "The organisation has no such record, or there is no such path.",
    change:
      "Check the id and the path, and whose key you use: a record of another organisation, or of a sandbox with a " +
      "live key, does not exist for it.",
    message: "No such customer.",
  },
  method_not_allowed: {
    cause: "The path has no such method.",
    change: "Use one of those that the header `Allow` lists.",
    message: "This path answers to GET, POST only.",
  },
  idempotency_conflict: {
    cause:
      "The Idempotency-Key came with another body before, or its first request still runs (then with `Retry-After`).",
    change:
      "For a new request use a new key. For the same one, wait as `Retry-After` says and send it again " +
      "([idempotency](/docs/guides/idempotency)).",
    message: "This Idempotency-Key was used with another body. Use a new key for a new request.",
  },
  invalid_state: {
    cause: "The state of the record does not allow it.",
    change: READ,
    message: "The first charge was never paid, so nothing can go on. Create another subscription.",
  },
  external_reference_conflict: {
    cause: "Another record has the external reference.",
    change: "Find that record with `?externalReference=` on the list, and use it; or send another reference.",
    message: "Another customer has this externalReference.",
  },
  card_setup_unavailable: {
    cause: "No enabled gateway can save a card.",
    change: "Enable one under Settings, Gateways ([saved cards](/docs/guides/saved-cards)).",
    message: "No enabled gateway of this account can save cards. Enable one under Settings, Gateways.",
  },
  charge_exists: {
    cause: "A pending or successful charge has the external reference. `charge` shows it.",
    change: "Nothing was charged twice. Use the charge that is shown, or send another reference for another charge.",
    message: "The customer has a charge with this externalReference.",
  },
  no_default_card: {
    cause: "The customer has no default card.",
    change:
      "Name a card with `cardId`, make one the default, or have the customer [add one](/docs/guides/saved-cards#add-a-card).",
    message: "The customer has no default card. Name a card, or make one the default.",
  },
  card_not_chargeable: {
    cause: "The card is expired or failed, or its network cannot be charged.",
    change: "Charge another card, or have the customer [add one](/docs/guides/saved-cards#add-a-card).",
    message: "The card cannot be charged any more.",
  },
  card_charges_unavailable: {
    cause: "No gateway charges the card: the one that saved it is disabled or gone.",
    change: "Enable the gateway that saved the card, under Settings, Gateways.",
    message: "No enabled gateway charges this card. Enable one under Settings, Gateways.",
  },
  unsupported: {
    cause: "The gateway of the subscription, or the way in which it is paid, cannot do it.",
    change: "`message` says what can be done in its place, such as to cancel and begin another.",
    message: "A debit order is collected on the next day of its mandate only.",
  },
  nothing_to_retry: {
    cause: "No missed charge of the subscription is left to collect.",
    change: "Read the subscription and its payments: what was missed is paid, given up, or on its way.",
    message: "A payment of the unpaid invoice is under way.",
  },
  invoice_linked: {
    cause: "The subscription keeps the total of its invoice.",
    change: "Leave its amount. For another amount, cancel it and begin one without an invoice.",
    message: "The subscription collects the total of its invoice, which stays.",
  },
  plan_code_taken: {
    cause: "Another plan of the organisation has the code.",
    change: "Find that plan with `GET /api/v1/plans?code=`, or choose another code.",
    message: "Another plan has this code. Find it with GET /plans?code=.",
  },
  external_subscription: {
    cause: "Another platform bills the subscription.",
    change:
      "Make the change there, and report its periods ([subscriptions billed elsewhere](/docs/guides/external-subscriptions)).",
    message:
      "Another platform bills this subscription. Make the change there, and report its periods with sync-period.",
  },
  not_external: {
    cause: "The service bills the subscription itself.",
    change: "Send no periods for it: the service makes them.",
    message: "The service bills this subscription itself, so no periods are recorded.",
  },
  stale_period: {
    cause: "A later period of the subscription is recorded.",
    change: "Nothing was changed. Read the subscription, and report periods in their order.",
    message: "A later period is recorded: from 2026-11-01 to 2026-12-01. Nothing was changed.",
  },
  concurrent_update: {
    cause: "Other updates of the subscription took too long.",
    change: "Nothing was recorded. Send it again.",
    message: "The subscription is being changed by others. Nothing was recorded; send the period again.",
  },
  record_changed: {
    cause:
      "Somebody has changed a field of the edit since the form was opened. Only staff meet it; `changed` lists the fields.",
    change: "Read the record again, and send the change with it as `opened`.",
    message:
      "Somebody has changed email since you opened this. Read the record again, and send your change with it as opened.",
  },
  rate_limited: {
    cause: "Too many requests in this minute.",
    change: `${WAIT} [Limits](/docs/guides/pagination-and-limits#limits) says how many there may be.`,
    message: "Too many requests at once: wait until the others have ended, and send it again.",
  },
  internal_error: {
    cause: "A fault of the service. It is logged under the `requestId`.",
    change:
      "Send the request again with the same Idempotency-Key: it is done at most once. If the error persists, tell " +
      "the operator the `requestId`.",
    message: "Something went wrong on our side. It has been logged; try again.",
  },
  gateway_error: {
    cause: "A gateway refused, or gave no clear answer where one was needed.",
    change:
      "`message` says which. After a refusal nothing has happened. After an unclear answer read the record a minute " +
      "later, before you try again.",
    message: "The gateway gave no clear answer. It is asked again within the hour.",
  },
  service_unavailable: {
    cause: "The service stops, has no database, or has too many documents to write at once.",
    change: WAIT,
    message: "The service is restarting. Try again shortly.",
  },
};
