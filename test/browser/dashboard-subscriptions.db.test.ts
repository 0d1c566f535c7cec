import assert from "node:assert/strict";
import { test } from "node:test";
import { addCard, type CardShop } from "../support/cards.ts";
import { everyPageLooksRight, looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addActiveMandate } from "../support/mandates.ts";

/* Customer subscriptions by hand in a browser. The clock stands at 31 January 2027. */

const ids = { customer: "", package: "", subscription: "", external: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const staff = await shop.signIn("owner");
  await staff("POST", "/test-clock", { now: "2027-01-31T08:00:00.000Z" });
  const idOf = async (path: string, body: object) => {
    const answer = await shop.post<{ id: string }>(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const text = "<script>alert(1)</script> مرحبا 👋 ".repeat(6).slice(0, 200);
  ids.customer = await idOf("/customers", {
    company: "Karoo Cycles",
    email: "thandi@example.co.za",
    externalReference: "T1",
  });
  ids.package = await idOf("/packages", { name: "Gym" });
  const plan = { frequency: "monthly", taxRate: 15 };
  await idOf(`/packages/${ids.package}/plans`, { ...plan, name: "Silver", code: "silver", amount: 100 });
  await idOf(`/packages/${ids.package}/plans`, { ...plan, name: "Gold", code: "gold", amount: 310 });
  const customer = { id: await idOf("/customers", { email: "sipho@example.co.za" }) };
  ids.subscription = await idOf("/customer-subscriptions", {
    customer,
    plan: "silver",
    collectionMethod: "invoice",
    items: [
      { kind: "addon", description: text, unitAmount: 12.5 },
      { kind: "metered", description: "Visits", unitAmount: 3 },
    ],
  });
  ids.external = await idOf("/customer-subscriptions", {
    customer,
    plan: "silver",
    collectionMethod: "external",
    externalReference: "P0",
    paidThrough: "2027-12-31",
  });
});

const recordOf = (where: string) =>
  dashboard.api.query<{ id: string; status: string }>(`select id, status from customer_subscriptions where ${where}`);

everyPageLooksRight(dashboard, () => [
  "/customer-subscriptions?status=paused",
  `/customer-subscriptions/new?customer=${ids.customer}`,
  `/customer-subscriptions/${ids.subscription}`,
  `/customer-subscriptions/${ids.subscription}/change`,
  `/customer-subscriptions/${ids.external}`,
  `/customer-subscriptions/${ids.external}/change`,
]);

test("somebody subscribes a customer, previews and makes a change, and watches the renewal", async (t) => {
  const page = await dashboard.open(t, "/customer-subscriptions");
  await page.getByRole("link", { name: "New subscription" }).click();
  await page.getByRole("combobox", { name: "Customer" }).fill("Karoo");
  await page.getByRole("option", { name: /Karoo Cycles/ }).click();
  await page.getByRole("combobox", { name: "Plan" }).fill("Silv");
  await page.getByRole("option", { name: /^Silver, R 100.00 a month/ }).click();
  const planned = page.getByRole("alert").filter({ hasText: "What will happen" });
  await planned.getByText("Billed today:").waitFor();
  assert.match((await planned.textContent()) ?? "", /TotalR.115\.00.*28 Feb 2027/s);
  assert.deepEqual(await recordOf(`customer_id = '${ids.customer}'`), []);
  await page.getByRole("button", { name: "Create subscription" }).dblclick();
  await page.getByRole("heading", { name: "Silver for Karoo Cycles" }).waitFor();
  assert.equal((await recordOf(`customer_id = '${ids.customer}'`)).length, 1);

  await page.getByRole("link", { name: "Change plan" }).click();
  await page.getByRole("combobox", { name: "Plan" }).fill("Gol");
  await page.getByRole("option", { name: /^Gold/ }).click();
  await page.getByText("in place of 1 × Silver").waitFor();
  const cut = (text: { scrollWidth: number; clientWidth: number }) => text.scrollWidth > text.clientWidth;
  for (const text of await planned.locator("td .tefo-words").all()) assert.equal(await text.evaluate(cut), false);
  await page.getByRole("radio", { name: "At renewal" }).check();
  await page.getByText("Nothing is to pay for the change itself.").waitFor();
  await page.getByRole("textbox", { name: "Reason" }).fill("asked by phone");
  await page.getByRole("button", { name: "Change plan" }).dblclick();
  await page.getByText(/becomes 1 × Gold/).waitFor();
  const changes = await dashboard.api.query(
    "select count(*)::int as times from audit_log where action like '%change-plan%'",
  );
  assert.deepEqual(changes, [{ times: 1 }]);
  const notes = await dashboard.api.query("select text from notes");
  assert.deepEqual(notes, [{ text: "Updated: asked by phone" }]);

  await page.getByRole("button", { name: "Go to the next invoice" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Go to the next invoice" }).dblclick();
  await page.getByText("The clock stands at 28 Feb 2027").waitFor();
  await page.getByRole("heading", { name: "Gold for Karoo Cycles" }).waitFor();
  const table = page.getByRole("table", { name: "Invoices" });
  await table.getByText("R 356.50").waitFor();
  await table.getByText("R 115.00").waitFor();
});

test("credit, a discount, usage and a pause happen once and show what they do before", async (t) => {
  const page = await dashboard.open(t, `/customer-subscriptions/${ids.subscription}`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add credit" }).click();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("20");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Closed on Monday");
  await dialog.getByText("The next bills are R 20.00 lower").waitFor();
  await dialog.getByRole("button", { name: "Add credit" }).dblclick();
  await page.getByText("Credit of R 20.00 is used").waitFor();
  await page.getByRole("button", { name: "Record usage" }).click();
  await dialog.getByRole("textbox", { name: "Quantity" }).fill("4");
  await dialog.getByText("afterwards it is 4").waitFor();
  await dialog.getByRole("button", { name: "Record usage" }).dblclick();
  await page.getByText("Usage recorded").waitFor();
  await page.getByRole("table", { name: "Next invoice" }).getByText("4 × R 3.00").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await dialog.getByRole("button", { name: "Pause" }).dblclick();
  await page.getByText("Subscription paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  const shown = await dashboard.shop.get<Record<string, unknown>>(`/customer-subscriptions/${ids.subscription}`);
  const [, usage] = shown.body["items"] as { quantity: number }[];
  assert.deepEqual([shown.body["credit"], usage?.quantity, shown.body["status"]], [20, 4, "paused"]);
});

test("a cancellation wants a reason and can be undone", async (t) => {
  const page = await dashboard.open(t, `/customer-subscriptions/${ids.external}`);
  const dialog = page.getByRole("dialog");
  assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0, "another platform bills it");
  await page.getByRole("button", { name: "Cancel subscription" }).click();
  await dialog.getByRole("button", { name: "Cancel subscription" }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("moved away");
  await dialog.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByText("It will end with its period.").waitFor();
  await page.getByText("moved away").first().waitFor();
  await page.getByRole("button", { name: "Undo the cancellation" }).click();
  await dialog.getByRole("button", { name: "Undo the cancellation" }).click();
  await page.getByText("Subscription resumed").waitFor();
});

test("a file of another platform's subscriptions is tried, reported and imported once", async (t) => {
  const page = await dashboard.open(t, "/customer-subscriptions/import");
  const rows = ["T1,gold,P1,2027-12-31,Stripe", "nobody,gold,P2,2027-12-31,Stripe"];
  const buffer = Buffer.from(
    ["customer.externalReference,plan,externalReference,paidThrough,metadata.importedFrom", ...rows].join("\n"),
  );
  await page.locator("input[type=file]").setInputFiles({ name: "old.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText("2 rows: 1 will be made, 0 there already, 1 with a fault.").waitFor();
  assert.deepEqual(await recordOf("external_reference = 'P1'"), []);
  await page.getByRole("button", { name: "Import 1 subscription" }).dblclick();
  await page.getByText("2 rows: 1 made").waitFor();
  assert.equal((await recordOf("external_reference = 'P1'")).length, 1);
});

test("who may only look is shown no way to change a subscription", async (t) => {
  const page = await dashboard.open(t, `/customer-subscriptions/${ids.external}`, { role: "viewer" });
  await page.getByRole("heading", { name: "Parallel run" }).waitFor();
  for (const name of ["Cancel subscription", "Add an item", "Go to the next invoice", "Undo the cancellation"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  assert.equal(await page.getByRole("link", { name: "Change plan" }).count(), 0);
});

test("a payment method is changed once, after it was shown what becomes of each open invoice", async (t) => {
  const { shop, api } = dashboard;
  const account = await shop.addGateway();
  const stage = { api, shop, account, customer: ids.customer } as CardShop;
  await addCard(stage);
  const mandate = await addActiveMandate(stage, { amount: 150, debitDay: 15 });
  const body = { customer: { id: ids.customer }, plan: "silver", collectionMethod: "invoice" };
  const { body: sub } = await shop.post<{ id: string }>("/customer-subscriptions", body);
  const page = await dashboard.open(t, `/customer-subscriptions/${sub.id}`);
  const dialog = page.getByRole("dialog");
  const choice = dialog.getByRole("combobox", { name: "Payment method" });
  await page.getByRole("button", { name: "Change payment method" }).click();
  await dialog.getByRole("button", { name: "Change payment method" }).click();
  await dialog.getByText("Choose a payment method.").waitFor();
  await choice.selectOption({ label: "Card: visa card that ends with 4242" });
  await dialog.getByText(/with R\s115\.00 due, is charged to the card on/).waitFor();
  await choice.selectOption({ label: `Debit order: ${mandate["accountReference"]}, account ending in 7701` });
  await dialog.getByText(/stops debiting its own R\s150\.00/).waitFor();
  const method = () =>
    dashboard.api.query(`select collection_method from customer_subscriptions where id = '${sub.id}'`);
  assert.deepEqual(await method(), [{ collection_method: "invoice" }], "a preview changes nothing");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("asked by phone");
  await looksRightAnywhere(page, "the change of a payment method");
  await dialog.getByRole("button", { name: "Change payment method" }).dblclick();
  await page.getByText("By debit order").waitFor();
  await page.getByText("Payment method changed: asked by phone").waitFor();
  const done = await dashboard.api.query(
    "select count(*)::int as times from audit_log where action like '%/payment-method'",
  );
  assert.deepEqual(done, [{ times: 1 }]);

  await page.getByRole("button", { name: "Change payment method" }).click();
  await choice.selectOption({ label: "Invoice, by email" });
  await dialog.getByText(`Mandate ${mandate["accountReference"]} is paused.`).waitFor();
  await dialog.getByRole("button", { name: "Change payment method" }).click();
  await page.getByText("By invoice").waitFor();
});

test("an item by usage is added with tiers, and its page says what each unit costs", async (t) => {
  const body = { customer: { id: ids.customer }, plan: "silver", collectionMethod: "invoice" };
  const { body: sub } = await dashboard.shop.post<{ id: string }>("/customer-subscriptions", body);
  const page = await dashboard.open(t, `/customer-subscriptions/${sub.id}`);
  await page.getByRole("button", { name: "Add an item" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Type" }).selectOption("By usage");
  await dialog.getByRole("textbox", { name: "Description" }).fill("Messages");
  await dialog
    .getByRole("combobox", { name: "Price by quantity" })
    .selectOption("All units by the tier of their total");
  await dialog.getByRole("textbox", { name: "Up to unit" }).fill("1000");
  await dialog.getByRole("textbox", { name: "Price of a unit" }).fill("0.0035");
  await dialog.getByRole("button", { name: "Add a tier" }).click();
  await dialog.getByRole("textbox", { name: "Price of a unit" }).nth(1).fill("0.002");
  await dialog.getByText("counts what was used, by its tiers").waitFor();
  await dialog.getByRole("button", { name: "Add an item" }).dblclick();
  const items = page.getByRole("table", { name: "Add-ons and usage" });
  await items.getByText("0 to 1000 in all: R 0.0035 each").waitFor();
  await items.getByText("over 1000 in all: R 0.002 each").waitFor();
  await items.getByRole("button", { name: "Edit" }).click();
  await dialog.getByRole("textbox", { name: "Included units" }).fill("50");
  await dialog.getByRole("button", { name: "Edit" }).click();
  await items.getByText("50 units included").waitFor();
  const { body: read } = await dashboard.shop.get<{ items: { tiers: object[]; includedUnits: number }[] }>(
    `/customer-subscriptions/${sub.id}`,
  );
  assert.deepEqual([read.items[0]?.tiers.length, read.items[0]?.includedUnits], [2, 50]);
});

interface StoredItem {
  readonly kind: string;
  readonly description: string;
  readonly code: string | null;
  readonly unitAmount: number;
  readonly quantity: number;
  readonly tierMode?: string;
  readonly tiers?: readonly object[];
  readonly includedUnits?: number;
  readonly minimumAmount?: number;
  readonly aggregation?: string;
}

/** The items of a subscription, as the API reads them, without their ids. */
async function itemsOf(id: string): Promise<object[]> {
  const { body } = await dashboard.shop.get<{ items: (StoredItem & { id: string })[] }>(
    `/customer-subscriptions/${id}`,
  );
  return body.items.map(({ id: _id, ...item }) => item);
}

test("a new subscription has items with tiers, whose price is shown before it is made", async (t) => {
  const { body: customer } = await dashboard.shop.post<{ id: string }>("/customers", { company: "Kalahari Post" });
  const page = await dashboard.open(t, `/customer-subscriptions/new?customer=${customer.id}`);
  await page.getByRole("combobox", { name: "Plan" }).fill("Silv");
  await page.getByRole("option", { name: /^Silver, R 100.00 a month/ }).click();
  const planned = page.getByRole("alert").filter({ hasText: "What will happen" });
  const more = (number: number) => page.locator("details").filter({ hasText: `minimum of item ${number}` });
  const itemOf = (number: number, field: string) => page.locator(`[data-path="items.${number - 1}.${field}"]`);

  await page.getByRole("button", { name: "Add an item" }).click();
  await planned.getByText("Give each item its description and prices").waitFor();
  await itemOf(1, "description").fill("Seats");
  await itemOf(1, "quantity").fill("12");
  await more(1).locator("summary").click();
  await more(1).getByRole("combobox", { name: "Price by quantity" }).selectOption("Each unit by its own tier");
  assert.equal(await itemOf(1, "unitAmount").count(), 0, "the tiers have the prices");
  await itemOf(1, "tiers.0.upTo").fill("5");
  await itemOf(1, "tiers.0.unitAmount").fill("20");
  await more(1).getByRole("button", { name: "Add a tier" }).click();
  await more(1).locator("summary").click();
  await page.getByRole("button", { name: "Create subscription" }).click();
  await more(1).getByText("Enter a price").waitFor();
  await itemOf(1, "tiers.1.unitAmount").fill("10");
  await itemOf(1, "tiers.1.flatAmount").fill("7.50");
  await itemOf(1, "includedUnits").fill("2");
  // 5 at R 20, 5 at R 10, and R 7.50 once, beside the plan's R 100.
  await planned.getByText("R 296.13").first().waitFor();

  await page.getByRole("button", { name: "Add an item" }).click();
  await itemOf(2, "description").fill("Messages");
  await itemOf(2, "kind").selectOption("By usage");
  await more(2).locator("summary").click();
  await more(2).getByRole("combobox", { name: "Price by quantity" }).selectOption("By begun packages");
  await itemOf(2, "tiers.0.upTo").fill("1000");
  await itemOf(2, "tiers.0.unitAmount").fill("35");
  await itemOf(2, "minimumAmount").fill("70");
  await page.getByRole("button", { name: "Add an item" }).click();
  await itemOf(3, "description").fill("Set-up");
  await itemOf(3, "kind").selectOption("Once");
  await itemOf(3, "unitAmount").fill("50");
  assert.equal(await more(3).count(), 0, "what is charged once has no tiers");
  await planned.getByText("R 353.63").first().waitFor();
  await looksRightAnywhere(page, "a new subscription with tiers");

  await itemOf(1, "tiers.0.upTo").fill("0");
  await page.getByRole("button", { name: "Create subscription" }).click();
  await itemOf(1, "tiers.0.upTo").and(page.locator("[aria-invalid=true]")).waitFor();
  await itemOf(1, "tiers.0.upTo").fill("5");
  await page.getByRole("button", { name: "Create subscription" }).dblclick();
  await page.getByRole("heading", { name: "Silver for Kalahari Post" }).waitFor();
  const [made, ...others] = await recordOf(`customer_id = '${customer.id}'`);
  assert.ok(made);
  assert.deepEqual(others, []);
  const seats = {
    ...{ code: null, kind: "addon", description: "Seats", unitAmount: 0, quantity: 12 },
    tiers: [
      { upTo: 5, unitAmount: 20, flatAmount: 0 },
      { upTo: null, unitAmount: 10, flatAmount: 7.5 },
    ],
    tierMode: "graduated",
    includedUnits: 2,
  };
  const messages = {
    ...{ code: null, kind: "metered", description: "Messages", unitAmount: 0, quantity: 0, aggregation: "sum" },
    ...{ tiers: [{ upTo: 1000, unitAmount: 35, flatAmount: 0 }], tierMode: "package", minimumAmount: 70 },
  };
  const stored = await itemsOf(made.id);
  assert.deepEqual(stored.slice(0, 2), [seats, messages]);

  await page.getByRole("link", { name: "Change plan" }).click();
  await itemOf(1, "tiers.1.unitAmount").waitFor();
  assert.equal(await itemOf(1, "tiers.1.unitAmount").inputValue(), "R 10.00");
  await more(1)
    .getByRole("combobox", { name: "Price by quantity" })
    .selectOption("All units by the tier of their total");
  await page.getByRole("radio", { name: "Now, new price from the next invoice" }).check();
  // All 10 at R 10, R 7.50 once, and the least of messages, R 70, beside the plan's R 100.
  await planned.getByText("R 319.13").first().waitFor();
  await looksRightAnywhere(page, "a changed subscription with tiers");
  await page.getByRole("button", { name: "Change plan" }).dblclick();
  await page.getByRole("table", { name: "Add-ons and usage" }).getByText("over 5 in all: R 10.00 each").waitFor();
  assert.deepEqual((await itemsOf(made.id)).slice(0, 2), [{ ...seats, tierMode: "volume" }, messages]);
});

test("a change of one item leaves the tiers and the usage of the others as they are", async (t) => {
  const { body: sub } = await dashboard.shop.post<{ id: string }>("/customer-subscriptions", {
    ...{ customer: { id: ids.customer }, plan: "silver", collectionMethod: "invoice" },
    items: [
      { kind: "addon", description: "Lockers", unitAmount: 10 },
      {
        ...{ kind: "metered", description: "Visitors", aggregation: "unique", uniqueBy: "visitor", includedUnits: 3 },
        ...{ tierMode: "volume", tiers: [{ upTo: null, unitAmount: 2, flatAmount: 5 }], minimumAmount: 30 },
      },
      { kind: "metered", description: "Towels", unitAmount: 1.5 },
    ],
  });
  const read = () => dashboard.shop.get<{ items: { id: string }[] }>(`/customer-subscriptions/${sub.id}`);
  const towels = (await read()).body.items[2]?.id;
  const used = { quantity: 8, action: "set" };
  assert.equal(
    (await dashboard.shop.post(`/customer-subscriptions/${sub.id}/items/${towels}/usage`, used)).status,
    200,
  );
  const before = (await read()).body.items;
  const page = await dashboard.open(t, `/customer-subscriptions/${sub.id}/change`);
  await page.getByRole("textbox", { name: "Unit price" }).first().fill("12");
  await page.getByRole("radio", { name: "Now, new price from the next invoice" }).check();
  await page.getByText("The next invoice, on").waitFor();
  await page.getByRole("button", { name: "Change plan" }).dblclick();
  await page.getByRole("table", { name: "Add-ons and usage" }).getByText("R 12.00").waitFor();
  const after = (await read()).body.items;
  assert.deepEqual(after.slice(1), before.slice(1));
});
