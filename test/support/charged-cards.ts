import assert from "node:assert/strict";
import { recordCharge, settleCharge } from "../../src/flows/card-charges/charge-stored-card.ts";
import { saveCard } from "../../src/flows/cards/save-card.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { gatewayOf } from "../../src/flows/gateways/accounts.ts";
import type { Services } from "../../src/flows/services.ts";
import { internalFact, type PaymentFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import { lockCards } from "../../src/modules/cards/store.ts";
import type { Card } from "../../src/modules/cards/types.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import type { Customer } from "../../src/modules/customers/types.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** A customer with a saved card at the account, a mastercard that the sandbox gateway charges; it is the default. */
export async function addSavedCard(
  { db }: Services,
  ctx: Ctx,
  account: GatewayAccount,
  email: string,
): Promise<{ readonly customer: Customer; readonly card: Card }> {
  const { id: organisation } = ctx.organisation;
  const { customer } = await db.transaction(organisation, (tx) =>
    upsertCustomer(tx, ctx, CustomerBody.parse({ email })),
  );
  const token = `sct_${"0".repeat(24)}_4444`;
  const unknown = { expiryMonth: null, expiryYear: null, holderName: null };
  const details = { token, brand: "mastercard", last4: "4444", fingerprint: "4444", ...unknown } as const;
  const kept = {
    customerId: customer.id,
    gatewayAccountId: account.id,
    details,
    source: "card_setup",
    makeDefault: "always",
  } as const;
  const save = async (tx: Tx) => saveCard(tx, ctx, await lockCards(tx, customer.id), kept);
  return { customer, card: await db.transaction(organisation, save) };
}

const CHARGE = { amount: cents(9_900), currency: "ZAR" };

/** Charges of a saved card, identified by their external references: charge-paid, charge-failed, charge-pending. */
export async function addCharges(services: Services, ctx: Ctx): Promise<void> {
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => services.db.transaction(ctx.organisation.id, work);
  const [account] = await inTx(listGatewayAccounts);
  assert(account);
  const { customer, card } = await addSavedCard(services, ctx, account, "cards@example.com");
  const charge = async (externalReference: string, end: PaymentFact["kind"] | null) => {
    const by = { kind: "api", reference: externalReference, attempt: 1 } as const;
    const order = {
      card,
      gateway: gatewayOf(account),
      customer,
      ...CHARGE,
      description: "Membership",
      externalReference,
    };
    const recorded = await inTx((tx) =>
      recordCharge(tx, ctx, { ...order, metadata: {}, paymentLinkId: null, invoiceId: null, by }),
    );
    assert(recorded);
    if (end === null) return;
    const about = internalFact(recorded.transaction.reference, "as the test says");
    const fact = { ...about, ...CHARGE, fee: null, reason: "Declined.", hard: false, kind: end } as PaymentFact;
    assert.equal(await inTx((tx) => settleCharge(tx, ctx, { accountId: account.id, fact })), "settled");
  };
  await charge("charge-paid", "paid");
  await charge("charge-failed", "declined");
  await charge("charge-pending", null);
}

const of = (reference: string) => `(select id from card_charges where external_reference = '${reference}')`;
const change = (reference: string, columns: string) => `update card_charges set ${columns} where id = ${of(reference)}`;
const transactionOf = (reference: string) =>
  `(select transaction_id from card_charges where external_reference = '${reference}')`;
const changeTransaction = (reference: string, columns: string) =>
  `update transactions set ${columns} where id = ${transactionOf(reference)}`;

/** Faults in the records of `addCharges`: at least one for every rule about charges of saved cards. */
export const CHARGE_FAULTS: readonly PlantedFault[] = [
  ["card_charges.charge_status", of("charge-pending"), change("charge-pending", "status = 'complete'")],
  ["card_charges.charge_status", of("charge-paid"), change("charge-paid", "status = 'pending'")],
  ["card_charges.charge_type", of("charge-paid"), changeTransaction("charge-paid", "type = 'once'")],
  ["card_charges.charge_customer", of("charge-paid"), changeTransaction("charge-paid", "customer_id = null")],
  [
    "card_charges.charge_account",
    of("charge-paid"),
    "update cards set gateway_account_id = (select id from gateway_accounts where type = 'manual_eft' limit 1)",
  ],
  ["card_charges.charge_due_invoice", of("charge-paid"), change("charge-paid", "due_invoice_id = 'inv_none'")],
  ["card_charges.charge_collects", of("charge-paid"), change("charge-paid", "is_collection = true")],
  [
    "card_charges.charge_by_request",
    "(select c.id from card_charges c join transactions t on t.id = c.transaction_id where t.external_reference = 'charge-failed')",
    change("charge-failed", "external_reference = null"),
  ],
  ["card_charges.charge_day", of("charge-paid"), change("charge-paid", "charge_day = charge_day - 1")],
  [
    "card_charges.charge_reference",
    of("charge-paid"),
    changeTransaction("charge-paid", "external_reference = 'other'"),
  ],
  ["card_charges.charge_reference_free", of("charge-failed"), change("charge-failed", "holds_reference = true")],
  ["card_charges.charge_reference_held", of("charge-pending"), change("charge-pending", "holds_reference = false")],
  [
    "organisation_settings.due_invoices_awaited",
    "(select organisation_id from organisation_settings)",
    `update organisation_settings set settings = settings || '{"chargeDefaultCardWhenDue": true}'`,
  ],
  [
    "transactions.card_debit_charge",
    `(select id from transactions where type = 'card_debit' and status = 'pending')`,
    `delete from card_charges where id = ${of("charge-pending")}`,
  ],
];
