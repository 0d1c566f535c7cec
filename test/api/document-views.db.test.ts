import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostedUrl } from "../../src/flows/hosted-links.ts";
import type { QuoteId } from "../../src/kernel/ids.ts";
import { QUOTE_PAGE } from "../../src/modules/quotes/declarations.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type InvoiceAnswer, NOW, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const PHONE = { "user-agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36" };
const PREVIEW = { "user-agent": "WhatsApp/2.23.20.0 A" };

async function open() {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("owner");
  const pathOf = (url: unknown) => new URL(String(url)).pathname;
  const see = async (url: unknown, headers: Readonly<Record<string, string>>) => {
    const { status } = await api.call("GET", pathOf(url), { headers });
    assert.equal(status, 200);
  };
  const times = async (path: string) => {
    const { body } = await staff<Record<string, unknown>>("GET", path);
    return [body["viewedAt"], body["lastViewedAt"]];
  };
  return { shop, staff, see, times };
}

test("an invoice is viewed when its payer opens the page, and not by a program, nor by staff who are signed in", async () => {
  const { shop, see, times, staff } = await open();
  const invoice = await shop.owe(100);
  const path = `/invoices/${invoice.id}`;
  assert.deepEqual(await times(path), [undefined, undefined]);
  await see(invoice.payUrl, PREVIEW);
  await see(invoice.payUrl, { ...PHONE, cookie: "a=b; tefo.session_token=abc.def" });
  assert.deepEqual(await times(path), [undefined, undefined]);
  await see(invoice.payUrl, PHONE);
  assert.deepEqual(await times(path), [NOW, NOW]);
  await shop.merchant.change({ clock_at: "2027-03-02T08:00:00Z" });
  await see(invoice.payUrl, PHONE);
  assert.deepEqual(await times(path), [NOW, "2027-03-02T08:00:00.000Z"]);
  const { body } = await staff<{ data: InvoiceAnswer[] }>("GET", "/invoices");
  assert.equal(body.data.find(({ id }) => id === invoice.id)?.["viewedAt"], NOW);
});

test("keys are told no views, and a quote has them too", async () => {
  const { shop, see, times } = await open();
  const invoice = await shop.owe(100);
  await see(invoice.payUrl, PHONE);
  assert.ok(!("viewedAt" in (await shop.show(invoice.id))));
  const line = { description: "Painting", quantity: 1, unitPrice: 50 };
  const quote = (await shop.merchant.post("/quotes", { customerId: shop.customerId, lineItems: [line] })).body;
  const sent = (await shop.merchant.call("POST", `/quotes/${quote["id"]}/send`)).body;
  assert.equal(sent["status"], "sent", JSON.stringify(sent));
  await see(hostedUrl(await shop.merchant.ctx(), QUOTE_PAGE, quote["id"] as QuoteId), PHONE);
  assert.deepEqual(await times(`/quotes/${quote["id"]}`), [NOW, NOW]);
});
