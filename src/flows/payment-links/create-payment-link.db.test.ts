import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openMerchant } from "../../../test/support/merchant.ts";
import { InvoiceCreate } from "../../modules/invoices/schema.ts";
import { PaymentLinkCreate } from "../../modules/payment-links/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { contextFor, SYSTEM } from "../context.ts";
import { upsertCustomer } from "../customers/save-customer.ts";
import { createGatewayAccount } from "../gateways/save-account.ts";
import { createInvoice } from "../invoices/create-invoice.ts";
import { createPaymentLink } from "./create-payment-link.ts";

test("a link of an invoice for another payer, creations of invoices that share a transaction, and a change of that payer never wait in a circle", async (t) => {
  const merchant = await openMerchant([], { sandbox: true });
  t.after(() => merchant.close());
  const ctx = contextFor(merchant.dashboard.services, merchant.organisation, SYSTEM);
  const begun = { creation: 0, change: 0, link: 0 };
  const inTx = <T>(work: (tx: Tx) => Promise<T>) =>
    merchant.dashboard.services.db.transaction(merchant.organisation.id, work);
  await inTx((tx) => createGatewayAccount(tx, ctx, { type: "sandbox", credentials: {} }));
  const [owing, payer] = await inTx(async (tx) => [
    (await upsertCustomer(tx, ctx, { email: "owing@example.co.za" })).customer.id,
    (await upsertCustomer(tx, ctx, { email: "payer@example.co.za" })).customer.id,
  ]);
  const sent = (tx: Tx, customerId: string) => {
    const lines = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
    return createInvoice(tx, ctx, InvoiceCreate.parse({ customerId, lines, send: true }));
  };
  const { invoice } = await inTx((tx) => sent(tx, owing ?? ""));

  const othersBegin = Promise.withResolvers<void>();
  const othersWait = Promise.withResolvers<void>();
  // As a gathering does: one invoice after the other, whose customers come in any order.
  const creation = inTx(async (tx) => {
    begun.creation++;
    await sent(tx, payer ?? "");
    othersBegin.resolve();
    await othersWait.promise;
    await sent(tx, owing ?? "");
  });
  await othersBegin.promise;
  const change = inTx(async (tx) => {
    begun.change++;
    await upsertCustomer(tx, ctx, { email: "payer@example.co.za", externalReference: "payer" });
  });
  await sleep(200);
  const link = inTx(async (tx) => {
    begun.link++;
    const body = { title: "Part", amount: 10, invoiceId: invoice.id, customerEmail: "payer@example.co.za" };
    await createPaymentLink(tx, ctx, PaymentLinkCreate.parse(body));
  });
  await sleep(200);
  othersWait.resolve();
  await Promise.all([creation, change, link]);
  // PostgreSQL ends one of those that wait in a circle, and that one begins again.
  assert.deepEqual(begun, { creation: 1, change: 1, link: 1 });
});
