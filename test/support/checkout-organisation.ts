import { createCheckoutSession } from "../../src/flows/checkout/create-session.ts";
import { identifyPayer } from "../../src/flows/checkout/identify-payer.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { gatewayOf } from "../../src/flows/gateways/accounts.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import { recordAttempt } from "../../src/flows/payments/start-payment.ts";
import { createProduct } from "../../src/flows/products/save-product.ts";
import type { Services } from "../../src/flows/services.ts";
import { internalFact } from "../../src/gateways/facts.ts";
import { assert } from "../../src/kernel/assert.ts";
import { cents, ZERO } from "../../src/kernel/money.ts";
import { CheckoutSessionCreate } from "../../src/modules/checkout-sessions/schema.ts";
import { insertCheckoutPayment, updateCheckoutSession } from "../../src/modules/checkout-sessions/store.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import { ProductCreate } from "../../src/modules/products/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds checkouts of a product by the product's own flows, known by their metadata `is`: `paid`, `failed`, and `waiting` with a pending payment,
 * each of a customer of its own.
 */
export async function addCheckouts(services: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => services.db.transaction(ctx.organisation.id, work);
  const { id } = await write((tx) => createProduct(tx, ctx, ProductCreate.parse({ name: "Book", amount: 100 })));
  const [account] = (await write(listGatewayAccounts)).filter(({ type }) => type === "sandbox");
  assert(account, "the organisation has a sandbox account");
  for (const is of ["paid", "failed", "waiting"] as const) {
    const body = CheckoutSessionCreate.parse({ productId: id, metadata: { is } });
    const session = await write((tx) => createCheckoutSession(tx, ctx, body));
    const details = { email: `${is}@checkout.example`, firstName: "Thandi", ...BLANK };
    const payment = await write(async (tx) => {
      const { session: used, customer } = await identifyPayer(tx, ctx, session, details);
      assert(customer, "the session is open");
      const asked = { amount: cents(11_500), currency: "ZAR", type: "once", description: "Book" } as const;
      const begun = recordAttempt(tx, ctx, gatewayOf(account), { ...asked, customerId: customer.id });
      const terms = { discount: ZERO, tax: cents(1_500), couponId: null, couponSubject: null, frequency: null };
      insertCheckoutPayment(tx, { transactionId: begun.id, sessionId: used.id, ...terms });
      updateCheckoutSession(tx, { ...used, transactionId: begun.id });
      return begun;
    });
    if (is === "waiting") continue;
    await write(async (tx) => {
      const { amount, currency, reference } = payment;
      const told = internalFact(reference, is);
      const fact =
        is === "paid"
          ? ({ ...told, kind: "paid", amount, currency, fee: null, card: null } as const)
          : ({ ...told, kind: "declined", amount: null, currency: null, reason: "declined", hard: false } as const);
      await settlePayment(tx, ctx, { accountId: account.id, source: "notification" }, fact);
    });
  }
}

const BLANK = { lastName: null, phone: null, company: null, address: null, vatNumber: null };

const of = (is: string) => `(select id from checkout_sessions where metadata ->> 'is' = '${is}')`;
const change = (is: string, columns: string) =>
  `update checkout_sessions set ${columns} where metadata ->> 'is' = '${is}'`;

/** Of what `addCheckouts` made: at least one for every rule about checkouts. */
export const CHECKOUT_FAULTS: readonly PlantedFault[] = [
  [
    "checkout_sessions.checkout_payment",
    of("waiting"),
    `update checkout_payments set checkout_session_id = ${of("paid")} where checkout_session_id = ${of("waiting")}`,
  ],
  [
    "checkout_sessions.checkout_customer",
    of("failed"),
    change("failed", `customer_id = (select customer_id from checkout_sessions where metadata ->> 'is' = 'paid')`),
  ],
  ["checkout_sessions.checkout_paid", of("waiting"), change("waiting", "status = 'completed'")],
  ["checkout_sessions.checkout_completed", of("paid"), change("paid", "status = 'failed'")],
  [
    "checkout_sessions.checkout_expiry_awaited",
    of("failed"),
    `delete from due_work where kind = 'checkout_session.expire' and subject = ${of("failed")}`,
  ],
];
