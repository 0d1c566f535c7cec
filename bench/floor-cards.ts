import { newId } from "../src/platform/new-id.ts";
import { CARDHOLDERS, sqlCardId, sqlClaim, sqlCustomerId, sqlOrganisationId } from "./names.ts";

/* The floor of charging a saved card, as floor-sql.ts has those of payment links. */

const ORGANISATION = sqlOrganisationId(":n::int");
const CUSTOMER = sqlCustomerId(":n::int", `:u::bigint % ${CARDHOLDERS}`);
const CARD = sqlCardId(":n::int", `:u::bigint % ${CARDHOLDERS}`);
const UNIQUE = "lpad(:u::bigint::text, 26, '0')";
const TRANSACTION = `'txn_' || ${UNIQUE}`;
const REFERENCE = "'TEFOC-' || lpad(:u::bigint::text, 16, '0') || '-1'";
const PATH = `'/api/v1/customers/' || ${CUSTOMER} || '/cards/' || ${CARD} || '/charges'`;
/** As long as the replies that the service stores. */
const REPLY_LENGTH = 900;
/** The audit entry of a new charge; no colon before a letter or a digit, which pgbench would take for a variable. */
const AFTER = {
  object: "card_charge",
  id: "chg_00000000000000000000000000",
  reference: "TEFOC-0000000000000000-1",
  status: "pending",
  amount: 149.5,
  currency: "ZAR",
  description: "Monthly plan",
  externalReference: "000000000000000000000000-10000",
  metadata: {},
  customerId: "cus_00000000000000000000000000",
  card: { id: "card_00000000000000000000000000", brand: "visa", last4: "4242" },
  failureReason: null,
  paidAt: null,
  createdAt: "2026-01-01 00.00.00.000",
};
/** The stored answer of the gateway. */
const FACT = {
  about: "payment",
  kind: "pending",
  occurredAt: null,
  gatewayWord: "pending",
  reference: "TEFOC-0000000000000000-1",
  providerRef: "sbp_TEFOC-0000000000000000-1",
  payerEmail: "payer-10@bench.example",
  card: null,
  subscription: null,
  amount: 14_950,
  currency: "ZAR",
};

/**
 * A charge of one card whose bank has not answered: a pending payment and its charge, which the gateway's answer leaves pending. Two
 * transactions, because the request to a gateway must be on disk before it is sent; the gateway itself is left out.
 */
export const cardChargeScript = (admit: string): readonly string[] => [
  "begin",
  admit,
  `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
  sqlClaim(ORGANISATION, PATH),
  `select * from customers where organisation_id = ${ORGANISATION} and id = ${CUSTOMER}`,
  `select * from cards where organisation_id = ${ORGANISATION} and customer_id = ${CUSTOMER} order by id for no key update`,
  `select * from gateway_accounts where organisation_id = ${ORGANISATION} order by id`,
  `insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox,
     description, payer_email, customer_id, external_reference, created_at)
   select ${ORGANISATION}, ${TRANSACTION}, ${REFERENCE}, 'pending', 14950, 'ZAR', 'card_debit', gateway_account_id, 'sandbox', true,
     'Monthly plan', 'payer-10@bench.example', ${CUSTOMER}, 'floor' || :u::bigint, clock_timestamp()
     from cards where organisation_id = ${ORGANISATION} and id = ${CARD}`,
  `insert into card_charges (organisation_id, id, transaction_id, customer_id, card_id, status, external_reference, holds_reference,
     charge_day)
   values (${ORGANISATION}, 'chg_' || ${UNIQUE}, ${TRANSACTION}, ${CUSTOMER}, ${CARD}, 'pending', 'floor' || :u::bigint, true, '2026-01-01')`,
  `select enqueue_due_work('payment.check', ${TRANSACTION}, clock_timestamp() + interval '1 day', 'payment.check')`,
  `insert into audit_log (organisation_id, id, at, actor_kind, actor_id, ip, request_id, action, subject, after)
   values (${ORGANISATION}, '${newId("aud").slice(0, 14)}' || lpad(:u::bigint::text, 16, '0'), clock_timestamp(), 'key',
     'key_00000000000000000000000000', '127.0.0.1', 'req_00000000000000000000000000', 'POST /customers/{id}/cards/{cardId}/charges',
     'chg_' || ${UNIQUE}, '${JSON.stringify(AFTER, null, 1)}')`,
  `update idempotency_keys set intent = ${TRANSACTION}, intent_settled = false
    where organisation_id = ${ORGANISATION} and key = 'floor' || :u::bigint and method = 'POST' and path = ${PATH}
      and recorded_at = date_trunc('day', clock_timestamp(), 'UTC')`,
  "commit",
  "begin",
  `select set_config('app.organisation_id', ${ORGANISATION}, true)`,
  `update transactions set provider_ref = 'sbp_' || reference where organisation_id = ${ORGANISATION} and id = ${TRANSACTION}`,
  `insert into gateway_notifications (organisation_id, id, gateway_account_id, reference, source, fact, outcome, received_at)
   select organisation_id, 'ntf_' || ${UNIQUE}, gateway_account_id, reference, 'query', '${JSON.stringify(FACT, null, 1)}', 'repeated',
     clock_timestamp() from transactions where organisation_id = ${ORGANISATION} and id = ${TRANSACTION}`,
  `update idempotency_keys set status = 201, reply_sealed = repeat('x', ${REPLY_LENGTH}), intent_settled = true
    where organisation_id = ${ORGANISATION} and key = 'floor' || :u::bigint and method = 'POST' and path = ${PATH}
      and recorded_at = date_trunc('day', clock_timestamp(), 'UTC')`,
  "commit",
];
