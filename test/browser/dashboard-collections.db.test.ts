import assert from "node:assert/strict";
import { after, test } from "node:test";
import { standIn as payfast } from "../gateways/payfast/stand-in.ts";
import { openStandIn, type StandIn } from "../gateways/stand-in.ts";
import { openPage } from "../support/browser.ts";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOrder, addTransfers, upload } from "../support/eft.ts";
import { pngOf } from "../support/uploads.ts";

/* Money that does not come by card: bank transfers, debit orders, and the gateways that are added for them. */

let gateway: StandIn;
const dashboard = setUpDashboardPages(
  async (shop) => {
    await shop.change({ clock_at: new Date("2027-03-01T10:00:00.000Z") });
    await addTransfers(shop);
    await shop.addGateway();
  },
  async () => {
    gateway = await openStandIn(payfast);
    return { GATEWAY_URL_PAYFAST: gateway.url };
  },
);
after(() => gateway.close());
const query = <Row extends object>(sql: string) => dashboard.api.query<Row>(sql);

test("somebody reviews the proof of a bank transfer beside its data, rejects it, and approves the next one once", async (t) => {
  const order = await addOrder(dashboard.shop, { amount: 1250.5, description: "Deposit" });
  const picture = { field: "file", name: "slip.png", type: "image/png", bytes: pngOf(40, 30) };
  await upload(dashboard.shop, order.id, picture);
  const page = await dashboard.open(t, "/eft-orders?status=awaiting_review");
  await page.getByRole("link", { name: order.reference }).click();
  await page.getByRole("heading", { name: order.reference, level: 1 }).waitFor();
  const proof = page.getByRole("img", { name: `Proof of payment of ${order.reference}` });
  await proof.waitFor();
  assert.equal(await proof.evaluate((image: { naturalWidth: number }) => image.naturalWidth), 40);
  const statement = page.getByRole("region", { name: "Expected on your bank statement" });
  assert.match(String(await statement.textContent()), /R\s1\s250\.50.*62 123 456 789/s);
  await page.getByRole("button", { name: "Reject" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("The amount on the slip is another one.");
  await dialog.getByRole("button", { name: "Reject" }).click();
  await page.getByText(`Proof of ${order.reference} rejected`).waitFor();
  await page.getByRole("button", { name: "Upload proof of payment" }).click();
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByLabel("File").click();
  await (await chooser).setFiles({ name: "second.png", mimeType: "image/png", buffer: pngOf(50, 30) });
  await dialog.getByRole("button", { name: "Upload proof of payment" }).click();
  await page.getByText("Proof uploaded").first().waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await dialog.getByText("a proof of payment is no money").waitFor();
  await dialog.getByRole("button", { name: "Approve" }).dblclick();
  await page.getByText(`${order.reference} paid`).waitFor();
  await page.locator("[data-kind=change]", { hasText: "Viewed the proof by" }).first().waitFor();
  const paid = await query(
    `select status, amount_cents::int as cents from transactions where reference = '${order.reference}'`,
  );
  assert.deepEqual(paid, [{ status: "complete", cents: 125_050 }]);
});

test("a mandate is made for a subscription of its customer, and for none of another's", async (t) => {
  const owner = await dashboard.shop.signIn("owner");
  const made = async (path: string, body: object) => {
    const { status, body: one, text } = await owner<{ id: string }>("POST", path, body);
    assert.equal(status, 201, text);
    return one.id;
  };
  const customerId = await made("/customers", { company: "Mokoena Logistics" });
  const other = await made("/customers", { company: "Nobody's Debtor", email: "nobody@example.co.za" });
  const packageId = await made("/packages", { name: "Coworking" });
  const planId = await made(`/packages/${packageId}/plans`, { name: "Desk", amount: 250, frequency: "monthly" });
  const collectionMethod = "debit_order";
  const subscriptionId = await made("/customer-subscriptions", {
    customer: { id: customerId },
    planId,
    collectionMethod,
  });
  const page = await dashboard.open(t, `/mandates/new?customer=${customerId}`);
  const collects = page.getByRole("combobox", { name: "Collects" });
  await collects.selectOption({ label: "Desk, R 250.00 monthly".replace("R 250", "R\u00a0250") });
  await page.getByRole("textbox", { name: "Amount" }).fill("250");
  await page.getByRole("textbox", { name: "Account holder" }).fill("T Nkosi");
  await page.getByRole("textbox", { name: "Account number" }).fill("62900417701");
  await page.getByRole("combobox", { name: "Bank", exact: true }).fill("f");
  await page.getByRole("option", { name: "FNB" }).click();
  await page.getByRole("button", { name: "Create mandate" }).click();
  await page.getByText("Awaiting signature").waitFor();
  const [mandate] = await query<{ subscription_id: string }>(
    `select subscription_id from mandates where customer_id = '${customerId}'`,
  );
  assert.equal(mandate?.subscription_id, subscriptionId);

  // Another customer is chosen after the subscription: it is theirs no more.
  await page.goto(`${dashboard.api.baseUrl}/dashboard/mandates/new?customer=${customerId}`);
  await collects.selectOption(subscriptionId);
  await page.getByRole("combobox", { name: "Customer", exact: true }).fill("nobody@example.co.za");
  await page.getByRole("option", { name: /Nobody's Debtor/ }).click();
  await collects.waitFor({ state: "hidden" });
  await page.getByRole("textbox", { name: "Amount" }).fill("250");
  await page.getByRole("textbox", { name: "Account holder" }).fill("N Debtor");
  await page.getByRole("textbox", { name: "Account number" }).fill("62900417702");
  await page.getByRole("combobox", { name: "Bank", exact: true }).fill("f");
  await page.getByRole("option", { name: "FNB" }).click();
  await page.getByRole("button", { name: "Create mandate" }).click();
  await page.getByText("Awaiting signature").waitFor();
  const theirs = await query<{ subscription_id: string | null }>(
    `select subscription_id from mandates where customer_id = '${other}'`,
  );
  assert.deepEqual(theirs, [{ subscription_id: null }]);
});

test("somebody signs up a mandate, has it signed, and follows its batch until the money is there", async (t) => {
  const page = await dashboard.open(t, "/customers/new");
  await page.getByRole("textbox", { name: "Company" }).fill("Nkosi Traders");
  await page.getByRole("textbox", { name: "Email address" }).fill("nkosi@example.co.za");
  await page.getByRole("button", { name: "Create customer" }).click();
  await page.getByRole("heading", { name: "Nkosi Traders" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/mandates/new?customer=${page.url().split("/").at(-1)}`);
  await page.getByRole("textbox", { name: "Amount" }).fill("350.50");
  await page.getByRole("textbox", { name: "Day of the month" }).fill("5");
  await page.getByRole("textbox", { name: "Account holder" }).fill("T Nkosi");
  await page.getByRole("textbox", { name: "Account number" }).fill("12");
  await page.getByRole("combobox", { name: "Bank", exact: true }).fill("f");
  await page.getByRole("option", { name: "FNB" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Branch code" }).inputValue(), "250655");
  await looksRightAnywhere(page, "a mandate's bank account");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Create mandate" }).click();
  await page.getByText("must be 5 to 20 digits; spaces and dashes are ignored", { exact: true }).waitFor();
  const refusal = page.getByRole("alert").filter({ hasText: "Not saved" });
  await refusal.getByText("Account number must be 5 to 20 digits; spaces and dashes are ignored.").waitFor();
  assert.doesNotMatch((await refusal.textContent()) ?? "", /Invalid body/);
  await page.getByRole("textbox", { name: "Account number" }).fill("62900417701");
  await page.getByRole("button", { name: "Create mandate" }).dblclick();
  await page.getByText("Awaiting signature").waitFor();
  await page.getByRole("button", { name: "Send for signature" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Send for signature" }).click();
  await dialog.getByText("The link is shown this once.").waitFor();
  const signUrl = String(await dialog.locator("code").textContent());
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const payer = await openPage(t);
  await payer.goto(signUrl);
  await payer.getByLabel("Full name").fill("Thandi Nkosi");
  await payer.getByRole("checkbox").check();
  await payer.getByRole("button", { name: "Sign the agreement" }).click();
  await payer.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  await page.reload();
  await page.locator("main .tefo-status", { hasText: "Active" }).first().waitFor();
  const mandatePage = page.url();

  await page.goto(`${dashboard.api.baseUrl}/dashboard/debit-batches`);
  await page.getByRole("button", { name: "Create debit batch" }).click();
  await dialog.getByLabel("Due by").fill("5/3/27");
  await dialog.getByLabel("Due by").blur();
  assert.equal(await dialog.getByLabel("Due by").inputValue(), "5 Mar 2027", "a day is written one way");
  await dialog.getByRole("button", { name: "Create debit batch" }).dblclick();
  await page.getByRole("heading", { name: "Batch for 5 Mar 2027" }).waitFor();
  await page.getByRole("region", { name: "Debits" }).getByText("R 350.50").waitFor();
  await page.getByRole("button", { name: "Submit" }).click();
  await dialog.getByText("1 debit, R 350.50 together").waitFor();
  await dialog.getByRole("button", { name: "Submit" }).dblclick();
  await page.getByText("Batch sent to the bank").waitFor();
  assert.deepEqual(await query("select count(*)::int as debits from debits"), [{ debits: 1 }]);

  const staff = await dashboard.shop.signIn();
  const moved = await staff("POST", "/test-clock", { now: "2027-03-12T10:00:00.000Z" });
  assert.equal(moved.status, 200, moved.text);
  await page.reload();
  await page.getByRole("region", { name: "Debits" }).getByText("Paid", { exact: true }).waitFor();
  await page.goto(mandatePage);
  const debits = page.getByRole("region", { name: "Debits" });
  await debits.getByText("Paid", { exact: true }).waitFor();

  const address = await page.getByRole("link", { name: "View as customer" }).getAttribute("href");
  await payer.goto(String(address));
  await payer.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  assert.equal(await payer.getByRole("button", { name: "Sign the agreement" }).count(), 0);

  const [payment] = await query<{ reference: string }>("select reference from transactions where type = 'debit_order'");
  await page.goto(`${dashboard.api.baseUrl}/dashboard/transactions/${payment?.reference}`);
  const related = page.getByRole("region", { name: "Related records" });
  await related.getByRole("link", { name: "Nkosi Traders" }).waitFor();
  await related.getByRole("link", { name: "Batch for 5 Mar 2027" }).waitFor();
  await related.locator(`a[href="${new URL(mandatePage).pathname}"]`).click();
  await debits.getByText("Paid", { exact: true }).waitFor();
});

test("somebody adds a gateway after testing it, copies its address, disables and deletes it", async (t) => {
  const page = await dashboard.open(t, "/gateways/new");
  await page.getByRole("link", { name: "Manual EFT" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Second bank");
  await page.getByRole("button", { name: "Add the gateway" }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue(), "Second bank");
  await page.goto(`${dashboard.api.baseUrl}/dashboard/gateways/new?type=payfast`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Play money");
  const credential = (name: string) => page.locator(`[data-path="credentials.${name}"]`);
  const { merchantId = "", merchantKey = "", passphrase = "" } = payfast.credentials;
  await credential("merchantId").fill(merchantId);
  await credential("merchantKey").fill(merchantKey);
  await credential("passphrase").fill("not the passphrase");
  await page.getByRole("button", { name: "Test the connection" }).click();
  await page.getByText("The gateway refuses it").waitFor();
  await credential("passphrase").fill(passphrase);
  await page.getByRole("button", { name: "Test the connection" }).click();
  await page.getByText("It works").waitFor();
  const added = () => query("select count(*)::int as n from gateway_accounts where name = 'Play money'");
  assert.deepEqual(await added(), [{ n: 0 }]);
  await page.getByRole("button", { name: "Add the gateway" }).dblclick();
  await page.getByRole("heading", { name: "Play money", level: 1 }).waitFor();
  await page.getByRole("region", { name: "Notification address" }).getByRole("button", { name: /^Copy/ }).waitFor();
  await page.getByRole("region", { name: "Health" }).waitFor();
  assert.deepEqual(await added(), [{ n: 1 }]);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Disable" }).click();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Play money is disabled.").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Play money deleted").waitFor();
  assert.deepEqual(await added(), [{ n: 0 }]);
});

test("a role that may only look sees transfers, mandates, batches and gateways without a button that changes them", async (t) => {
  const order = await addOrder(dashboard.shop);
  const page = await dashboard.open(t, `/eft-orders/${order.id}`, { role: "viewer" });
  await page.getByRole("heading", { name: order.reference, level: 1 }).waitFor();
  for (const name of ["Approve", "Cancel", "Upload proof of payment"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  for (const [address, title] of [
    ["/mandates/new", "You do not have access"],
    ["/gateways/new", "You do not have access"],
    ["/debit-batches", "Debit batches"],
  ] as const) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
    await page.getByRole("heading", { name: title }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Create debit batch" }).count(), 0);
  }
});
