import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { eventually } from "../support/processes.ts";
import { pngOf } from "../support/uploads.ts";

/* The developers' corner and the settings, by hand in a browser. */

const ids = { endpoint: "", delivery: "", event: "", request: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const staff = await shop.signIn();
  const endpoint = await staff<{ id: string }>("POST", "/webhook-endpoints", { url: "https://shop.example/hook" });
  const event = await staff<{ id: string }>("POST", `/webhook-endpoints/${endpoint.body.id}/test`);
  await shop.addGateway();
  const customer = await shop.post("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const requests = async () => (await staff<{ data: unknown[] }>("GET", "/request-log")).body.data;
  await eventually("the request is in the log", async () => (await requests()).length > 0);
  Object.assign(ids, {
    endpoint: endpoint.body.id,
    event: event.body.id,
    request: String(customer.headers["x-request-id"]),
    delivery: "whd_01m83ea2yczjenzy17sf1ssnww",
  });
  const attempt = {
    at: "2026-11-20T10:00:00.000Z",
    statusCode: 500,
    durationMs: 12,
    error: null,
    responseExcerpt: "<b>out of order</b> مرحبا 👋 ".repeat(20),
  };
  await dashboard.api.query(
    `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, attempts, created_at)
     values ($1, $2, $3, 'endpoint.test', $4, $4, '{}', 'parked', $5, now())`,
    shop.organisation.id,
    ids.delivery,
    ids.event,
    ids.endpoint,
    JSON.stringify([attempt]),
  );
});

