import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addPayment, CREDENTIALS, notify, openStandIn, reportedPayment, type StandIn } from "../support/payments.ts";
import { imported, openReconciling, type Reconciling, statementOf } from "../support/reconciliation.ts";

/* Home says where the money is that was ever received, whatever the period beside it. */

let gateway: StandIn;
let shop: Reconciling;
const dashboard = setUpDashboardPages(
  async (_shop, api) => {
    shop = await openReconciling(api);
    const { staff, merchant, account } = shop;
    await shop.payOnline((await shop.owe(1250.5)).id, 1250.5);
    const second = await merchant.addGateway({ name: "Second gateway", credentials: CREDENTIALS });
    const elsewhere = await addPayment(api, merchant, second, { cents: 30_000 });
    const paid = reportedPayment(elsewhere, "complete", { amount: 30_000, fee: 1_000 });
    assert.equal((await notify(api, second, { payment: paid })).status, 200);
    await shop.paid(860);
    const statements = [
      ["FNB Business 62001", 900, -6.5, account.id],
      ["Savings of the directors for a rainy day 4471", 200, -500, second.id],
    ] as const;
    for (const [bank, payout, taken, gatewayId] of statements) {
      const { items } = await imported(
        staff,
        statementOf(["2027-02-24", "PAYOUT", payout], ["2027-02-25", "TAKEN", taken]),
        { account: bank },
      );
      const allocations = [{ kind: "payout", gatewayId }];
      assert.equal((await staff("POST", `/reconciliation/items/${items[0]?.id}/match`, { allocations })).status, 200);
      const kind = taken === -500 ? "own_transfer" : "bank_fee";
      const other = await staff("POST", `/reconciliation/items/${items[1]?.id}/match`, { allocations: [{ kind }] });
      assert.equal(other.status, 200);
    }
  },
  async () => {
    gateway = await openStandIn();
    return { GATEWAY_URL_SANDBOX: gateway.url };
  },
);
after(() => gateway.close());

const card = (page: Page) => page.getByRole("region", { name: "Where the money is" });
const texts = async (page: Page, list: string) =>
  (
    await card(page)
      .locator(list)
      .evaluateAll((all) => all.map(({ textContent }) => textContent ?? ""))
  ).map((text) => text.replaceAll("\u00a0", " "));

test("home says where the money is, in which bank and at which gateway, whatever the period", async (t) => {
  const page = await dashboard.open(t, "/", { staff: await shop.merchant.addStaff("owner") });
  await card(page).getByText("All money ever received, by where it is today").waitFor();
  assert.match((await card(page).locator("p").first().textContent()) ?? "", /^R\s2\s410\.50/);
  const rows = [
    "In your bankR 593.50",
    "Not on a statement yetR 860.00",
    "On its way from gatewaysR 436.60",
    "Gateway feesR 13.90",
    "Bank chargesR 6.50",
    "Between own accountsR 500.00",
  ];
  assert.deepEqual(await texts(page, ".tefo-places > li > .tefo-place, summary"), rows);
  const banks = card(page).getByRole("list", { name: "In your bank, by account" });
  assert.equal(await banks.isVisible(), false);
  for (const name of ["In your bank", "On its way from gateways"]) {
    await card(page).locator("summary", { hasText: name }).press("Enter");
  }
  await banks.waitFor();
  assert.deepEqual(await texts(page, "details li"), [
    "FNB Business 62001R 893.50",
    "Savings of the directors for a rainy day 4471−R 300.00",
    `${shop.account.name}R 346.60`,
    "Second gatewayR 90.00",
  ]);
  await looksRightAnywhere(page, "where the money is, opened");
  await page.getByRole("radiogroup", { name: "Period" }).getByText("7 days").click();
  await page.getByRole("link", { name: /^(Reconciled with|No bank statement since)/ }).waitFor();
  assert.deepEqual(await texts(page, ".tefo-places > li > .tefo-place, summary"), rows);
});

test("home's figures do not wait for it, and say what went wrong in its place", async (t) => {
  const page = await dashboard.open(t, "/customers", { staff: await shop.merchant.addStaff("owner") });
  let asked = 0;
  const waiting = Promise.withResolvers<undefined>();
  await page.route("**/overview/money-places", async (route) => {
    asked++;
    if (asked > 1) return route.continue();
    await waiting.promise;
    return route.fulfill({ status: 409, json: { error: "invalid_state", message: "Not now." } });
  });
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByRole("region", { name: "Received" }).locator(".tefo-large").waitFor();
  await page.getByRole("region", { name: "By payment method" }).waitFor();
  assert.equal(await card(page).count(), 0);
  waiting.resolve(undefined);
  await page.getByRole("region", { name: "Received" }).getByRole("button", { name: /again/ }).click();
  await card(page).getByText("In your bank").waitFor();
});

test("home says nothing of it before anything is received", async (t) => {
  const page = await dashboard.open(t, "/");
  await page.getByRole("region", { name: "Received" }).locator(".tefo-large").waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await card(page).count(), 0);
});
