import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { setUpDashboardPages } from "../support/dashboard-pages.ts";
import { temporaryFolder } from "../support/processes.ts";

/* What the pages of records have in common: notes, a long history, what belongs to a customer, actions on many at once. */

const ids = { customer: "", mandate: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  ids.customer = customer.body.id;
  await shop.addGateway();
  const mandate = await shop.post<{ id: string; accountReference: string; nextDebitDate: string }>("/mandates", {
    customerId: ids.customer,
    bank: { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" },
    amount: 350.5,
    debitDay: 5,
    authority: "offline",
    confirmOfflineMandate: true,
  });
  assert.equal(mandate.status, 201, mandate.text);
  ids.mandate = mandate.body.id;
  const staff = await shop.signIn();
  const gym = await staff<{ id: string }>("POST", "/packages", { name: "Gym" });
  await staff("POST", `/packages/${gym.body.id}/plans`, {
    name: "MRR change",
    code: "month",
    amount: 100,
    frequency: "monthly",
  });
  const subscribed = await shop.post("/customer-subscriptions", {
    customer: { id: ids.customer },
    plan: "month",
    collectionMethod: "invoice",
  });
  assert.equal(subscribed.status, 201, subscribed.text);
  const batch = await staff("POST", "/debit-batches", { actionDate: mandate.body.nextDebitDate });
  assert.equal(batch.status, 201, batch.text);
});

const notes = () => dashboard.api.query<{ text: string }>("select text from notes order by id");

test("home shows the next batch with its forecast, and says of which days its figures are", async (t) => {
  const page = await dashboard.open(t, "/");
  const expected = page.getByRole("region", { name: "Expected" });
  await expected.getByText("1 debit, of which about 0 may be unpaid").waitFor();
  await page.getByRole("region", { name: "Monthly recurring revenue" }).getByText("in the last 30 days").waitFor();
  await page.getByRole("region", { name: "Problems" }).getByText("No problems in the last 30 days").waitFor();
  await expected.getByRole("link", { name: /^Debit batch of/ }).click();
  await page.getByRole("region", { name: "Unpaid debits in 90 days" }).waitFor();
});

test("each figure of home leads to a list of exactly the records that it counts", async (t) => {
  const page = await dashboard.open(t, "/");
  const links = page.locator("main a[data-count]");
  await links.first().waitFor();
  const figures = await links.evaluateAll(
    (found: { textContent: string; href: string; dataset: { count: string } }[]) =>
      found.map(({ textContent, href, dataset }) => ({ text: textContent, href, count: Number(dataset.count) })),
  );
  assert.ok(figures.length >= 3, `${figures.length} figures`);
  const told: string[] = [];
  for (const { text, href, count } of figures) {
    await page.goto(href);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const busy = page.locator("[aria-busy=true]");
    while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
    const shown = await page.locator("[data-record]").count();
    const title = await page.getByRole("heading", { level: 1 }).textContent();
    told.push(`${text}: ${shown} in ${title}`);
    assert.equal(shown, count, text);
    assert.ok(count > 0, `${text}: what there is none of is not shown`);
  }
  assert.ok(
    told.some((one) => /^New.*: 1 in/.test(one)) && told.some((one) => /^Outstanding.*: 1 in/.test(one)),
    told.join("\n"),
  );
});

/** What the focused time shows below it, which is its title; null for anything else. */
const UTC_SHOWN = `(() => {
  const { content } = getComputedStyle(document.activeElement, "::after");
  return document.activeElement.matches("time") && content !== "none" ? document.activeElement.title : null;
})()`;

test("a time is South African, and UTC is told under the pointer and to who comes by keyboard", async (t) => {
  await dashboard.api.query("update customers set created_at = '2026-11-03T22:05:09Z' where id = $1", ids.customer);
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const time = page.locator("dl time").getByText("4 Nov 2026, 00:05", { exact: true });
  await time.waitFor();
  const utc = "2026-11-03 22:05:09 UTC";
  assert.equal(await time.getAttribute("title"), utc);
  assert.equal(await page.evaluate("getComputedStyle(document.querySelector('dl time'), '::after').content"), "none");
  await page.locator("#content").focus();
  for (let pressed = 0; pressed < 50 && (await page.evaluate(UTC_SHOWN)) !== utc; pressed++)
    await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(UTC_SHOWN), utc);
});

