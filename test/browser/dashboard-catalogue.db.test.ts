import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* What is sold: products, packages with plans, coupons. */

const ids = { product: "", package: "", plan: "", coupon: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const text = "<script>alert(1)</script> مرحبا 👋 ".repeat(6).slice(0, 200);
  const staff = await shop.signIn("owner");
  const idOf = async (path: string, body: object) => String((await staff<{ id: string }>("POST", path, body)).body.id);
  ids.product = await idOf("/products", { name: text, description: text.repeat(5), amount: 99.99 });
  ids.package = await idOf("/packages", { name: text, description: text.repeat(5) });
  ids.plan = await idOf(`/packages/${ids.package}/plans`, { name: text, amount: 500, frequency: "annually" });
  ids.coupon = await idOf("/coupons", { code: "WELCOME", percent: 10, planIds: [ids.plan] });
});

for (const colorScheme of ["light", "dark"] as const)
  test(`buttons can be read under the pointer, ${colorScheme}`, async (t) => {
    const page = await dashboard.open(t, `/coupons/${ids.coupon}`, { colorScheme });
    await page.getByRole("link", { name: "Edit", exact: true }).hover();
    await looksRight(page, "a main button under the pointer");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).hover();
    await looksRight(page, "the button of a dangerous dialog under the pointer");
    await page.goto(`${dashboard.api.baseUrl}/dashboard/coupons?q=nothing`);
    await page.getByRole("button", { name: "Clear", exact: true }).hover();
    await looksRight(page, "a quiet button under the pointer");
  });

