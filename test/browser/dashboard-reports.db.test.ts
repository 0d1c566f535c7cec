import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { EXCHANGE } from "../support/invoices.ts";
import { addPayment, notify, openStandIn, reportedPayment, type StandIn } from "../support/payments.ts";
import { openReconciling, type Reconciling } from "../support/reconciliation.ts";

/* Reports: what they draw, and that each figure leads to exactly its records. */

let gateway: StandIn;
let paid: Reconciling;
let subscribed: SubscriptionShop;
const dashboard = setUpDashboardPages(
  async (_shop, api) => {
    paid = await openReconciling(api);
    await paid.payOnline((await paid.owe(1250.5)).id, 1250.5);
    const refunded = await paid.payOnline((await paid.owe(400)).id, 400);
    await paid.paid(860);
    await paid.payOffline((await paid.owe(70)).id, 70, { method: "cash", paidAt: "2027-02-20T10:00:00Z" });
    await paid.payOffline((await paid.owe(310)).id, 310, { method: "card", paidAt: "2027-02-03T10:00:00Z" });
    const owner = await paid.merchant.signIn("owner");
    const refund = await owner("POST", `/transactions/${refunded}/refunds`, { amount: 90, method: "manual" });
    assert.equal(refund.status, 201, refund.text);
    const declined = await paid.attempt((await paid.owe(500)).id, 500);
    const decline = { code: "insufficient_funds", message: "Insufficient funds.", hard: false };
    const told = await notify(api, paid.account, {
      payment: reportedPayment(declined, "failed", { amount: 50_000, decline }),
    });
    assert.equal(told.status, 200, told.text);
    subscribed = await openSubscriptionShop(api);
    const planId = await subscribed.addPlan();
    const act = async (id: string, action: string, body = {}) => {
      const answer = await subscribed.shop.post(`/customer-subscriptions/${id}/${action}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    const { id } = await subscribed.subscribe({ planId, quantity: 20 });
    const other = await subscribed.subscribe({ planId, quantity: 2 });
    await subscribed.move("2027-02-10");
    await act(id, "change-plan", { quantity: 22, proration: "now" });
    await subscribed.move("2027-03-05");
    await act(id, "change-plan", { quantity: 21, proration: "none" });
    await act(other.id, "cancel", { when: "now" });
    await subscribed.subscribe({ planId, quantity: 3 });
  },
  async () => {
    gateway = await openStandIn();
    return { GATEWAY_URL_SANDBOX: gateway.url };
  },
);
after(() => gateway.close());

test("the payment report divides what was received, in any days, and leads to exactly the receipts", async (t) => {
  const staff = await paid.merchant.addStaff("owner");
  const page = await dashboard.open(t, "/reports/payments", { staff });
  const table = page.getByRole("table", { name: "Methods and gateways" });
  await table.getByText("All methods").waitFor();
  const row = (name: string) =>
    table
      .getByRole("row")
      .filter({ hasText: name })
      .getByRole("cell")
      .evaluateAll((cells) => cells.map(({ textContent }) => (textContent ?? "").replaceAll("\u00a0", " ")));
  assert.deepEqual(await row("Sandbox"), ["Sandbox", "2", "R 1 650.50", "", "", "R 1 650.50", "R 7.80"]);
  assert.deepEqual(await row("All methods"), [
    ...["All methods", "3", "R 2 510.50", "R 90.00", "", "R 2 420.50", "R 7.80"],
  ]);
  await page.getByRole("region", { name: "Received" }).getByText("R 2 420").first().waitFor();
  await page.getByRole("radiogroup", { name: "Period" }).getByText("90 days").click();
  await table.getByText("Card machine").waitFor();
  assert.equal((await row("All methods"))[1], "5");
  await looksRightAnywhere(page, "the payment report");
  await page.getByLabel("From", { exact: true }).fill("2027-02-10");
  await page.getByLabel("To", { exact: true }).fill("2027-02-28");
  await page.getByLabel("To", { exact: true }).press("Enter");
  await table.getByText("Card machine").waitFor({ state: "detached" });
  await table.getByRole("link", { name: "Cash" }).click();
  await page.getByRole("heading", { name: "Received", level: 1 }).waitFor();
  await page.getByText("R 70.00 net").waitFor();
  await page.locator("[data-record]").first().waitFor();
  assert.equal(await page.locator("[data-record]").count(), 1);
});

test("the success rate says why payments were declined, and leads to exactly these", async (t) => {
  const page = await dashboard.open(t, "/reports/success-rate", { staff: await paid.merchant.addStaff("owner") });
  const rate = page.getByRole("region", { name: "Success rate" });
  await page.getByRole("radiogroup", { name: "Period" }).getByText("12 months").click();
  await rate.getByText("66.67 %", { exact: true }).first().waitFor();
  await rate.getByText("of 3 decided payments").waitFor();
  await page.getByText("Collect on or just after payday, or send a payment link.").waitFor();
  await looksRightAnywhere(page, "the success rate");
  const reasons = page.getByRole("region", { name: "Why payments were declined" });
  await reasons.getByRole("link", { name: "Insufficient funds" }).click();
  await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor();
  await page.locator("[data-record]").first().waitFor();
  assert.equal(await page.locator("[data-record]").count(), 1);
  await page.locator("[data-record]").getByRole("link").first().click();
  await page.getByRole("alert").getByText("Declined: Insufficient funds").waitFor();
});

test("aged debtors have a bar for each age", async (t) => {
  await paid.owe(150);
  const page = await dashboard.open(t, "/accounting/aged-debtors", { staff: await paid.merchant.addStaff("owner") });
  await page.getByRole("img", { name: /^What customers owe by days past due/ }).waitFor();
  await looksRightAnywhere(page, "aged debtors");
});

test("the subscription report goes from opening to closing, and leads to what moved it", async (t) => {
  const staff = await subscribed.shop.addStaff("owner");
  const page = await dashboard.open(t, "/reports/subscriptions", { staff });
  await page.getByRole("img", { name: "Recurring revenue from R 0.00 to R 2 400.00." }).waitFor();
  await page.getByLabel("Month", { exact: true }).selectOption({ label: "Mar 2027" });
  await page.getByRole("img", { name: "Recurring revenue from R 2 400.00 to R 2 400.00." }).waitFor();
  await page.getByText("The scale starts at R").waitFor();
  await page.getByText("No collection failed in these days").waitFor();
  await looksRightAnywhere(page, "the subscription report");
  const changes = page.getByRole("region", { name: /^What changed/ });
  await changes.getByRole("link", { name: /^Churned 1/ }).click();
  await page.getByRole("heading", { name: "MRR changes", level: 1 }).waitFor();
  await page.getByText("−R 200.00").waitFor();
  assert.equal(await page.locator("[data-record]").count(), 1);
});

test("the subscription report says what is left of each start month, and leads to who started", async (t) => {
  const staff = await subscribed.shop.addStaff("owner");
  const page = await dashboard.open(t, "/reports/subscriptions", { staff });
  const card = page.getByRole("region", { name: "Retention by start month", exact: true });
  const row = (month: string) =>
    card
      .getByRole("row")
      .filter({ hasText: month })
      .getByRole("cell")
      .evaluateAll((cells) => cells.map(({ textContent }) => (textContent ?? "").replaceAll("\u00a0", " ").trim()));
  await card.getByText("Jan 2027").waitFor();
  assert.deepEqual(await row("Jan 2027"), ["2", "100 %", "100 %", "50 %"]);
  assert.deepEqual(await row("Mar 2027"), ["1", "100 %"]);
  await card.getByRole("radiogroup", { name: "What is retained" }).getByText("Revenue").click();
  await card.getByText("R 2 200.00").waitFor();
  assert.deepEqual(await row("Jan 2027"), ["R 2 200.00", "100 %", "109 %", "95 %"]);
  await card.getByRole("link", { name: "R 2 200.00" }).click();
  await page.getByRole("heading", { name: "MRR changes", level: 1 }).waitFor();
  await page.locator("[data-record]").nth(1).waitFor();
  assert.equal(await page.locator("[data-record]").count(), 2);
});

test("the conversion report counts what was opened, started and paid, and leads to exactly these links", async (t) => {
  const staff = await paid.merchant.addStaff("owner");
  const phone = {
    "user-agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36",
  };
  const links: { id: string; url: string }[] = [];
  for (const title of ["Never opened", "Opened once", "Paid once", "Paid also"])
    links.push((await paid.merchant.post<{ id: string; url: string }>("/payment-links", { title, amount: 100 })).body);
  await dashboard.api.call("GET", new URL(links[1]?.url ?? "").pathname, { headers: phone });
  for (const { id } of links.slice(2)) {
    const reference = await addPayment(dashboard.api, paid.merchant, paid.account, { linkId: id });
    const told = await notify(dashboard.api, paid.account, { payment: reportedPayment(reference, "complete") });
    assert.equal(told.status, 200, told.text);
  }
  const page = await dashboard.open(t, "/reports/conversion", { staff });
  const card = page.getByRole("region", { name: "Payment links" });
  await card.getByText("2 of 4 paid").waitFor();
  assert.deepEqual(
    await card
      .locator(".tefo-shares li")
      .evaluateAll((all) => all.map(({ textContent }) => (textContent ?? "").replaceAll("\u00a0", " "))),
    ["Created4100 %", "Opened375 %", "Payment started250 %", "Paid250 %"],
  );
  await page.getByText("No checkouts were created in these days").waitFor();
  await card.getByText("View as table").click();
  await card.getByText("search engines, previews of messengers").waitFor();
  await looksRightAnywhere(page, "the conversion report");
  await card.getByRole("link", { name: "Opened" }).first().click();
  await page.getByRole("heading", { name: "Payment links", level: 1 }).waitFor();
  await page.getByText("Opened once").waitFor();
  assert.equal(await page.locator("[data-record]").count(), 3);
  assert.equal(await page.getByText("Never opened").count(), 0);
});

test("a report is read in another currency, which its address keeps", async (t) => {
  await paid.owe(40, { currency: "USD", exchange: EXCHANGE });
  const staff = await paid.merchant.addStaff("owner");
  const page = await dashboard.open(t, "/reports/payments", { staff });
  await page.getByLabel("Currency").selectOption("USD");
  await page.waitForURL(/currency=USD/);
  await page.getByRole("region", { name: "Received" }).getByText("USD 0.00").first().waitFor();
  for (const report of ["success-rate", "subscriptions"]) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard/reports/${report}?currency=USD`);
    assert.equal(await page.getByLabel("Currency").inputValue(), "USD");
  }
  await page.getByLabel("Currency").selectOption("ZAR");
  await page.waitForURL((url) => !url.search.includes("currency"));
});