test("somebody makes an API key, which is shown once and works, renames it, and revokes it", async (t) => {
  const page = await dashboard.open(t, "/api-keys");
  await page.getByRole("searchbox", { name: "Search API keys", exact: true }).waitFor();
  await page.getByRole("link", { name: "New key" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("The shop's server");
  await page.getByRole("button", { name: "Create key" }).dblclick();
  await page.getByRole("heading", { name: "The key" }).waitFor();
  const key = (await page.locator(".tefo-id code").textContent()) ?? "";
  assert.match(key, /^tefo_[0-9a-f]{8}_/);
  assert.equal((await dashboard.shop.get("/me", { key })).status, 200);
  await page.getByRole("button", { name: "I have saved it" }).click();
  const made = page.getByRole("row", { name: /The shop's server/ });
  await made.waitFor();
  assert.equal(await page.getByText(key).count(), 0);
  const dialog = page.getByRole("dialog");
  await made.getByRole("button", { name: "Edit" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("The till");
  await dialog.getByRole("checkbox", { name: "May charge saved cards" }).check();
  await dialog.getByRole("button", { name: "Edit" }).click();
  await page.getByText("The till updated").waitFor();
  const { body } = await dashboard.shop.get<{ key: { permissions: string[] } }>("/me", { key });
  assert.deepEqual(body.key.permissions, ["charge_saved_cards"]);
  const row = page.getByRole("row", { name: /The till/ });
  await row.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The till revoked").waitFor();
  await row.getByText("Revoked").waitFor();
  assert.equal(await row.getByRole("button").count(), 0, "nothing can be done with a revoked key");
  assert.equal((await dashboard.shop.get("/me", { key })).status, 401);
  const rows = await dashboard.api.query("select id from api_keys where name in ('The shop''s server', 'The till')");
  assert.equal(rows.length, 1, "the second click made no second key");
});

test("somebody makes an endpoint for chosen events, finds a failed webhook and sends it again", async (t) => {
  const page = await dashboard.open(t, "/webhook-endpoints/new");
  await page.getByRole("textbox", { name: "Address", exact: true }).fill("https://shop.example/second");
  await page.getByRole("checkbox", { name: /^All events/ }).uncheck();
  await page.getByRole("checkbox", { name: "payment.complete" }).check();
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByRole("heading", { name: "Its secret" }).waitFor();
  await page.getByText(/^whsec_/).waitFor();
  const [made] = await dashboard.api.query<{ events: string[] }>(
    "select events from webhook_endpoints where url = $1",
    "https://shop.example/second",
  );
  assert.deepEqual(made?.events, ["payment.complete"]);

  await page.goto(`${dashboard.api.baseUrl}/dashboard/webhook-deliveries`);
  await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
  await page.getByRole("combobox", { name: "Endpoint" }).selectOption({ label: "https://shop.example/hook" });
  await page.getByRole("table").getByRole("link", { name: "https://shop.example/hook" }).first().waitFor();
  await page.getByRole("link", { name: "endpoint.test" }).click();
  await page.getByText("out of order").first().waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send again" }).dblclick();
  await page.getByText("Delivery sent").waitFor();
  const [delivery] = await dashboard.api.query<{ status: string }>(
    "select status from webhook_deliveries where id = $1",
    ids.delivery,
  );
  assert.equal(delivery?.status, "pending");
});

test("a developer finds the request that was refused, and from the audit log the one that made a customer", async (t) => {
  const { shop } = dashboard;
  const refused = await shop.post("/invoices?expand=secret", {});
  assert.equal(refused.status, 400);
  const page = await dashboard.open(t, "/request-log?status=4xx");
  const link = page.getByRole("link", { name: "POST /api/v1/invoices" });
  await eventually("it is listed", async () => {
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    return (await page.getByText("400 invalid_request").count()) > 0;
  });
  assert.equal(await page.getByRole("link", { name: "POST /api/v1/customers" }).count(), 0);
  await link.click();
  await page.getByRole("heading", { level: 1, name: "POST /api/v1/invoices" }).waitFor();
  await page.getByText(String(refused.headers["x-request-id"])).first().waitFor();
  assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /secret/);
  await page.getByRole("link", { name: /^tefo_/ }).click();
  await page.getByRole("link", { name: "POST /api/v1/customers" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/audit-log`);
  await page.getByRole("combobox", { name: "User" }).selectOption({ label: "API key test" });
  const change = page.getByRole("row", { name: /API key test Created POST \/customers Nkosi Timber/ });
  await change.waitFor();
  await page.getByRole("row", { name: /owner/ }).first().waitFor({ state: "detached" });
  assert.doesNotMatch((await page.locator("main table").textContent()) ?? "", /cus_|key_|mem_/);
  await change.getByRole("link", { name: "Nkosi Timber" }).click();
  await page.getByRole("heading", { level: 1, name: "Nkosi Timber" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/audit-log?columns=at,action,requestId`);
  await page.getByRole("link", { name: ids.request }).click();
  await page.getByText("201", { exact: true }).waitFor();
});

test("somebody invites a colleague who may only look, changes the role, and withdraws it", async (t) => {
  const page = await dashboard.open(t, "/members");
  await page.getByRole("link", { name: "Invite team member" }).click();
  await page.getByRole("textbox", { name: "Email address" }).fill("lerato@example.co.za");
  await page.getByRole("radio", { name: "Viewer" }).check();
  await page.getByRole("button", { name: "Invite" }).click();
  const row = page.getByRole("row", { name: /lerato@example.co.za/ });
  await row.getByText("Viewer").waitFor();
  await row.getByRole("button", { name: "Cancel invitation" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel invitation" }).click();
  await page.getByText("Invitation cancelled").waitFor();
  await row.waitFor({ state: "detached" });
});

test("somebody changes settings; who may not sees them and cannot", async (t) => {
  const staff = await dashboard.shop.signIn();
  const recurring = { frequency: "monthly" };
  const made = await staff<{ id: string }>("POST", "/products", { name: "Locker", amount: 20, recurring });
  // The picker finds what is not among the newest.
  await dashboard.api.query(
    `insert into products (organisation_id, id, name, amount_cents, currency, tax_rate, tax_inclusive, recurring_frequency, enabled, created_at, updated_at)
     select organisation_id, left(id, 15) || repeat('z', length(id) - 17) || lpad(n::text, 2, '0'), 'Newer ' || n, amount_cents, currency, tax_rate, tax_inclusive,
            recurring_frequency, enabled, created_at, updated_at from products, generate_series(0, 99) n where id = $1`,
    made.body.id,
  );
  const page = await dashboard.open(t, "/settings");
  await section(page, "Customers' portal");
  const addOns = page.getByRole("combobox", { name: "Add-ons that they may add and remove" });
  await addOns.click();
  await page.getByRole("option", { name: "Newer 99" }).waitFor();
  assert.equal(await page.getByRole("option", { name: "Locker" }).count(), 0);
  await addOns.fill("lock");
  await page.getByRole("option", { name: "Locker, R 20.00 a month" }).click();
  await page.keyboard.press("Escape");
  await section(page, "Invoices and quotes");
  await page.getByRole("textbox", { name: "Due after" }).fill("30");
  await section(page, "Data retention");
  await page.getByRole("textbox", { name: "Audit reads" }).fill("3");
  await section(page, "Subscriptions");
  await page.getByRole("textbox", { name: "Try again after" }).fill("2, 4");
  await section(page, "Emails and messages");
  await page.getByRole("combobox", { name: "Failed payments" }).selectOption("Email and WhatsApp");
  await page.getByRole("button", { name: "Save" }).click();
  // The section of what is refused is shown.
  await page.getByText("must be at least 12", { exact: true }).waitFor();
  await looksRight(page, "settings of which one is refused");
  await page.getByRole("textbox", { name: "Audit reads" }).fill("24");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings saved").waitFor();
  await page.getByText("Not saved yet").waitFor({ state: "detached" });
  const { body } = await staff<{
    dueDays: number;
    dunning: { retryDays: number[] };
    messages: object;
    portal: { addOns: string[] };
    retention: { auditReads: number; mailTexts: null };
  }>("GET", "/settings");
  assert.deepEqual([body.dueDays, body.dunning.retryDays], [30, [2, 4]]);
  assert.deepEqual(body.messages, { failedPayments: "whatsapp", invoiceReminders: null });
  assert.deepEqual(body.portal.addOns, [made.body.id]);
  assert.deepEqual([body.retention.auditReads, body.retention.mailTexts], [24, null]);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/settings?section=portal`);
  await page.locator("#content").getByText("Locker", { exact: true }).first().waitFor();
  const viewer = await dashboard.open(t, "/settings", { role: "viewer" });
  assert.equal(await viewer.getByRole("button", { name: "Save" }).count(), 0);
  await section(viewer, "Invoices and quotes");
  assert.equal(await viewer.getByRole("textbox", { name: "Due after" }).isDisabled(), true);
});

/** Shows a section of the settings. */
const section = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Sections of the settings" }).getByRole("link", { name }).click();

test("a VAT rate that changes on a day is added beside today's", async (t) => {
  const page = await dashboard.open(t, "/settings");
  await page.getByRole("button", { name: "Add a rate" }).click();
  await page.getByRole("textbox", { name: "Standard rate" }).nth(1).fill("16");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Not saved yet").first().waitFor();
  await page.getByLabel("From", { exact: true }).fill("2027-04-01");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings saved").waitFor();
  const staff = await dashboard.shop.signIn();
  const { body } = await staff<{ vatRate: number; vatRates: readonly object[] }>("GET", "/settings");
  assert.deepEqual([body.vatRate, body.vatRates.at(-1)], [15, { from: "2027-04-01", rate: 16 }]);
});

test("what customers get is shown while settings are typed, and saved with the settings alone", async (t) => {
  const page = await dashboard.open(t, "/settings");
  const followed: string[] = [];
  page.on("request", (request) => request.url().includes("/portal/") && followed.push(request.url()));
  const shown = page.frameLocator("section[aria-label=Preview] iframe");
  const preview = page.getByRole("region", { name: "Preview" });
  await shown.getByRole("heading", { name: "Invoice INV-SAMPLE" }).waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("<i>Karoo</i> Wool");
  await section(page, "Invoices and quotes");
  await page.getByRole("textbox", { name: "Terms on invoices" }).fill("Bank charges are yours.");
  await shown.getByText("<i>Karoo</i> Wool").first().waitFor();
  await shown.getByText("Bank charges are yours.").waitFor();
  await shown.getByRole("link", { name: "Download the invoice (PDF)" }).click();
  const logo = pngOf(40, 30);
  await page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: logo });
  await shown.locator(`img[src="data:image/png;base64,${logo.toString("base64")}"]`).waitFor();
  await section(page, "Business and VAT");
  await preview.getByText("Desktop", { exact: true }).click();
  await page.getByTitle("Preview on a desktop").waitFor();
  await looksRight(page, "the settings with a logo");

  const large = { name: "b.png", mimeType: "image/png", buffer: Buffer.alloc(20_001) };
  await page.locator("input[type=file]").setInputFiles(large);
  await page.getByText("This file cannot be read as a picture.").waitFor();
  const bytes = (url: string | null) => Buffer.from(url?.split(",")[1] ?? "", "base64").length;
  const photo = pngOf(400, 300);
  assert.ok(photo.length > 20_000);
  await page.locator("input[type=file]").setInputFiles({ name: "c.png", mimeType: "image/png", buffer: photo });
  await shown.locator(`img[src^="data:image/"]:not([src*="${logo.toString("base64")}"])`).waitFor();
  const made = bytes(await page.getByRole("img", { name: "Your logo" }).getAttribute("src"));
  assert.ok(made > 0 && made <= 20_000, `made smaller, to ${made} bytes`);
  await page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: logo });
  await section(page, "Emails and messages");
  await page.getByRole("textbox", { name: "Sender's name" }).fill("Karoo accounts");
  await page.getByRole("textbox", { name: "Your words in the email of an invoice" }).fill("Thank you for your order.");
  await section(page, "Business and VAT");
  await page.getByText("Leave out Tefo's name on customers' pages and emails").waitFor();
  await page.getByRole("switch", { name: /^Leave out Tefo/ }).press("Space");
  await shown.getByText("Payments by Tefo").waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Colour", exact: true }).fill("bluish");
  await page.getByText(/^must be a colour/).waitFor();
  await preview.getByText("Not shown as you have it now").waitFor();
  await shown.getByText("<i>Karoo</i> Wool").first().waitFor();
  await page.getByRole("textbox", { name: "Colour", exact: true }).fill("#ffcc00");
  await preview.getByText("Not shown as you have it now").waitFor({ state: "detached" });

  await preview.getByText("Mail", { exact: true }).click();
  await preview.getByText("Invoice INV-SAMPLE from <i>Karoo</i> Wool").waitFor();
  await shown.getByText("Bank charges are yours.").waitFor();
  await preview.getByText("Karoo accounts").waitFor();
  await shown.getByText("Thank you for your order.").waitFor();
  assert.equal(await shown.getByText("Sent by Tefo").count(), 0);
  await preview.getByText("Checkout", { exact: true }).click();
  await shown.getByRole("heading", { name: "Your product" }).waitFor();
  await preview.getByText("Invoice", { exact: true }).click();
  await preview.getByText("It needs your address, your VAT number.").waitFor();
  const kept = page.waitForEvent("download");
  await preview.getByRole("button", { name: "Download as PDF" }).click();
  assert.equal((await kept).suggestedFilename(), "INV-SAMPLE.pdf");
  const changes = "select 1 from audit_log where subject = 'settings' and after->'branding'->>'logo' is not null";
  assert.deepEqual(await dashboard.api.query(changes), []);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings saved").waitFor();
  assert.equal((await dashboard.api.query(changes)).length, 1);
  assert.deepEqual(followed, [], "a link of the preview was followed");
});

test("somebody moves the sandbox's clock by a month", async (t) => {
  const page = await dashboard.open(t, "/sandbox");
  const staff = await dashboard.shop.signIn();
  await page.getByRole("button", { name: "A month on" }).click();
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/test-clock", (route) => looked.then(() => route.continue()));
  const button = page.getByRole("dialog").getByRole("button", { name: "A month on" });
  await button.dblclick();
  const loader = button.locator(".mantine-Button-loader");
  await loader.waitFor();
  const [outer, inner] = [await button.boundingBox(), await loader.boundingBox()];
  assert.ok(outer && inner);
  const off = outer.y + outer.height / 2 - (inner.y + inner.height / 2);
  assert.ok(Math.abs(off) < 2, `what shows that it is under way is ${off} px from the middle of the button`);
  goOn();
  await page.getByText(/happened on the way/).waitFor();
  await page.getByText(/^Sandbox: .* Its clock stands at/).waitFor();
  const { body } = await staff<{ now: string; set: boolean }>("GET", "/test-clock");
  const months = (new Date(body.now).getTime() - Date.now()) / 86_400_000 / 30;
  assert.ok(body.set && months > 0.8 && months < 1.2, body.now);
});

test("the demonstration's tour is walked by keyboard and ends with an organisation of one's own", async (t) => {
  const demo = await dashboard.api.addMerchant({ slug: "demo", name: "Demo Trading" });
  const staff = await demo.addStaff();
  const page = await dashboard.open(t, "/", { staff });
  const tour = page.getByRole("region", { name: "Tour" });
  await tour.getByText("Step 1 of 5").waitFor();
  await looksRight(page, "the tour");
  for (const step of [2, 3, 4, 5]) {
    await tour.getByRole("button", { name: "Next" }).press("Enter");
    await tour.getByText(`Step ${step} of 5`).waitFor();
  }
  await page.getByRole("heading", { level: 1, name: "Sandbox" }).waitFor();
  await page.getByRole("link", { name: "Quotes" }).click();
  await tour.getByRole("button", { name: "Go on with the tour, step 5 of 5" }).press("Enter");
  await tour.getByRole("link", { name: "Create my organisation" }).press("Enter");
  await page.getByRole("heading", { level: 1, name: "Create my organisation" }).waitFor();
  await tour.waitFor({ state: "detached" });
  await looksRight(page, "the form of an organisation");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Café Zoë");
  assert.equal(await page.getByRole("textbox", { name: "Short name" }).inputValue(), "cafe-zoe");
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByRole("button", { name: "Create organisation" }).dblclick();
  await page.getByRole("heading", { level: 1, name: /^Good / }).waitFor();
  await page.getByText("Add a way to get paid").waitFor();
  await looksRight(page, "the home page of a new organisation");
  const choice = page.getByRole("combobox", { name: "Organisation" });
  assert.equal(await choice.inputValue(), "cafe-zoe");
  await page.getByRole("link", { name: "Payments", exact: true }).first().click();
  await page.locator("#content").getByRole("link", { name: "New payment link" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/sandbox`);
  await page.getByRole("heading", { level: 1, name: "Only a sandbox has this" }).waitFor();
  await choice.selectOption("demo");
  await page.getByRole("heading", { level: 1, name: "Sandbox" }).waitFor();
  assert.equal(await tour.count(), 0);
});

/** Whether the field that has the focus is behind the bar of the button, or above the window. */
const COVERED = `(() => {
  const focused = document.activeElement;
  const bar = document.querySelector(".tefo-save");
  if (!bar || focused.closest(".tefo-save") || !focused.closest("form")) return false;
  const { top, bottom } = focused.getBoundingClientRect();
  return top >= bar.getBoundingClientRect().top || bottom <= 0;
})()`;

test("the button that saves the settings is in sight while something is changed, and covers no field that has the focus", async (t) => {
  const page = await dashboard.open(t, "/settings");
  await page.setViewportSize({ width: 320, height: 640 });
  const save = page.getByRole("button", { name: "Save", exact: true });
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  const inSight = async () => {
    const box = await save.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 640;
  };
  await name.waitFor();
  assert.equal(await inSight(), false, "nothing is changed yet");
  await name.fill("Nkosi Timber and Sons");
  await page.getByText("Not saved yet").waitFor();
  assert.equal(await inSight(), true);
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press("Tab");
    const covered = await page.evaluate(COVERED);
    assert.equal(covered, false, `the field after ${i + 1} steps is covered`);
  }
  await save.click();
  await page.getByText("Settings saved").waitFor();
  await page.getByText("Not saved yet").waitFor({ state: "detached" });
});
