import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Merchant, openMerchant } from "../../../test/support/merchant.ts";
import { instant } from "../../kernel/time.ts";
import { CUSTOMER_STANDING_CHANGED } from "../../modules/customers/declarations.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { InvoiceCreate } from "../../modules/invoices/schema.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { contextFor, SYSTEM } from "../context.ts";
import { upsertCustomer } from "../customers/save-customer.ts";
import { createInvoice } from "./create-invoice.ts";
import { lockPastDueInvoices, markOverdue } from "./due-date.ts";

let merchant: Merchant;
before(async () => {
  merchant = await openMerchant([]);
});
after(() => merchant.close());

const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  merchant.dashboard.services.db.transaction(merchant.organisation.id, work);
const ctxAt = (now: string) => ({
  ...contextFor(merchant.dashboard.services, merchant.organisation, SYSTEM),
  now: instant(now),
});

/** Sent invoices of a new customer, due on 20 November 2026. */
async function invoicesOf(email: string, count: number): Promise<Invoice[]> {
  const ctx = ctxAt("2026-11-01T10:00:00Z");
  const { customer } = await inTx((tx) => upsertCustomer(tx, ctx, { email }));
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
  const body = { customerId: customer.id, lines, dueDate: "2026-11-20", send: true };
  return inTx(async (tx) => {
    const created: Invoice[] = [];
    for (let n = 0; n < count; n++) created.push((await createInvoice(tx, ctx, InvoiceCreate.parse(body))).invoice);
    return created;
  });
}

/** Marks the invoices overdue on the day after; returns the number of statements that this takes. */
async function mark(invoices: readonly Invoice[]): Promise<number> {
  let statements = 0;
  const counting = (tx: Tx): Tx => ({
    ...tx,
    sql: (...given) => {
      statements++;
      return tx.sql(...given);
    },
    queue: (...given) => {
      statements++;
      tx.queue(...given);
    },
  });
  const ids = invoices.map(({ id }) => id);
  await inTx(async (tx) => {
    const counted = counting(tx);
    const locked = await lockPastDueInvoices(counted, ids);
    await markOverdue(counted, ctxAt("2026-11-21T10:00:00Z"), [...locked.values()]);
  });
  return statements;
}

test("marking a thousand invoices of a hundred customers takes as many statements as one, and updates each customer's standing", async () => {
  const alone = await mark(await invoicesOf("alone@example.co.za", 1));
  const invoices: Invoice[] = [];
  for (let n = 0; n < 100; n++) invoices.push(...(await invoicesOf(`payer-${n}@example.co.za`, 10)));
  assert.equal(await mark(invoices), alone);
  // Two of them tell that the invoices are overdue.
  assert.ok(alone <= 11, `${alone} statements`);
  const now = await inTx((tx) =>
    Promise.all(
      invoices.map(async ({ id, customer }) => [
        (await findInvoice(tx, id))?.status,
        (await findCustomer(tx, customer.id))?.standing,
      ]),
    ),
  );
  assert.deepEqual([now.length, new Set(now.map(String))], [1000, new Set(["overdue,overdue"])]);
  const told = await inTx(
    (tx) => tx.sql<{ subject: string; sequence: number; status: string; before: string }>`
      select subject, sequence, data ->> 'status' as status, data ->> 'previousStatus' as before from events
       where organisation_id = ${tx.organisation} and type = ${CUSTOMER_STANDING_CHANGED.name} and data ->> 'status' = 'overdue'`,
  );
  assert.equal(told.length, 101);
  assert.equal(new Set(told.map(({ subject }) => subject)).size, 101);
});
