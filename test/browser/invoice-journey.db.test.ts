import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";

/*
 * From a quote to a paid invoice, through every interface: the merchant's system, the customer's browser, staff, and a
 * receiver of webhooks. A part is paid by card, the rest by bank transfer with a photographed proof.
 */

interface Told {
  readonly id: string;
  readonly type: string;
}

/** A server that collects webhooks. */
async function openReceiver(t: TestContext): Promise<{ url: string; told: Told[] }> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    text(request).then((body) => {
      told.push(JSON.parse(body));
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told };
}

async function openShop(t: TestContext): Promise<{ api: TestApi; shop: ApiMerchant; staff: StaffCall }> {
  const api = await openApi({ PROCESS: "all" });
  t.after(() => api.close());
  const shop = await api.addMerchant();
  const staff = await shop.signIn("owner");
  await shop.addGateway({ name: "Card" });
  await shop.addGateway({
    type: "manual_eft",
    name: "Bank transfer",
    credentials: {
      bankName: "Karoo Bank",
      accountName: "Karoo Books (Pty) Ltd",
      accountNumber: "62000000001",
      branchCode: "250655",
    },
  });
  const branding = {
    companyName: "Karoo Books (Pty) Ltd",
    address: "1 Long Street\nCape Town",
    vatNumber: "4123456789",
  };
  assert.equal((await staff("PATCH", "/settings", { branding })).status, 200);
  return { api, shop, staff };
}

/** Waits until `look` answers something: the worker runs in the background. */
async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
  return assert.fail(`never: ${what}`);
}

const byType = (told: readonly Told[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { type } of told) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};

