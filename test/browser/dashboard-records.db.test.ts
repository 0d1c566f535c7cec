import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpDashboardPages } from "../support/dashboard-pages.ts";

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
    name: "A month",
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
  const tile = page.getByRole("link", { name: /^Debit batch of/ });
  await tile.getByText("1 debit, of which about 0 may be unpaid").waitFor();
  await page.getByRole("region", { name: "Subscriptions" }).getByText("in the last 30 days").waitFor();
  await page
    .getByRole("link", { name: /^Webhooks that failed/ })
    .getByText("in the last 30 days")
    .waitFor();
  await tile.click();
  await page.getByRole("region", { name: "Forecast" }).waitFor();
});

test("each figure of home leads to a list of exactly the records that it counts", async (t) => {
  const page = await dashboard.open(t, "/");
  const tiles = page.locator("a.tefo-tile");
  await tiles.first().waitFor();
  const figures = await tiles.evaluateAll((links: { textContent: string; href: string }[]) =>
    links.map(({ textContent, href }) => ({ text: textContent, href })),
  );
  assert.ok(figures.length >= 18, `${figures.length} figures`);
  const told: string[] = [];
  for (const { text, href } of figures) {
    if (/^Debit batch/.test(text)) continue;
    await page.goto(href);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const busy = page.locator("[aria-busy=true]");
    while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
    const shown = await page.locator("[data-record]").count();
    const counted = /(\d+) (?:payment|invoice|transfer|debit|subscription)s?$/.exec(text)?.[1] ?? "0";
    const title = await page.getByRole("heading", { level: 1 }).textContent();
    told.push(`${text}: ${shown} in ${title}`);
    assert.equal(shown, Number(counted), text);
    if (shown === 0) await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
  }
  assert.ok(
    told.some((one) => /^New.*: 1 in/.test(one)) && told.some((one) => /^Outstanding.*: 1 in/.test(one)),
    told.join("\n"),
  );
});

test("a note is written on a product once and deleted; who did not write it and may not is shown no button", async (t) => {
  const staff = await dashboard.shop.signIn();
  const product = await staff<{ id: string }>("POST", "/products", { name: "Planks", amount: 10 });
  const page = await dashboard.open(t, `/products/${product.body.id}`);
  await page.getByRole("textbox", { name: "Note" }).fill("Out of stock until May");
  await page.getByRole("button", { name: "Add the note" }).dblclick();
  const note = page.locator("[data-kind=note]");
  await note.getByText("Out of stock until May").waitFor();
  assert.deepEqual(await notes(), [{ text: "Out of stock until May" }]);
  const support = await dashboard.open(t, `/products/${product.body.id}`, { role: "support" });
  await support.locator("[data-kind=note]").getByText("Out of stock until May").waitFor();
  assert.equal(await support.getByRole("button", { name: "Delete the note" }).count(), 0);
  await note.getByRole("button", { name: "Delete the note" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the note" }).click();
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
  await dialog.getByRole("checkbox", { name: "Mail it to t@example.co.za" }).uncheck();
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
  await page.getByText("QUO-000001 is a draft.").waitFor();
  await page.locator("main .tefo-status").getByText("Draft", { exact: true }).waitFor();
});
