import { openCardSetup } from "../../src/flows/card-setups/create-card-setup.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { gatewayOf } from "../../src/flows/gateways/accounts.ts";
import { applyReversalFact } from "../../src/flows/payments/apply-reversal.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { recordAttempt } from "../../src/flows/payments/start-payment.ts";
import type { Services } from "../../src/flows/services.ts";
import { type CardDetails, internalFact } from "../../src/gateways/facts.ts";
import { assert } from "../../src/kernel/assert.ts";
import { insertCardSetupPayment } from "../../src/modules/card-setups/store.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY, type CardSetup } from "../../src/modules/card-setups/types.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** A visa card, by its last digits, that its gateway has saved. */
const saved = (last4: string): CardDetails => ({
  token: `token-${last4}`,
  brand: "visa",
  last4,
  expiryMonth: 12,
  expiryYear: 2099,
  holderName: null,
  fingerprint: last4,
});

/**
 * Adds a customer with set-up sessions, by the product's own flows, known by their metadata `is`: `saved` and `second` with a card each,
 * `without` paid without a card, `taken` too, whose money the bank took back, `open` with a pending payment.
 */
export async function addCards({ db }: Services, ctx: Ctx): Promise<void> {
  const customerId = await db.transaction(ctx.organisation.id, async (tx) => {
    const body = CustomerBody.parse({ externalReference: "cards", email: "cards@example.com" });
    return (await upsertCustomer(tx, ctx, body)).customer.id;
  });
  let taken = "";
  for (const [is, last4] of [
    ["saved", "4242"],
    ["second", "0341"],
    ["without", null],
    ["taken", null],
    ["open", undefined],
  ] as const)
    await db.transaction(ctx.organisation.id, async (tx) => {
      const account = (await listGatewayAccounts(tx)).find(({ type }) => type === "sandbox");
      assert(account, "the organisation has a sandbox account");
      const terms = { returnUrl: null, makeDefault: true, metadata: { is }, minutes: 60, use: "card" as const };
      const setup: CardSetup = await openCardSetup(tx, ctx, customerId, terms);
      const payment = recordAttempt(tx, ctx, gatewayOf(account), {
        amount: CARD_SETUP_AMOUNT,
        currency: CARD_SETUP_CURRENCY,
        type: "card_setup",
        description: "Card set-up",
        customerId,
      });
      insertCardSetupPayment(tx, setup.id, payment.id);
      if (last4 === undefined) return;
      await settlePayment(
        tx,
        ctx,
        { accountId: account.id, source: "notification" },
        {
          ...internalFact(payment.reference, "complete"),
          kind: "paid",
          amount: payment.amount,
          currency: payment.currency,
          fee: null,
          card: last4 === null ? null : saved(last4),
        },
      );
      if (is === "taken") taken = payment.reference;
    });
  await db.transaction(ctx.organisation.id, async (tx) => {
    const [account] = (await listGatewayAccounts(tx)).filter(({ type }) => type === "sandbox");
    const back = {
      amount: CARD_SETUP_AMOUNT,
      reason: "Disputed",
      code: "30",
      occurredAt: ctx.now,
      hard: false,
    } as const;
    const fact = { ...internalFact(taken, "reversed"), ...back, about: "reversal" } as const;
    await applyReversalFact(tx, ctx, { accountId: account?.id ?? "", source: "notification" }, fact);
  });
}

const setup = (is: string) => `(select id from card_setups where metadata ->> 'is' = '${is}')`;
const paymentOf = (is: string) => `(select transaction_id from card_setup_payments where card_setup_id = ${setup(is)})`;
const card = (last4: string) => `(select id from cards where last4 = '${last4}')`;
const noteOf = (is: string) =>
  `(select id from credit_notes where transaction_reference = (select reference from transactions where id = ${paymentOf(is)}))`;

/** Of what `addCards` made: at least one for every rule about cards and their set-up. */
export const CARD_FAULTS: readonly PlantedFault[] = [
  ["cards.card_default", card("0341"), `update cards set status = 'removed' where id = ${card("0341")}`],
  ["cards.card_used", card("4242"), `update cards set last_used_at = created_at where id = ${card("4242")}`],
  ["cards.revision", card("4242"), `update cards set expiry_year = 2098 where id = ${card("4242")}`],
  ["cards.revision", card("4242"), `delete from revisions where subject = ${card("4242")}`],
  [
    "card_setups.revision",
    setup("open"),
    `update card_setups set metadata = metadata || '{"a": "b"}' where id = ${setup("open")}`,
  ],
  ["cards.card_expiry_awaited", card("4242"), "delete from due_work where kind = 'card.expire'"],
  ["card_setups.setup_card", setup("saved"), `update card_setups set card_id = null where id = ${setup("saved")}`],
  ["card_setups.setup_card", setup("saved"), `update cards set customer_id = 'cus_x' where id = ${card("4242")}`],
  ["card_setups.setup_paid", setup("saved"), `delete from card_setup_payments where card_setup_id = ${setup("saved")}`],
  ["card_setups.setup_paid", setup("saved"), `update cards set gateway_account_id = 'gw_x' where id = ${card("4242")}`],
  ["card_setups.setup_expiry_awaited", setup("open"), "delete from due_work where kind = 'card_setup.expire'"],
  [
    "card_setups.setup_expiry_awaited",
    setup("open"),
    `update card_setups set status = 'expired' where id = ${setup("open")}`,
  ],
  [
    "card_setup_payments.setup_payment",
    paymentOf("without"),
    `update transactions set amount_cents = 200 where id = ${paymentOf("without")}`,
  ],
  [
    "card_setup_payments.setup_payment",
    paymentOf("open"),
    `update card_setups set customer_id = 'cus_x' where id = ${setup("open")}`,
  ],
  [
    "card_setup_payments.setup_credited",
    paymentOf("without"),
    `delete from credit_notes where id = ${noteOf("without")}`,
  ],
  [
    "card_setup_payments.setup_credited",
    paymentOf("saved"),
    `update credit_notes set customer_id = 'cus_x' where id = ${noteOf("saved")}`,
  ],
  [
    "card_setup_payments.setup_taken_back",
    paymentOf("taken"),
    "update reversals set debit_invoice_id = null where debit_invoice_id is not null",
  ],
  [
    "card_setup_payments.setup_taken_back",
    paymentOf("taken"),
    "update invoices set total_cents = 200 where id = (select debit_invoice_id from reversals where debit_invoice_id is not null)",
  ],
  [
    "card_setup_payments.setup_taken_back",
    paymentOf("taken"),
    "update invoices set customer_id = 'cus_x' where id = (select debit_invoice_id from reversals where debit_invoice_id is not null)",
  ],
];
