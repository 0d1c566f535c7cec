import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { BANK } from "../support/eft.ts";

/* Gateway subscriptions, checkouts, and the design of checkout pages. */

const ids = { product: "", session: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const staff = await shop.signIn("owner");
  const product = await staff<{ id: string }>("POST", "/products", { name: "Helmet", amount: 400 });
  const session = await shop.post<{ id: string }>("/checkout-sessions", {
    productId: product.body.id,
    customer: { email: "thandi@example.co.za", company: "<b>Karoo</b> مرحبا 👋" },
  });
  assert.equal(session.status, 201, session.text);
  Object.assign(ids, { product: product.body.id, session: session.body.id });
});

test("somebody makes a link to checkout for one payer, once", async (t) => {
  const page = await dashboard.open(t, "/checkout-sessions/new");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByText("Choose either a plan or a product.").waitFor();
  await page.getByRole("combobox", { name: "Product" }).fill("Helm");
  await page.getByRole("option", { name: "Helmet" }).click();
  await page.getByRole("textbox", { name: "Email address" }).fill("sipho@example.co.za");
  await page.getByRole("button", { name: "Create link" }).dblclick();
  await page.getByRole("heading", { name: "sipho@example.co.za" }).waitFor();
  await page.getByRole("link", { name: "View as customer" }).waitFor();
  await page.getByRole("definition").getByRole("link", { name: "Helmet" }).waitFor();
  const { body } = await dashboard.shop.get<{ data: { prefill: { email?: string } }[] }>("/checkout-sessions");
  assert.equal(body.data.filter(({ prefill }) => prefill.email === "sipho@example.co.za").length, 1);
});

test("the design is seen on phone and desktop while it is typed, and saved", async (t) => {
  const page = await dashboard.open(t, "/checkout-pages");
  const preview = page.frameLocator("iframe");
  await preview.getByRole("heading", { name: "Your product" }).waitFor();
  await page.getByRole("textbox", { name: "Headline", exact: true }).fill("<i>Ride</i> today");
  await preview.getByText("<i>Ride</i> today").waitFor();
  await page.getByText("Desktop", { exact: true }).click();
  await page.getByTitle("Preview on a desktop").waitFor();
  await preview.getByText("<i>Ride</i> today").waitFor();
  const before = await dashboard.api.query("select 1 from audit_log where subject = 'checkout-pages'");
  assert.deepEqual(before, []);
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.getByText("The checkout page is saved.").waitFor();
  const staff = await dashboard.shop.signIn("owner");
  assert.equal((await staff("GET", "/checkout-pages")).body["headline"], "<i>Ride</i> today");
});

test("the preview has the gateways that take plans, and a sample while none does", async (t) => {
  const { shop } = dashboard;
  await shop.addGateway({ type: "manual_eft", name: "Cheque account", credentials: BANK });
  await shop.addGateway({ name: "Old Karoo Pay", enabled: false });
  const page = await dashboard.open(t, "/checkout-pages");
  const preview = page.frameLocator("iframe");
  await preview.getByText("Card (sample)").waitFor();
  await preview.getByText("None of your gateways takes this yet").waitFor();
  await looksRight(page, "a sample of a gateway");
  await shop.addGateway({ name: "<b>Karoo</b> Pay" });
  await page.reload();
  await preview.getByText("<b>Karoo</b> Pay").waitFor();
  for (const name of ["Card (sample)", "Cheque account", "Old Karoo Pay"])
    assert.equal(await preview.getByText(name).count(), 0, name);
});

test("who may only look sees the design and cannot save it", async (t) => {
  const page = await dashboard.open(t, "/checkout-pages", { role: "viewer" });
  await page.getByTitle("Preview on a phone").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
  assert.equal(await page.getByRole("textbox", { name: "Headline", exact: true }).isDisabled(), true);
});
