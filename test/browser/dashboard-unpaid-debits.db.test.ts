import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addActiveMandate, type MandateShop, openMandateShop } from "../support/mandates.ts";

/* What the payment report says of debit orders that banks returned. */

let debited: MandateShop;
const dashboard = setUpDashboardPages(async (_shop, api) => {
  debited = await openMandateShop(api);
  await addActiveMandate(debited, { debitDay: 6 });
  await addActiveMandate(debited, { debitDay: 6, amount: 50.5 }, { accountNumber: "62900417702" });
  await addActiveMandate(debited, { debitDay: 20, amount: 75 });
  await debited.move("2027-04-20T10:00:00Z");
});

test("unpaid debit orders stand beside the banks' limit, and lead to their list", async (t) => {
  const staff = await debited.shop.addStaff("owner");
  const page = await dashboard.open(t, "/reports/payments", { staff });
  const card = page.getByRole("region", { name: "Unpaid debit orders" });
  await card.getByText(/^over the 10 % that banks allow/).waitFor();
  await card.getByText("Insufficient funds (code 02)").waitFor();
  await looksRightAnywhere(page, "unpaid debit orders");
  const [share] = await card.locator(".tefo-large").allTextContents();
  const { unpaid, unpaidPercent } = (
    await debited.shop.get<{ unpaid: { count: number }; unpaidPercent: number }>("/overview/unpaid-debits-report")
  ).body;
  assert.equal(share, `${unpaidPercent} %`);
  await card.locator("a:has(.tefo-large)").click();
  await page.getByRole("heading", { name: "Unpaid debits", level: 1 }).waitFor();
  await page.locator("[data-record]").first().waitFor();
  assert.equal(await page.locator("[data-record]").count(), unpaid.count);
});