test("somebody makes a package and a plan once, changes its price, and deletes both", async (t) => {
  const page = await dashboard.open(t, "/packages");
  await page.getByRole("link", { name: "New package" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Gym");
  await page.getByRole("button", { name: "Create package" }).dblclick();
  await page.getByRole("heading", { name: "Gym" }).waitFor();
  await page.getByRole("link", { name: "New plan" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Monthly");
  await page.getByRole("textbox", { name: "Price", exact: true }).fill("250.50");
  await page.getByRole("textbox", { name: "Days of trial" }).fill("7");
  await page.getByRole("textbox", { name: "Minimum" }).fill("400");
  await page.getByRole("button", { name: "Add a feature" }).click();
  await page.getByRole("textbox", { name: "Key" }).fill("seats");
  await page.getByRole("combobox", { name: "Included" }).selectOption("Up to");
  await page.getByRole("textbox", { name: "Limit" }).fill("5");
  await page.getByRole("button", { name: "Create plan" }).dblclick();
  await page.getByText("R 250.50 a month").waitFor();
  await page.getByText("seats: Up to 5").waitFor();
  await page.getByRole("link", { name: "Monthly" }).click();
  await page.getByRole("textbox", { name: "Price", exact: true }).fill("300");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("R 300.00 a month").waitFor();
  const features = [{ key: "seats", type: "limit", value: 5 }];
  const plans = await dashboard.api.query(
    `select v.amount_cents::int as cents, v.number, v.trial_days as days, v.tiering ->> 'minimumAmount' as least, p.features from packages k
       join plans p on p.package_id = k.id join plan_versions v on v.plan_id = p.id where k.name = 'Gym' order by v.number`,
  );
  assert.deepEqual(plans, [
    { cents: 25_050, number: 1, days: 7, least: "400", features },
    { cents: 30_000, number: 2, days: 7, least: "400", features },
  ]);
  await page.getByRole("button", { name: "Delete" }).nth(1).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No plan yet.").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("It goes with 0 plans.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "Packages", level: 1 }).waitFor();
  assert.deepEqual(await dashboard.api.query("select 1 from packages where name = 'Gym'"), []);
});

test("somebody makes a coupon for some charges of one plan", async (t) => {
  const page = await dashboard.open(t, "/coupons/new");
  await page.getByRole("textbox", { name: "Code" }).fill("WINTER");
  await page.getByRole("button", { name: "Create coupon" }).click();
  await page.getByText("Say how much it takes off.").waitFor();
  await page.getByRole("textbox", { name: "Percent" }).fill("12.5");
  await page.getByRole("combobox", { name: "From" }).selectOption("Some charges");
  await page.getByRole("textbox", { name: "Charges" }).fill("3");
  await page.getByRole("button", { name: "Create coupon" }).click();
  await page.getByRole("heading", { name: "WINTER" }).waitFor();
  await page.getByText("3 charges").waitFor();
  const made = await dashboard.api.query("select percent::text, cycles from coupons where code = 'WINTER'");
  assert.deepEqual(made, [{ percent: "12.5", cycles: 3 }]);
});

test("who may only look is shown no way to change what is sold", async (t) => {
  const page = await dashboard.open(t, `/packages/${ids.package}`, { role: "viewer" });
  await page.getByRole("heading", { name: "Plans" }).waitFor();
  for (const name of ["New plan", "Edit"])
    assert.equal(await page.getByRole("link", { name, exact: true }).count(), 0, name);
  assert.equal(await page.getByRole("button", { name: "Delete" }).count(), 0);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/packages/${ids.package}/plans/new`);
  await page.getByRole("heading", { name: "You do not have access" }).waitFor();
});

test("a plan's tiers are typed, shown, changed and removed", async (t) => {
  const made = await dashboard.shop.post<{ id: string }>("/packages", { name: "Water" });
  const page = await dashboard.open(t, `/packages/${made.body.id}/plans/new`);
  await page.getByRole("textbox", { name: "Name" }).fill("Metered");
  await page.getByRole("textbox", { name: "Price", exact: true }).fill("0");
  await page.getByRole("combobox", { name: "Price by quantity" }).selectOption("Each unit by its own tier");
  await page.getByRole("textbox", { name: "Up to unit" }).fill("100");
  await page.getByRole("textbox", { name: "Price of a unit" }).fill("1.5");
  await page.getByRole("button", { name: "Add a tier" }).click();
  await page.getByRole("textbox", { name: "Price of a unit" }).nth(1).fill("0.75");
  await page.getByRole("textbox", { name: "Plus, once" }).nth(1).fill("20");
  await page.getByRole("textbox", { name: "Included units" }).fill("10");
  await looksRight(page, "the form of a plan with tiers");
  await page.getByRole("button", { name: "Create plan" }).dblclick();
  await page.getByText("10 units included").waitFor();
  await page.getByText("over 100: R 0.75 each and R 20.00").waitFor();
  const tiering = async () => {
    const [row] = await dashboard.api.query<{ tiering: unknown }>(
      `select v.tiering from plans p join plan_versions v on v.plan_id = p.id where p.package_id = $1 order by v.number desc limit 1`,
      made.body.id,
    );
    return row?.tiering;
  };
  assert.deepEqual(await tiering(), {
    tiers: [
      { upTo: "100", unitAmount: "1.5" },
      { upTo: null, unitAmount: "0.75", flatAmount: "20" },
    ],
    tierMode: "graduated",
    includedUnits: "10",
  });
  await page.getByRole("link", { name: "Metered" }).click();
  await page.getByRole("combobox", { name: "Price by quantity" }).selectOption("By begun packages");
  await page.getByRole("textbox", { name: "Units in a package" }).fill("50");
  assert.equal(await page.getByRole("button", { name: "Add a tier" }).count(), 0);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("R 1.50 for each begun 50 units").waitFor();
  await page.getByRole("link", { name: "Metered" }).click();
  await page.getByRole("combobox", { name: "Price by quantity" }).selectOption("One price for each unit");
  await page.getByRole("textbox", { name: "Included units" }).fill("");
  await page.getByRole("textbox", { name: "Price", exact: true }).fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("R 5.00 a month").waitFor();
  assert.equal(await tiering(), null);
});