test("a quote becomes an invoice that is paid by card and by bank transfer, each thing told once", async (t) => {
  const { api, shop, staff } = await openShop(t);
  const receiver = await openReceiver(t);
  assert.equal((await staff("POST", "/webhook-endpoints", { url: receiver.url, events: ["*"] })).status, 201);
  const page = await openPage(t, { viewport: { width: 375, height: 700 } });
  const mails = async () =>
    (await staff<{ data: { kind: string; text: string; recipients: string[] }[] }>("GET", "/emails?limit=100")).body
      .data;
  const mailed = (kind: string) =>
    eventually(`a mail of kind ${kind}`, async () => (await mails()).find((mail) => mail.kind === kind));
  const pageIn = async (kind: string) =>
    /http:\/\/\S+\/(?:pay|quote|eft)\/\S+/.exec((await mailed(kind)).text)?.[0] ?? assert.fail(`no page in ${kind}`);
  const inspect = async (what: string) => assert.deepEqual(await axeFindings(page), [], what);

  const { body: customer } = await shop.post<{ id: string }>("/customers", {
    externalReference: "shop-17",
    email: "nandi@example.co.za",
    firstName: "Nandi",
  });
  const quote = await shop.post<{ id: string; number: string }>("/quotes", {
    customerExternalReference: "shop-17",
    lineItems: [{ description: "Shelves of pine", quantity: 6, unitPrice: 412.5 }],
    send: true,
  });
  assert.equal(quote.status, 201);

  await page.goto(await pageIn("quote"));
  await inspect("quote");
  await page.getByRole("textbox", { name: "Your full name" }).fill("Thandi Nkosi");
  await page.getByRole("button", { name: "Accept the quote" }).click();
  await page.getByText("accepted").first().waitFor();

  const converted = await shop.post<{ invoice: { id: string; total: number } }>(
    `/quotes/${quote.body.number}/convert`,
    {},
  );
  const { id, total } = converted.body.invoice;
  assert.deepEqual([converted.status, total], [201, 2846.25]);
  const sent = await shop.post<{ status: string; payUrl: string }>(`/invoices/${id}/send`, undefined);
  assert.equal(sent.body.status, "sent");
  assert.equal(await pageIn("invoice"), sent.body.payUrl);

  await page.goto(sent.body.payUrl);
  await inspect("invoice");
  await page.getByText("Pay a part of it").click();
  await page.getByLabel("Amount to pay now").fill("1 000,50");
  await page.getByLabel("Card").check();
  await page.getByRole("button", { name: "Pay this part" }).click();
  await page.waitForURL("**/sandbox-gateway/**");
  await page.getByRole("button", { name: "Pay", exact: false }).first().click();
  await page.waitForURL("**/result/**");
  const part = await eventually("the first part is in", async () => {
    const { body } = await shop.get<{ status: string; amountDue: number; payUrl: string }>(`/invoices/${id}`);
    return body.status === "partially_paid" && body;
  });
  assert.deepEqual([part.amountDue, part.payUrl], [1845.75, sent.body.payUrl]);

  await page.goto(sent.body.payUrl);
  await page.getByLabel("Bank transfer").check();
  await page.getByRole("button", { name: "Pay R" }).click();
  await page.waitForURL("**/eft/**");
  await inspect("bank details");
  const photo = await page.screenshot({ type: "jpeg" });
  await page.getByLabel("Proof of payment").setInputFiles({ name: "IMG_1.jpg", mimeType: "image/jpeg", buffer: photo });
  await page.getByRole("button", { name: "Send proof" }).click();
  await page.getByRole("heading", { name: "Your proof is being checked" }).waitFor();

  const { body: orders } = await staff<{ data: { id: string; status: string; amount: number; reference: string }[] }>(
    "GET",
    "/eft-orders",
  );
  const [order] = orders.data;
  assert.deepEqual([orders.data.length, order?.status, order?.amount], [1, "awaiting_review", 1845.75]);
  assert.equal((await staff("POST", `/eft-orders/${order?.id}/approve`, {})).status, 200);

  const paid = (await shop.get<{ status: string; amountDue: number; payUrl: null }>(`/invoices/${id}`)).body;
  assert.deepEqual([paid.status, paid.amountDue, paid.payUrl], ["paid", 0, null]);
  const transfer = await shop.get<{ status: string; type: string; invoice: { status: string } }>(
    `/transactions/${order?.reference}`,
  );
  assert.deepEqual(
    [transfer.body.status, transfer.body.type, transfer.body.invoice.status],
    ["complete", "invoice", "paid"],
  );
  const standing = await shop.get<{ status: string; balance: number; credit: number }>(
    `/customers/${customer.id}/standing`,
  );
  assert.deepEqual([standing.body.status, standing.body.balance, standing.body.credit], ["good", 0, 0]);

  const expected = {
    "customer.created": 1,
    "quote.created": 1,
    "quote.sent": 1,
    "quote.accepted": 1,
    "quote.invoiced": 1,
    "invoice.created": 1,
    "invoice.sent": 1,
    "customer.standing.changed": 2,
    "payment.complete": 2,
    "invoice.partially_paid": 1,
    "eft.proof_received": 1,
    "invoice.paid": 1,
  };
  const all = Object.values(expected).reduce((sum, count) => sum + count, 0);
  await eventually("every webhook", async () => receiver.told.length >= all);
  await sleep(300);
  assert.deepEqual(byType(receiver.told), expected);
  assert.equal(new Set(receiver.told.map((told) => told.id)).size, receiver.told.length);

  await eventually("two receipts", async () => (await mails()).filter(({ kind }) => kind === "receipt").length === 2);
  const kinds = (await mails())
    .filter(({ recipients }) => recipients.includes("nandi@example.co.za"))
    .map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ["invoice", "quote", "receipt", "receipt"]);

  for (const path of [`/quotes/${quote.body.number}/pdf`, `/invoices/${id}/pdf`]) {
    const file = await shop.get(path);
    assert.deepEqual(
      [file.status, file.headers["content-type"], file.text.slice(0, 5)],
      [200, "application/pdf", "%PDF-"],
    );
  }
  for await (const { faults } of verifyOrganisation(api.services, shop.organisation, EXAMINATIONS))
    assert.deepEqual(faults, []);
});