test("a note is written on a product once and deleted; who did not write it and may not is shown no button", async (t) => {
  const staff = await dashboard.shop.signIn();
  const product = await staff<{ id: string }>("POST", "/products", { name: "Planks", amount: 10 });
  const page = await dashboard.open(t, `/products/${product.body.id}`);
  await page.getByRole("textbox", { name: "Note" }).fill("Out of stock until May");
  await page.getByRole("button", { name: "Add note" }).dblclick();
  const note = page.locator("[data-kind=note]");
  await note.getByText("Out of stock until May").waitFor();
  assert.deepEqual(await notes(), [{ text: "Out of stock until May" }]);
  const support = await dashboard.open(t, `/products/${product.body.id}`, { role: "support" });
  await support.locator("[data-kind=note]").getByText("Out of stock until May").waitFor();
  assert.equal(await support.getByRole("button", { name: "Delete note" }).count(), 0);
  await note.getByRole("button", { name: "Delete note" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete note" }).click();
  await note.waitFor({ state: "detached" });
  assert.deepEqual(await notes(), []);
});

test("a history of more than fifty entries is shown to its beginning", async (t) => {
  const staff = await dashboard.shop.signIn();
  for (let i = 1; i <= 55; i++) await staff("POST", "/notes", { subject: ids.customer, text: `Call ${i}` });
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const entry = (text: string) => page.locator("[data-kind=note]").getByText(text, { exact: true });
  await entry("Call 55").waitFor();
  assert.equal(await entry("Call 1").count(), 0);
  await page.getByRole("button", { name: "Show what was before" }).click();
  await entry("Call 1").waitFor();
  await entry("Call 55").waitFor();
  assert.equal(await page.getByRole("button", { name: "Show what was before" }).count(), 0);
});

test("the page of a customer leads to what there is of them, and makes a link to their portal", async (t) => {
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Portal link" }).click();
  await dialog.getByRole("checkbox", { name: "Email it to t@example.co.za" }).uncheck();
  await dialog.getByRole("button", { name: "Portal link" }).click();
  const portal = String(await dialog.locator("code").textContent());
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const payer = await page.context().newPage();
  await payer.goto(portal);
  await payer.getByText("Nkosi Timber").first().waitFor();
  assert.equal(await page.getByRole("region", { name: "Quotes" }).count(), 0, "there is none");
  await page.getByRole("region", { name: "Mandates" }).getByRole("link").click();
  await page.getByText("T Nkosi").first().waitFor();
});

test("a mandate is cancelled with a reason, which its history keeps", async (t) => {
  const page = await dashboard.open(t, `/mandates/${ids.mandate}`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Closed the account");
  await dialog.getByRole("button", { name: "Cancel" }).dblclick();
  await page.locator("[data-kind=note]").getByText("Cancelled: Closed the account").waitFor();
  await page.locator("main .tefo-status").getByText("Cancelled", { exact: true }).first().waitFor();
});

test("chosen quotes are sent together after a preview, each once; a sent one goes back to draft", async (t) => {
  const { api, shop } = dashboard;
  const lineItems = [{ description: "Planks", quantity: 2, unitPrice: 50 }];
  const without = await shop.post<{ id: string }>("/customers", { company: "Nobody's Mill" });
  for (const customerId of [ids.customer, ids.customer, without.body.id])
    assert.equal((await shop.post("/quotes", { customerId, lineItems })).status, 201);
  const page = await dashboard.open(t, "/quotes");
  await page.getByText("Nobody's Mill").waitFor();
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  await page.getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 customer mails with a quote each").waitFor();
  await dialog.getByText("1 record of the selection").waitFor();
  const statuses = "select status, count(*)::int as n from quotes group by status order by status";
  assert.deepEqual(await api.query(statuses), [{ status: "draft", n: 3 }]);
  await dialog.getByRole("button", { name: "Send", exact: true }).dblclick();
  await dialog.getByText("2 records done").waitFor();
  assert.deepEqual(await api.query(statuses), [
    { status: "draft", n: 1 },
    { status: "sent", n: 2 },
  ]);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("link", { name: "QUO-000001" }).click();
  await page.getByRole("button", { name: "Back to draft" }).click();
  await dialog.getByRole("button", { name: "Back to draft" }).click();
  await page.getByText("QUO-000001 moved back to draft").waitFor();
  await page.locator("main .tefo-status").getByText("Draft", { exact: true }).waitFor();
});

/** The lines of the file that the list's export is kept as, without the headings. */
async function exported(t: TestContext, page: Page): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  const kept = join(await temporaryFolder(t), "list.csv");
  await download.saveAs(kept);
  const text = await readFile(kept, "utf8");
  return text.trim().split("\r\n").slice(1);
}

test("lists are searched by customer and by debit, name the customer, and are kept as a file of what is found", async (t) => {
  const page = await dashboard.open(t, "/subscription-movements");
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
  const search = page.getByRole("searchbox");
  await search.fill("timber");
  await page.waitForURL(/q=timber/);
  await page.locator("[data-record]").getByText("Nkosi Timber").waitFor();
  assert.equal((await exported(t, page)).length, 1);
  await search.fill("nobody");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  assert.deepEqual(await exported(t, page), []);
  const [debit] = await dashboard.api.query<{ reference: string }>(
    "select reference from transactions where type = 'debit_order'",
  );
  await page.goto(`${dashboard.api.baseUrl}/dashboard/debit-batches?q=${debit?.reference}`);
  await page.locator("[data-record]").first().waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("Submitted");
  await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices`);
  await page.locator("[data-record]").first().getByText("Nkosi Timber").waitFor();
  assert.equal(await page.getByText("t@example.co.za").count(), 0);
});

test("chosen invoices are cancelled together with a reason; what came of it is told when the list shows them no longer", async (t) => {
  const { api, shop } = dashboard;
  const lines = [{ description: "Planks", quantity: 1, unitPrice: 40, taxRate: 0 }];
  const of = { customerId: ids.customer, lines };
  for (const externalReference of ["twice-1", "twice-2"])
    assert.equal((await shop.post("/invoices", { ...of, externalReference })).status, 201);
  const page = await dashboard.open(t, "/invoices?status=draft");
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Cancel invoices" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 invoices over R\u00a080.00 together are written off").waitFor();
  const confirm = dialog.getByRole("button", { name: "Cancel invoices" });
  await confirm.click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Made twice");
  await confirm.dblclick();
  await dialog.getByText("2 records done").waitFor();
  await page.getByText("Nothing matches").waitFor();
  await dialog.getByText("2 records done").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  assert.deepEqual(
    await api.query("select status, notes from invoices where external_reference like 'twice-%'"),
    Array(2).fill({ status: "cancelled", notes: "Cancelled: Made twice" }),
  );
});

test("the pay links of invoices are left as they are when links are deactivated, and one fault stops no other", async (t) => {
  const { api, shop } = dashboard;
  for (const title of ["Deposit", "Balance"])
    assert.equal((await shop.post("/payment-links", { title, amount: 10 })).status, 201);
  const active = async () =>
    (await api.query<{ title: string }>("select title from payment_links where active order by title")).map(
      ({ title }) => title,
    );
  const invoices = (await active()).filter((title) => title.startsWith("Invoice"));
  assert.ok(invoices.length > 0, "an invoice has a pay link");
  const page = await dashboard.open(t, "/payment-links");
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  // Somebody else deletes what was chosen, so that the API refuses it.
  await page.route("**/payment-links/*/deactivate", (route) =>
    route.request().url().includes(refused) ? route.fulfill({ status: 404, json: NOT_FOUND }) : route.continue(),
  );
  const [balance] = await api.query<{ id: string }>("select id from payment_links where title = 'Balance'");
  const refused = String(balance?.id);
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 payment links can no longer be paid").waitFor();
  await dialog.getByText(/of the selection cannot be changed so/).waitFor();
  await dialog.getByRole("button", { name: "Deactivate", exact: true }).click();
  await dialog.getByText("1 record done").waitFor();
  await dialog.getByText("Balance: ").waitFor();
  assert.deepEqual(await active(), ["Balance", ...invoices]);
  await page.goto(`${api.baseUrl}/dashboard/payment-links?q=Invoice`);
  await page.getByRole("link", { name: invoices[0] ?? "" }).click();
  await page.getByText("Can be paid by", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Deactivate" }).click();
  await dialog.getByText("The invoice can no longer be paid online.").waitFor();
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("Link deactivated").waitFor();
  assert.deepEqual(await active(), ["Balance", ...invoices.slice(1)]);
});

const NOT_FOUND = { error: "not_found", message: "No payment link has this id." };

test("chosen products are disabled and enabled together; who may only look chooses nothing and exports nothing", async (t) => {
  const { api, shop } = dashboard;
  const staff = await shop.signIn();
  for (const name of ["Nails", "Screws"]) await staff("POST", "/products", { name, amount: 5 });
  const enabled = "select count(*) filter (where enabled)::int as on from products where name in ('Nails', 'Screws')";
  const page = await dashboard.open(t, "/products?q=s");
  await page.getByRole("link", { name: "Nails" }).waitFor();
  for (const [label, on] of [
    ["Disable", 0],
    ["Enable", 2],
  ] as const) {
    for (const name of ["Nails", "Screws"]) await page.getByRole("row", { name }).getByRole("checkbox").check();
    await page.getByRole("button", { name: label, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`2 products are ${label.toLowerCase()}d.`).waitFor();
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText("2 records done").waitFor();
    assert.deepEqual(await api.query(enabled), [{ on }]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
  }
  const viewer = await dashboard.open(t, "/products", { role: "viewer" });
  await viewer.getByRole("link", { name: "Nails" }).waitFor();
  assert.equal(await viewer.getByRole("checkbox", { name: /^Select/ }).count(), 0);
  assert.equal(await viewer.getByRole("button", { name: "Export" }).count(), 0);
});

test("what is chosen is paused, resumed, cancelled, deactivated and activated, each with what the API keeps of it", async (t) => {
  const { api, shop } = dashboard;
  const mandate = await shop.post<{ id: string }>("/mandates", {
    customerId: ids.customer,
    bank: { branchCode: "250655", accountNumber: "62900417702", accountHolder: "T Nkosi" },
    amount: 20,
    debitDay: 5,
    authority: "offline",
    confirmOfflineMandate: true,
  });
  assert.equal(mandate.status, 201, mandate.text);
  const page = await dashboard.open(t, "/customers");
  const status = (table: string) => `select status from ${table} order by id desc limit 1`;
  const active = "select active::text as status from customers order by id desc limit 1";
  const cancels = "select state ->> 'cancelAtPeriodEnd' as status from customer_subscriptions";
  for (const [path, label, what, query, is] of [
    ["/mandates?q=350.50", "Pause", "", status("mandates"), "active"],
    ["/mandates", "Pause", "Of 1 mandate, over R\u00a020.00 together", status("mandates"), "paused"],
    ["/mandates", "Resume", "1 mandate is debited again", status("mandates"), "active"],
    ["/mandates", "Cancel mandates", "nothing is debited any more", status("mandates"), "cancelled"],
    ["/customer-subscriptions", "Pause", "Of 1 subscription nothing", status("customer_subscriptions"), "paused"],
    ["/customer-subscriptions", "Resume", "Billing of 1 subscription", status("customer_subscriptions"), "active"],
    ["/customer-subscriptions", "Cancel subscriptions", "1 subscription runs until", cancels, "true"],
    ["/customers?q=nobody", "Deactivate", "1 customer becomes inactive", active, "false"],
    ["/customers?q=nobody", "Activate", "1 customer becomes active", active, "true"],
  ] as const) {
    await page.goto(`${api.baseUrl}/dashboard${path}`);
    await page.getByRole("checkbox", { name: "Select all of this page" }).check();
    await page.getByRole("button", { name: label, exact: true }).click();
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: label, exact: true });
    if (what === "") {
      await dialog.getByText("cannot be changed so").waitFor();
      assert.equal(await confirm.isDisabled(), true);
    } else {
      await dialog.getByText(what).waitFor();
      const reason = dialog.getByRole("textbox", { name: "Reason" });
      if ((await reason.count()) > 0) await reason.fill(`Why: ${label}`);
      await confirm.click();
      await dialog.getByText("1 record done").waitFor();
    }
    assert.deepEqual(await api.query(query), [{ status: is }], `${path} ${label}`);
  }
  const texts = (await notes()).map(({ text }) => text);
  for (const text of ["Cancelled: Why: Cancel mandates", "Paused: Why: Pause", "Resumed: Why: Resume"])
    assert.ok(texts.includes(text), texts.join("; "));
  assert.deepEqual(await api.query("select cancel_reason from customer_subscriptions"), [
    { cancel_reason: "Why: Cancel subscriptions" },
  ]);
});
