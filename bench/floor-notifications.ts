import { newEventId } from "../src/platform/new-id.ts";
import {
  LINKS_WHEN_EMPTY,
  PAYMENTS,
  sqlGatewayAccountId,
  sqlLinkId,
  sqlOrganisationId,
  sqlPaymentReference,
  sqlTransactionId,
} from "./names.ts";

/* The floor of a notification that settles a payment, as floor-sql.ts has those of payment links. */

const ORGANISATION = sqlOrganisationId(":n::int");
/** The number of a payment that the load generator does not report. */
const NUMBER = `${PAYMENTS} + :u::bigint % ${PAYMENTS}`;
const ACCOUNT = sqlGatewayAccountId(":n::int");
const TRANSACTION = sqlTransactionId(":n::int", NUMBER);
const REFERENCE = sqlPaymentReference(TRANSACTION);
const LINK = sqlLinkId(":n::int", `:u::bigint % ${LINKS_WHEN_EMPTY}`);
const UNIQUE = "lpad(:u::bigint::text, 26, '0')";
/** The subject of entry and event: there may be one of each payment. */
const SUBJECT = `'TEFO-' || ${UNIQUE}`;
const ENTRY = `'jrn_' || ${UNIQUE}`;
/** The data of the event and of the notification; no colon before a letter or a digit, which pgbench would take for a variable. */
const PAYMENT = {
  reference: "TEFO-txn_00000000000000000000000000",
  status: "complete",
  amount: 149.5,
  fee: 4.48,
  net: 145.02,
  currency: "ZAR",
  type: "once",
  gateway: "sandbox",
  description: "Order",
  providerRef: "sbp_TEFO-txn_00000000000000000000000000",
  payerEmail: "payer@bench.example",
  paymentLinkId: "plink_00000000000000000000000000",
  externalReference: null,
  eftOrderId: null,
  metadata: {},
  renewal: false,
  parentReference: null,
  subscriptionId: null,
  refundedAmount: 0,
  refunds: [],
  invoice: null,
  flags: [],
  sandbox: true,
  paidAt: "2026-01-01 00.00.00.000",
  createdAt: "2026-01-01 00.00.00.000",
  customer: null,
};
const FACT = {
  about: "payment",
  kind: "paid",
  occurredAt: "2026-01-01 00.00.00.000",
  gatewayWord: "complete",
  reference: PAYMENT.reference,
  providerRef: PAYMENT.providerRef,
  payerEmail: PAYMENT.payerEmail,
  card: null,
  subscription: null,
  amount: 14_950,
  currency: "ZAR",
  fee: 448,
};
const json = (value: object): string => `'${JSON.stringify(value, null, 1)}'`;

/** A payment of a link completes. One that had completed before is written again, so that there are always enough. */
export const notificationScript = (): readonly string[] => [
  `select * from gateway_accounts where organisation_id = ${ORGANISATION} and id = ${ACCOUNT}`,
  "begin",
  `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
  `select * from payment_links where organisation_id = ${ORGANISATION} and id = ${LINK} for no key update`,
  `update transactions set status = 'complete', paid_at = clock_timestamp(), fee_cents = 448, provider_ref = 'sbp_' || reference,
     payer_email = 'payer@bench.example' where organisation_id = ${ORGANISATION} and reference = ${REFERENCE}`,
  `delete from due_work where organisation_id = ${ORGANISATION} and kind = 'payment.check' and subject = ${TRANSACTION}`,
  `insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
   values (${ORGANISATION}, ${ENTRY}, 'payment', ${SUBJECT}, clock_timestamp(), 'Order')`,
  `insert into journal_lines (organisation_id, entry_id, line, account, gateway_account_id, amount_cents, currency, occurred_at)
   select ${ORGANISATION}, ${ENTRY}, line, account, case when line < 3 then ${ACCOUNT} end, amount, 'ZAR', clock_timestamp()
     from (values (1, 'gateway_clearing', 14502), (2, 'gateway_fees', 448), (3, 'revenue', -14950)) as l(line, account, amount)`,
  `update payment_links set paid_count = paid_count + 1 where organisation_id = ${ORGANISATION} and id = ${LINK}`,
  `insert into event_subjects as s (organisation_id, subject, last_sequence) values (${ORGANISATION}, ${SUBJECT}, 1)
   on conflict (organisation_id, subject) do update set last_sequence = s.last_sequence + 1`,
  `insert into events (organisation_id, id, type, subject, sequence, data, created_at)
   values (${ORGANISATION}, '${newEventId().slice(0, 16)}' || lpad(to_hex(:u::bigint), 20, '0'), 'payment.complete', ${SUBJECT}, 1,
     ${json(PAYMENT)}, clock_timestamp())`,
  `insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome, received_at)
   values (${ORGANISATION}, 'ntf_' || ${UNIQUE}, ${ACCOUNT}, ${REFERENCE}, 'notification', ${json(FACT)}, 'applied', clock_timestamp())`,
  `select enqueue_due_work('event.react', 'evt_' || ${UNIQUE}, clock_timestamp(), 'event.react')`,
  "commit",
];
