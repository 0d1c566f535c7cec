import assert from "node:assert/strict";
import type { ApiMerchant } from "../support/api.ts";
import { everyPageLooksRight, looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOrder, addTransfers, upload } from "../support/eft.ts";
import { pngOf } from "../support/uploads.ts";

/* Every page of the dashboard, looked at by axe in light and dark, on a desk and on a phone of 320 px. */

const ids = {
  customer: "",
  invoice: "",
  quote: "",
  link: "",
  transfer: "",
  payment: "",
  mandate: "",
  batch: "",
  mail: "",
};
const dashboard = setUpDashboardPages(async (shop) => {
  const text = "<script>alert(1)</script> مرحبا 👋 ";
  const customer = await shop.post<{ id: string }>("/customers", {
    company: text.repeat(4).slice(0, 100),
    email: "payer@example.co.za",
  });
  const invoice = await shop.post<{ id: string }>("/invoices", {
    customerId: customer.body.id,
    lines: [{ description: text.repeat(20), quantity: 1, unitPrice: 100 }],
  });
  await shop.post(`/invoices/${invoice.body.id}/send`, {});
  const quote = await shop.post<{ id: string }>("/quotes", {
    customerId: customer.body.id,
    lineItems: [{ description: text.repeat(20), quantity: 1, unitPrice: 100 }],
  });
  Object.assign(ids, { customer: customer.body.id, invoice: invoice.body.id, quote: quote.body.id });
  Object.assign(ids, await collections(shop, customer.body.id, text));
  const link = await shop.post<{ id: string }>("/payment-links", { title: text.repeat(2), amount: 100 });
  Object.assign(ids, { link: link.body.id });
  for (const [name, id] of Object.entries(ids)) assert.ok(id, `no ${name} was made`);
});

/** What comes by bank, and a mail. */
async function collections(shop: ApiMerchant, customerId: string, text: string) {
  await addTransfers(shop);
  await shop.addGateway({ name: text.slice(0, 100) });
  const order = await addOrder(shop, { description: text.repeat(3).slice(0, 255), customer: { id: customerId } });
  await upload(shop, order.id, { field: "file", name: `${text}.png`, type: "image/png", bytes: pngOf(40, 30) });
  const bank = { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" };
  const terms = { authority: "offline", confirmOfflineMandate: true, debitDay: 5, description: text };
  const mandate = await shop.post<{ id: string; nextDebitDate: string }>("/mandates", {
    customerId,
    bank,
    amount: 350.5,
    ...terms,
  });
  const staff = await shop.signIn();
  const made = await staff<{ id: string }>("POST", "/debit-batches", { actionDate: mandate.body.nextDebitDate });
  const mails = await staff<{ data: { id: string }[] }>("GET", "/emails");
  return {
    transfer: order.id,
    payment: order.reference,
    mandate: mandate.body.id,
    batch: made.body.id,
    mail: mails.body.data[0]?.id,
  };
}

const addresses = () => [
  "/",
  "/customers",
  "/customers?q=nobody-has-this-name",
  "/customers/new",
  `/customers/${ids.customer}`,
  `/customers/${ids.customer}/edit`,
  "/invoices",
  "/invoices/new",
  `/invoices/${ids.invoice}`,
  "/invoices/inv_unknown",
  "/quotes",
  "/quotes/new",
  `/quotes/${ids.quote}`,
  `/quotes/${ids.quote}/edit`,
  "/payment-links",
  "/payment-links/new",
  `/payment-links/${ids.link}`,
  "/transactions",
  `/transactions/${ids.payment}`,
  "/transactions/TEFO-20260101-00000000",
  "/eft-orders",
  "/eft-orders/new",
  `/eft-orders/${ids.transfer}`,
  "/mandates",
  "/mandates/new",
  `/mandates/${ids.mandate}`,
  "/debit-batches",
  `/debit-batches/${ids.batch}`,
  "/gateways/new?type=payfast",
  "/emails",
  `/emails/${ids.mail}`,
  "/no-such-page",
];

everyPageLooksRight(dashboard, addresses, async (page) => {
  await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices/${ids.invoice}`);
  await page.getByRole("button", { name: "Record payment" }).click();
  await page.getByRole("dialog").getByText("What will happen").waitFor();
  await looksRight(page, "a dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").locator("input").fill("payer@");
  await page.getByRole("dialog").getByText("INV-000001").waitFor();
  await looksRight(page, "the search");
});
