import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../src/kernel/money.ts";
import { begin } from "../support/cards.ts";
import { setUpDashboardPages } from "../support/dashboard-pages.ts";
import {
  addRecurringLink,
  collectionFact,
  openSubscriptionShop,
  reportFacts,
} from "../support/gateway-subscriptions.ts";

/* A renewal that a gateway collected at another amount: staff accept it on its payment's page. */

const dashboard = setUpDashboardPages();

test("a renewal at another amount says what happened, and is accepted as the new amount, once", async (t) => {
  const shop = await openSubscriptionShop(dashboard.api);
  const { reference } = await begin(shop, String((await addRecurringLink(shop))["url"]));
  const names = (payment: string) => ({ key: `sub_${reference}`, providerRef: `${payment}_${reference}` });
  await reportFacts(shop, [collectionFact(reference, names("first"))]);
  await reportFacts(shop, [collectionFact(reference, names("odd"), { amount: cents(120_00) })]);
  const waiting = "select reference from transactions where amount_cents = 12000";
  const [renewal] = await dashboard.api.query<{ reference: string }>(waiting);
  const page = await dashboard.open(t, `/transactions/${renewal?.reference}`, {
    staff: await shop.shop.addStaff("owner"),
  });
  await page.getByText("The gateway reported another amount", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("R 120.00 is booked as collected, and", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Accept" }).click();
  await dialog.getByRole("checkbox", { name: "The subscription has this amount from now on" }).check();
  await dialog.getByText("Later renewals of R 120.00 are, too.", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Accept" }).dblclick();
  await page.locator("main .tefo-status").getByText("Paid", { exact: true }).waitFor();
  const after =
    "select t.status, s.amount_cents::int as cents from transactions t join gateway_subscriptions s on s.id = t.subscription_id where t.reference = $1";
  assert.deepEqual(await dashboard.api.query(after, renewal?.reference), [{ status: "complete", cents: 12_000 }]);
});
