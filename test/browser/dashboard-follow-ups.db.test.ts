import assert from "node:assert/strict";
import { after, test } from "node:test";
import { standIn as protocol } from "../gateways/netcash/stand-in.ts";
import { openStandIn, type StandIn } from "../gateways/stand-in.ts";
import { addCardCustomer, type CardShop } from "../support/cards.ts";
import { setUpDashboardPages } from "../support/dashboard-pages.ts";
import { gathered, submit } from "../support/debit-batches.ts";
import { openSubscriptionShop, subscribe, subscriptionNow } from "../support/gateway-subscriptions.ts";
import { addActiveMandate } from "../support/mandates.ts";

/* What goes on elsewhere and is followed up here: subscriptions brought over, accounting partners, a batch whose upload had no answer. */

let standIn: StandIn;
const dashboard = setUpDashboardPages(
  async (shop) => void (await shop.addGateway()),
  async () => {
    standIn = await openStandIn(protocol);
    return { GATEWAY_URL_NETCASH: standIn.url };
  },
);
after(() => standIn.close());

test("a migration of two subscriptions begins, once", async (t) => {
  const page = await dashboard.open(t, "/subscriptions/migrations");
  await page.getByRole("link", { name: "Start migration" }).first().click();
  await page.getByRole("button", { name: "Add a subscription" }).click();
  const fill = async (place: number, name: string, legacy: string) => {
    const row = page.getByRole("group", { name: `Subscription ${place}` });
    await row.getByRole("textbox", { name: "Customer" }).fill(name);
    await row.getByRole("textbox", { name: "Email address" }).fill(`${legacy}@example.co.za`);
    await row.getByRole("textbox", { name: "Reference elsewhere" }).fill(legacy);
    await row.getByRole("textbox", { name: "Amount" }).fill("120");
    await row.getByLabel("First charge").fill("2031-03-15");
  };
  await fill(1, "Thandi Nkosi", "old-1");
  await page.getByRole("button", { name: "Begin", exact: true }).click();
  await page.getByText("Say who pays.").waitFor();
  await fill(2, "<b>Sipho</b>", "old-2");
  await page.getByText("2 customers get an email", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Begin", exact: true }).dblclick();
  await page.getByRole("table", { name: "Migrations" }).getByText("<b>Sipho</b>").waitFor();
  assert.deepEqual(
    await dashboard.api.query("select legacy_reference, status from subscription_migrations order by 1"),
    [
      { legacy_reference: "old-1", status: "link_sent" },
      { legacy_reference: "old-2", status: "link_sent" },
    ],
  );
  await page.getByRole("searchbox").fill("sipho");
  await page.getByText("Thandi Nkosi").waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  await page.getByRole("button", { name: "Cancel migrations" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 link stops working").waitFor();
  await dialog.getByRole("button", { name: "Cancel migrations" }).dblclick();
  await dialog.getByText("1 record done").waitFor();
  assert.deepEqual(
    await dashboard.api.query("select legacy_reference from subscription_migrations where status = 'cancelled'"),
    [{ legacy_reference: "old-2" }],
  );
});

test("referral links are shown with what came of them", async (t) => {
  const { body } = await dashboard.shop.get<{ data: { url: string; name: string }[] }>("/accounting/referral-links");
  const [link] = body.data;
  assert.ok(link, "there is a partner");
  const path = new URL(link.url).pathname;
  assert.equal((await dashboard.api.call("GET", path, { headers: { "user-agent": "Mozilla/5.0" } })).status, 303);
  const page = await dashboard.open(t, "/accounting/referral-links", { role: "viewer" });
  const row = page.getByRole("row", { name: link.name });
  await row.getByText(link.url).waitFor();
  assert.equal(await row.getByRole("cell", { name: "1", exact: true }).count(), 1);
});

test("a batch whose upload had no answer is sent again, once, by who says that they looked", async (t) => {
  const { api } = dashboard;
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string }>("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  const stage: CardShop = {
    ...{ api, shop, staff },
    account: { id: added.body.id } as CardShop["account"],
    customer: await addCardCustomer(shop),
    async move(now) {
      standIn.setNow(new Date(now));
      return (await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now })).body.ran;
    },
  };
  await addActiveMandate(stage, { debitDay: 5, amount: 350.5 });
  const batch = await gathered(stage, "2027-03-05");
  assert.equal((await submit(stage, batch)).status, 200);
  standIn.failAnswers({ kind: "silence", done: false });
  await stage.move("2027-03-01T10:30:00Z");
  const page = await dashboard.open(t, `/debit-batches/${batch.id}`, { staff: await shop.addStaff("finance") });
  await page.getByRole("button", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Send again" }).click();
  await dialog.getByText("Look for it there first.").waitFor();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await dialog.getByText("Wait for an hour after it was sent.", { exact: false }).waitFor();
  await stage.move("2027-03-01T12:00:00Z");
  standIn.mend();
  await dialog.getByRole("button", { name: "Send again" }).dblclick();
  await page.getByText("Batch sent to the gateway again").waitFor();
  await stage.move("2027-03-01T12:05:00Z");
  const sent = "select 1 from audit_log where action = 'POST /debit-batches/{id}/send-again' and subject = $1";
  assert.equal((await api.query(sent, batch.id)).length, 1);
  assert.deepEqual(await api.query("select status from debit_batches where id = $1", batch.id), [
    { status: "submitted" },
  ]);
});

test("chosen gateway subscriptions are paused, resumed and cancelled together", async (t) => {
  const stage = await openSubscriptionShop(dashboard.api);
  const ids = [(await subscribe(stage)).id, (await subscribe(stage)).id];
  const page = await dashboard.open(t, "/subscriptions", { staff: await stage.shop.addStaff("finance") });
  const dialog = page.getByRole("dialog");
  for (const [label, what, status] of [
    ["Pause", "Gateways stop charging 2 subscriptions", "paused"],
    ["Resume", "Gateways keep charging 2 subscriptions", "active"],
    ["Cancel subscriptions", "Gateways stop charging 2 cards", "cancelled"],
  ] as const) {
    await page.getByRole("checkbox", { name: "Select all of this page" }).check();
    await page.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText(what).waitFor();
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Asked for it");
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText("2 records done").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    for (const id of ids) assert.equal((await subscriptionNow(stage, id))["status"], status);
  }
  const { organisation } = stage.shop;
  const notes = await dashboard.api.query("select 1 from notes where organisation_id = $1", organisation.id);
  assert.equal(notes.length, 6, "each keeps each reason");
});
