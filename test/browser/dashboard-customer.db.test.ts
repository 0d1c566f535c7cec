import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { addCard, type CardShop, MASTERCARD, VISA } from "../support/cards.ts";
import { everyPageLooksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { temporaryFolder } from "../support/processes.ts";

/* A customer's saved cards, and what is held of the person. */

const ids = { customer: "", erased: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const account = await shop.addGateway();
  const staff = await shop.signIn();
  const add = async (company: string) => {
    const made = await shop.post<{ id: string }>("/customers", { company, email: "t@example.co.za" });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  Object.assign(ids, { customer: await add("<b>Nkosi</b> مرحبا 👋"), erased: await add("Erasmus") });
  const { api } = dashboard;
  const stage: CardShop = { api, shop, account, staff, customer: ids.customer, move: async () => ({}) };
  await addCard(stage, MASTERCARD);
  await addCard(stage, VISA, { body: { makeDefault: false } });
  const lines = [{ description: "Planks", quantity: 1, unitPrice: 100 }];
  const sent = await shop.post<{ id: string; total: number }>("/invoices", {
    customerId: ids.erased,
    lines,
    send: true,
  });
  await shop.post(`/invoices/${sent.body.id}/payments`, { amount: sent.body.total, method: "eft" });
  assert.equal((await staff("POST", `/customers/${ids.erased}/erase`)).status, 200);
});

everyPageLooksRight(dashboard, () => [`/customers/${ids.customer}`, `/customers/${ids.erased}`]);

test("a saved card is charged once, and its charge is a payment", async (t) => {
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const card = page.getByRole("row", { name: /Mastercard ending in 4444/ });
  await card.getByRole("button", { name: "Charge" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Amount" }).fill("125.50");
  await dialog.getByRole("textbox", { name: "Description" }).fill("Membership");
  await dialog.getByRole("button", { name: "Charge" }).click();
  await dialog.getByText("Enter a reference that no other charge has").waitFor();
  await dialog.getByRole("textbox", { name: "Your reference" }).fill("M-2026-11");
  await dialog.getByText("R 125.50 from the Mastercard ending in 4444", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Charge" }).dblclick();
  await dialog.getByRole("link", { name: /^TEFO/ }).click();
  await page.getByRole("heading", { name: /^TEFO/ }).waitFor();
  await page.getByText("R 125.50").first().waitFor();
  const charges = await dashboard.api.query(
    "select amount_cents::int as cents, description from transactions where external_reference = 'M-2026-11'",
  );
  assert.deepEqual(charges, [{ cents: 12550, description: "Membership" }]);
});

test("another card becomes the default, is removed, and a link is made to add one", async (t) => {
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const visa = page.getByRole("row", { name: /Visa ending in 4242/ });
  const dialog = page.getByRole("dialog");
  const cards = "select last4, status, is_default from cards where status <> 'removed' order by last4";
  await visa.getByRole("button", { name: "Set as default" }).click();
  await dialog.getByRole("button", { name: "Set as default" }).dblclick();
  await page.getByText("The Visa ending in 4242 is the default card.").waitFor();
  assert.deepEqual(await dashboard.api.query(cards), [
    { last4: "4242", status: "active", is_default: true },
    { last4: "4444", status: "active", is_default: false },
  ]);
  await visa.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).dblclick();
  await visa.waitFor({ state: "detached" });
  assert.deepEqual(await dashboard.api.query(cards), [{ last4: "4444", status: "active", is_default: true }]);
  const setups = async () => (await dashboard.api.query("select 1 from card_setups")).length;
  const before = await setups();
  await page.getByRole("button", { name: "Add a card" }).click();
  await dialog.getByRole("button", { name: "Add a card" }).dblclick();
  const url = await dialog.locator("code").textContent();
  assert.equal(await setups(), before + 1);
  await page.goto(String(url));
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal((await page.getByText("R 1.00").count()) > 0, true);
});

test("what is held of a person is handed over; erasing is refused while an invoice is open, and done once", async (t) => {
  const { api, shop } = dashboard;
  const made = await shop.post<{ id: string; accountCode: string }>("/customers", {
    company: "Zanelesentinel",
    email: "z@sentinel.example",
  });
  const { id, accountCode } = made.body;
  const lines = [{ description: "Saw", quantity: 1, unitPrice: 100 }];
  const invoice = await shop.post<{ id: string; number: string }>("/invoices", { customerId: id, lines, send: true });
  const page = await dashboard.open(t, `/customers/${id}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export data" }).click(),
  ]);
  const file = join(await temporaryFolder(t), "archive.zip");
  await download.saveAs(file);
  assert.equal(String((await readFile(file)).subarray(0, 2)), "PK");
  await page.getByRole("button", { name: "Erase" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Erase" }).click();
  await dialog.getByText(`Type ${accountCode}.`).waitFor();
  await dialog.getByRole("textbox").fill(accountCode);
  await dialog.getByRole("button", { name: "Erase" }).click();
  await dialog.getByRole("alert").getByText(invoice.body.number, { exact: false }).waitFor();
  const erasures = async () => (await api.query("select 1 from erasures where customer_id = $1", id)).length;
  assert.equal(await erasures(), 0);
  assert.equal((await shop.post(`/invoices/${invoice.body.id}/cancel`, {})).status, 200);
  await dialog.getByRole("button", { name: "Erase" }).dblclick();
  await page.getByRole("table", { name: "What is kept" }).getByText("Tax documents").waitFor();
  assert.equal(await page.getByRole("button", { name: "Erase" }).count(), 0);
  // What the API would refuse is not offered any more.
  await page.getByRole("link", { name: "New invoice" }).waitFor({ state: "detached" });
  for (const name of ["New invoice", "Edit", "New credit note"])
    assert.equal(await page.getByRole("link", { name, exact: true }).count(), 0, name);
  for (const name of ["Add a card", "Send portal link"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  assert.equal(await page.getByText("Zanelesentinel").count(), 0);
  assert.equal(await erasures(), 1);
});

test("an inactive customer's page offers no new invoice, card or charge, which the API refuses", async (t) => {
  const { shop } = dashboard;
  const activate = async (active: boolean) =>
    assert.equal(
      (
        await shop.call("PATCH", `/customers/${ids.customer}`, {
          body: { active, ...(!active && { onActive: "keep" }) },
        })
      ).status,
      200,
    );
  await activate(false);
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const card = page.getByRole("row", { name: /Mastercard ending in 4444/ });
  await card.getByRole("button", { name: "Remove" }).waitFor();
  await page.getByRole("link", { name: "New credit note" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "New invoice" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Add a card" }).count(), 0);
  assert.equal(await card.getByRole("button", { name: "Charge" }).count(), 0);
  await activate(true);
  await page.reload();
  await card.getByRole("button", { name: "Charge" }).waitFor();
  await page.getByRole("link", { name: "New invoice" }).waitFor();
});

test("who deactivates a customer is asked what becomes of what is running", async (t) => {
  const { shop, api } = dashboard;
  const { body: customer } = await shop.post<{ id: string }>("/customers", { company: "Hlabisa Gym" });
  const { body: sold } = await shop.post<{ id: string }>("/packages", { name: "Gym" });
  const plan = { name: "Monthly", amount: 200, frequency: "monthly" };
  const { body: made } = await shop.post<{ id: string }>(`/packages/${sold.id}/plans`, plan);
  const subscribed = await shop.post("/customer-subscriptions", {
    customer: { id: customer.id },
    planId: made.id,
    collectionMethod: "invoice",
  });
  assert.equal(subscribed.status, 201, subscribed.text);
  const page = await dashboard.open(t, `/customers/${customer.id}/edit`);
  await page.getByRole("switch", { name: "Active" }).click({ force: true });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("The customer has 1 subscription running", { exact: false }).waitFor();
  await page.getByRole("combobox", { name: "Running subscriptions and mandates" }).selectOption("Cancel them now");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.locator("dl").getByText("Nothing new is created", { exact: false }).waitFor();
  const now =
    "select c.active, s.status from customers c join customer_subscriptions s on s.customer_id = c.id where c.id = $1";
  assert.deepEqual(await api.query(now, customer.id), [{ active: false, status: "cancelled" }]);
});

/** Buttons that change nothing. */
const LOOKING = /^(Calendar|Copy|Columns|PDF|CSV)/;

test("who may only look is shown no button and no link that changes something", async (t) => {
  const page = await dashboard.open(t, "/", { role: "viewer" });
  const changing: string[] = [];
  for (const path of [
    `customers/${ids.customer}`,
    "credit-notes",
    "subscriptions/migrations",
    "debit-batches",
    "gateways",
  ]) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard/${path}`);
    await page.locator("#content :is(h1, h2, [role=alert])").first().waitFor();
    const busy = page.locator("[aria-busy=true]");
    while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
    const names = await page
      .locator("#content button:not([disabled], fieldset[disabled] *), #content a[href$='/new']")
      .evaluateAll((buttons: { getAttribute(name: string): string | null; textContent: string }[]) =>
        buttons.map((button) => (button.getAttribute("aria-label") ?? button.textContent).trim()),
      );
    changing.push(...names.filter((name) => !LOOKING.test(name)).map((name) => `${path}: ${name}`));
  }
  assert.deepEqual(changing, []);
});

test("support is shown neither the charge of a card nor what is held of a person", async (t) => {
  const page = await dashboard.open(t, `/customers/${ids.customer}`, { role: "support" });
  await page.getByRole("button", { name: "Add a card" }).waitFor();
  await page.getByRole("row", { name: /Mastercard/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Charge" }).count(), 0);
  assert.equal(await page.getByRole("region", { name: "Personal data" }).count(), 0);
});
