import type { Ctx } from "../../src/flows/context.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { beginBatches } from "../../src/flows/debit-batches/change-batch.ts";
import { recordMandate } from "../../src/flows/mandates/create-mandate.ts";
import { issueAgreement } from "../../src/flows/mandates/issue-agreement.ts";
import { signAgreement } from "../../src/flows/mandates/sign-agreement.ts";
import type { Services } from "../../src/flows/services.ts";
import { assert } from "../../src/kernel/assert.ts";
import { addDays, calendarDay } from "../../src/kernel/time.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { MandateCreate } from "../../src/modules/mandates/schema.ts";
import { lockMandate } from "../../src/modules/mandates/store.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds a customer with mandates, by the product's own flows, known by their description: `collected` is active, `signed` by its agreement,
 * `unsigned` and `electronic` wait.
 */
export async function addMandates(services: Services, ctx: Ctx): Promise<void> {
  const { db } = services;
  const organisation = ctx.organisation.id;
  const customerId = await db.transaction(organisation, async (tx) => {
    const body = CustomerBody.parse({ externalReference: "mandates", email: "mandates@example.com" });
    return (await upsertCustomer(tx, ctx, body)).customer.id;
  });
  const add = (description: string, given: object = {}) =>
    db.transaction(organisation, async (tx) => {
      const bank = { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" };
      const body = { customerId, bank, amount: 100, debitDay: 15, frequency: "quarterly", description, ...given };
      return (await recordMandate(tx, ctx, MandateCreate.parse(body))).intent;
    });
  await add("collected", { authority: "offline", confirmOfflineMandate: true });
  await add("electronic", { authority: "emandate" });
  await add("unsigned");
  const signed = await add("signed");
  const { signUrl } = await db.transaction(organisation, async (tx) => {
    const mandate = await lockMandate(tx, signed);
    assert(mandate, "it was just made");
    return issueAgreement(tx, ctx, mandate, { email: false, notes: null });
  });
  await db.transaction(organisation, (tx) => beginBatches(tx, ctx, addDays(calendarDay(ctx.now), 200)));
  const signer = { name: "T Nkosi", consent: "I agree.", address: null, userAgent: null };
  await signAgreement(services, ctx, signUrl.split("/").at(-1) ?? "", signer);
}

const mandate = (description: string) => `(select id from mandates where description = '${description}')`;
const BATCH = "(select id from debit_batches)";
const agreement = (description: string, status: string) =>
  `(select id from mandate_agreements where mandate_id = ${mandate(description)} and status = '${status}')`;
const DEBIT = "(select min(transaction_id) from debits)";
const change = (description: string, columns: string) =>
  `update mandates set ${columns} where id = ${mandate(description)}`;

/** A batch at the sandbox gateway: its status, and how many lines it has and has reported. */
const sandboxBatch = (facts: string) =>
  `insert into sandbox_debit_batches select organisation_id, 'sbd_1', id, 'one', created_at::date, '', ${facts}, created_at, created_at
     from gateway_accounts order by id limit 1`;
/** A pending payment at the sandbox gateway; a debit is the first line of `sandboxBatch`. */
const sandboxPayment = (kind: "charge" | "debit") =>
  `insert into sandbox_payments select organisation_id, 'sbp_1', id, null, 'one', 100, 'ZAR', 'pending', null, '{}', created_at, null, '${kind}',
     created_at, null, null${kind === "debit" ? ", 'sbd_1', 1" : ""} from gateway_accounts order by id limit 1`;

/** Of what `addMandates` made: at least one for every rule about mandates and their agreements. */
export const MANDATE_FAULTS: readonly PlantedFault[] = [
  [
    "mandates.mandate_signed_at",
    mandate("signed"),
    change("signed", "agreement_signed_at = agreement_signed_at + interval '1 s'"),
  ],
  ["mandates.mandate_signed_at", mandate("collected"), change("collected", "agreement_signed_at = created_at")],
  [
    "mandates.mandate_authorised_by_signature",
    mandate("signed"),
    change("signed", "authorised_at = authorised_at + interval '1 s'"),
  ],
  [
    "mandates.mandate_authorised_by_signature",
    mandate("unsigned"),
    change("unsigned", "status = 'active', authorised_at = created_at"),
  ],
  ["mandates.mandate_debit_day", mandate("collected"), change("collected", "next_debit_date = next_debit_date + 1")],
  ["mandates.mandate_debit_day", mandate("collected"), change("collected", "debit_day = 14")],
  ["mandates.mandate_first_date", mandate("unsigned"), change("unsigned", "first_debit_date = first_debit_date + 1")],
  ["mandates.mandate_first_date", mandate("unsigned"), change("unsigned", "start_date = first_debit_date + 1")],
  [
    "mandates.mandate_period",
    mandate("collected"),
    change("collected", "next_debit_date = next_debit_date + interval '1 month'"),
  ],
  [
    "mandates.mandate_next_date_in_term",
    mandate("collected"),
    change("collected", "last_debit_date = next_debit_date"),
  ],
  ["mandates.mandate_next_date_in_term", mandate("collected"), change("collected", "end_date = next_debit_date - 1")],
  ["mandates.mandate_next_date", mandate("collected"), change("collected", "next_debit_date = null")],
  [
    "mandates.mandate_no_date_left_out",
    mandate("collected"),
    change("collected", "next_debit_date = next_debit_date + interval '3 months'"),
  ],
  ["mandates.revision", mandate("unsigned"), change("unsigned", "amount_cents = 101")],
  ["mandates.revision", mandate("signed"), change("signed", "account_number_last4 = '0000'")],
  [
    "mandate_agreements.revision",
    agreement("signed", "signed"),
    "update mandate_agreements set signer_name = 'N Nkosi' where status = 'signed'",
  ],
  ["debit_batches.revision", BATCH, "update debit_batches set action_date = action_date + 1"],
  [
    "debit_batches.batch_prices",
    BATCH,
    "update transactions set amount_cents = 1 where type = 'debit_order'",
    "update debit_batches set amount_cents = 1",
  ],
  ["mandates.mandate_unpaid_in_a_row", mandate("collected"), change("collected", "failure_count = 3")],
  ["mandates.mandate_subscription", mandate("collected"), change("collected", "subscription_id = 'csub_x'")],
  ["mandates.mandate_unpaid_date", mandate("collected"), change("collected", "last_unpaid_date = start_date")],
  ["mandates.mandate_answer_awaited", mandate("electronic"), "delete from due_work where kind = 'mandate.check'"],
  [
    "mandate_agreements.agreement_hash",
    agreement("signed", "signed"),
    `update mandate_agreements set document = document || ' ' where status = 'signed'`,
  ],
  [
    "mandate_agreements.agreement_signed_in_time",
    agreement("signed", "signed"),
    `update mandate_agreements set expires_at = signed_at - interval '1 s' where status = 'signed'`,
  ],
  [
    "mandate_agreements.agreement_signed",
    "(select id from mandate_agreements where signed_at is not null)",
    "update mandate_agreements set status = 'cancelled' where status = 'signed'",
  ],
  ["mandate_agreements.agreement_mandate", agreement("unsigned", "open"), change("unsigned", "status = 'cancelled'")],
  ["mandates.debited_last", mandate("collected"), change("collected", "last_debit_date = last_debit_date - 1")],
  ["mandates.debited_on", mandate("collected"), change("collected", "last_action_date = null")],
  ["mandates.collected_last", mandate("collected"), change("collected", "last_collected_at = last_debit_date")],
  ["mandates.unpaid_at_most", mandate("collected"), change("collected", "failure_count = 1")],
  ["mandates.gathering_awaited", mandate("collected"), "delete from due_work where kind = 'debit_batch.gather'"],
  ["transactions.debit_of_mandate", "(select min(transaction_id) from kept.debits)", "delete from debits"],
  ["debits.debit_unpaid", DEBIT, `update debits set unpaid_at = now() where transaction_id = ${DEBIT}`],
  [
    "debits.debit_link",
    DEBIT,
    `update debits set pay_link_id = (select min(id) from payment_links where active) where transaction_id = ${DEBIT}`,
  ],
  [
    "debits.debit_link_closed",
    DEBIT,
    `update debits set pay_link_id = (select min(id) from payment_links where active) where transaction_id = ${DEBIT}`,
  ],
  ["debits.debit_held_from", DEBIT, `update debits set held_from = transaction_id where transaction_id = ${DEBIT}`],
  ["debits.debit_unpaid_code", DEBIT, `update debits set unpaid_code = '02' where transaction_id = ${DEBIT}`],
  ["debit_batches.batch_completed", BATCH, "update debit_batches set completed_at = created_at"],
  ["sandbox_debit_batches.sandbox_batch_lines", "'sbd_1'", sandboxBatch("'submitted', 2, 2")],
  [
    "sandbox_debit_batches.sandbox_batch_reported",
    "'sbd_1'",
    sandboxBatch("'submitted', 1, 1"),
    sandboxPayment("debit"),
  ],
  [
    "sandbox_debit_batches.sandbox_batch_settlement_awaited",
    "'sbd_1'",
    sandboxBatch("'submitted', 1, 0"),
    sandboxPayment("debit"),
  ],
  ["sandbox_payments.sandbox_charge_settlement_awaited", "'sbp_1'", sandboxPayment("charge")],
  [
    "sandbox_subscriptions.sandbox_renewal_awaited",
    "'sbs_1'",
    `insert into sandbox_subscriptions select organisation_id, 'sbs_1', id, 'one', 'active', 100, 'ZAR', 'monthly', created_at::date, 0, '{}',
       created_at, created_at from gateway_accounts order by id limit 1`,
  ],
  ["debit_batches.batch_debits", BATCH, "update debit_batches set debits = debits + 1"],
  ["debit_batches.batch_amount", BATCH, "update debit_batches set amount_cents = 1"],
  ["debit_batches.batch_references", BATCH, "update debits set debit_date = debit_date + 1"],
  ["debit_batches.batch_invoices", BATCH, "update transactions set invoice_id = 'inv_x' where type = 'debit_order'"],
  ["debit_batches.batch_payers", BATCH, change("collected", "customer_id = 'cus_x'")],
  ["debit_batches.batch_payers", BATCH, change("collected", "gateway_account_id = 'gw_x'")],
  ["debit_batches.batch_account", BATCH, "update debit_batches set gateway_account_id = 'gw_other'"],
  ["debit_batches.batch_submission_awaited", BATCH, "delete from due_work where kind = 'debit_batch.submit'"],
  ["debit_batches.batch_results_awaited", BATCH, "update debit_batches set status = 'submitted'"],
  ["debit_batches.batch_withdrawn_before_sent", BATCH, "update debits set withdrawn = true"],
  ["debit_batches.batch_sent", BATCH, "update debit_batches set status = 'submitted', submitted_at = created_at"],
  ["debit_batches.batch_not_sent", BATCH, "update debit_batches set batch_ref = 'sent'"],
  ["debit_batches.batch_not_sent_ended", BATCH, "update debit_batches set status = 'refused'"],
  [
    "mandate_agreements.agreement_expiry_awaited",
    agreement("unsigned", "open"),
    "delete from due_work where kind = 'mandate_agreement.expire'",
  ],
];
