import { newId } from "../src/platform/new-id.ts";
import { cardChargeScript } from "./floor-cards.ts";
import { invoiceCreateScript, invoiceGetScript } from "./floor-invoices.ts";
import { notificationScript } from "./floor-notifications.ts";
import { subscriptionCreateScript } from "./floor-subscriptions.ts";
import { LINKS_WHEN_EMPTY, sqlClaim, sqlLinkId, sqlOrganisationId } from "./names.ts";

/*
 * The floor: only the SQL that a request needs at least. No HTTP, no checks, no encryption, no isolation by row level
 * security, no count of the caller's address (one row, for which all requests would wait).
 */

/** Statements of one transaction, in order. `:n` stands for an organisation's number, `:u` for a large number used once. */
export type Script = readonly string[];

const ORGANISATION = sqlOrganisationId(":n::int");

/** Finds the key and its organisation, and counts the request in the key's window. */
const ADMIT = `
  with known as (
    select k.id as key_id, k.secret_hash, k.permissions, o.*
      from api_keys k join organisations o on o.id = k.organisation_id
     where k.prefix = lpad(to_hex(:n::int), 8, '0') and k.revoked_at is null),
  counted as (
    insert into rate_windows as w (scope, window_start, count) select 'key:' || key_id, 0, 1 from known
    on conflict (scope) do update set count = w.count + 1 returning count)
  select * from known, counted`;

/** As long as the replies that the service stores. */
const REPLY_LENGTH = 900;

/** Built at each call: ids of the audit log begin with the time, which chooses their partition. */
const createScript = (): Script => [
  "begin",
  ADMIT,
  `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
  `select * from gateway_accounts where organisation_id = ${ORGANISATION} order by id`,
  sqlClaim(ORGANISATION, "'/api/v1/payment-links'"),
  `insert into payment_links (organisation_id, id, title, amount_cents, currency, external_reference, metadata, single_use,
     issued_by, created_at)
   values (${ORGANISATION}, 'plink_' || lpad(:u::bigint::text, 26, '0'), 'Order 1001', 14950, 'ZAR', 'order-1001', '{"cart": "abc"}',
     true, 'key_00000000000000000000000000', clock_timestamp())`,
  `insert into audit_log (organisation_id, id, at, actor_kind, actor_id, ip, request_id, action, subject, after)
   values (${ORGANISATION}, '${newId("aud").slice(0, 14)}' || lpad(:u::bigint::text, 16, '0'), clock_timestamp(), 'key',
     'key_00000000000000000000000000', '127.0.0.1', 'req_00000000000000000000000000', 'POST /payment-links',
     'plink_' || lpad(:u::bigint::text, 26, '0'), '${JSON.stringify(AFTER, null, 1)}')`,
  `update idempotency_keys set status = 201, reply_sealed = repeat('x', ${REPLY_LENGTH})
    where organisation_id = ${ORGANISATION} and key = 'floor' || :u::bigint and method = 'POST' and path = '/api/v1/payment-links'
      and recorded_at = date_trunc('day', clock_timestamp(), 'UTC')`,
  "commit",
];

/** The audit entry of a new link; no colon before a letter or a digit, which pgbench would take for a variable. */
const AFTER = {
  id: "plink_00000000000000000000000000",
  title: "Order 1001",
  description: null,
  amount: 149.5,
  currency: "ZAR",
  externalReference: "order-1001",
  returnUrl: null,
  metadata: { cart: "abc" },
  recurring: null,
  singleUse: true,
  active: true,
  expiresAt: null,
  paidCount: 0,
  createdAt: "2026-01-01 00.00.00.000",
};

const getScript = (): Script => [
  "begin",
  ADMIT,
  `select * from payment_links where organisation_id = ${ORGANISATION}
     and id = ${sqlLinkId(":n::int", `:u::bigint % ${LINKS_WHEN_EMPTY}`)}`,
  "commit",
];

export const FLOORS = {
  create: createScript,
  get: getScript,
  "invoice-create": () => invoiceCreateScript(ADMIT),
  "invoice-get": () => invoiceGetScript(ADMIT),
  "card-charge": () => cardChargeScript(ADMIT),
  "subscription-create": () => subscriptionCreateScript(ADMIT),
  notification: notificationScript,
};
export type FloorKind = keyof typeof FLOORS;

/** Description of each floor, for the output. */
export const FLOOR_TEXT: Readonly<Record<FloorKind, string>> = {
  create:
    "one transaction, pipelined in one packet: resolve the key, count its window, read the gateways, claim the idempotency key, " +
    "insert link, audit row and stored reply, commit with fsync",
  get: "one transaction, pipelined in one packet: resolve the key, count its window, read the link, commit",
  "invoice-create":
    "resolve the key and count its window; then one transaction, all pipelined in one packet: claim the idempotency key, read customer, " +
    "settings, gateways and credits, take the number, insert invoice, three lines, pay link, journal entry with three lines, its event, two pieces of due work, " +
    "audit row and stored reply, commit with fsync",
  "invoice-get": "as for a payment link, with customer, lines and pay link",
  "card-charge":
    "two transactions, pipelined in one packet, both committed with fsync: resolve the key, count its window, claim the idempotency key, " +
    "read customer, card and gateways, insert payment, charge, due work and audit row; then the gateway's answer and the stored reply. No gateway is called",
  "subscription-create":
    "resolve the key and count its window; then one transaction, all pipelined in one packet: claim the idempotency key, take the number, read customer, " +
    "plan, settings and gateways, insert subscription, bill, invoice, two lines, pay link, postings, two events, four pieces of due work, audit row and stored " +
    "reply, commit with fsync",
  notification:
    "pipelined in one packet: read the gateway account; then one transaction: lock the link, complete the payment, remove the work that asks " +
    "about it, insert journal entry with three lines, event, notification and the work that follows, commit with fsync",
};
