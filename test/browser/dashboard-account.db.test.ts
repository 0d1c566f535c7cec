import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Credentials } from "../support/api.ts";
import { enter, looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { totp } from "../support/totp.ts";

/* One's own account, by hand in a browser: name, password, second factor, passkeys, sessions. */

const dashboard = setUpDashboardPages();

const pressed = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
const password = (page: Page) => page.getByRole("dialog").getByRole("textbox", { name: "Password", exact: true });
const signOut = async (page: Page) => {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
};
const toAccount = async (page: Page) => {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Your account" }).click();
};

test("somebody changes their name and their password, and the old one no longer signs them in", async (t) => {
  const staff = await dashboard.shop.addStaff("viewer");
  const page = await dashboard.open(t, "/account", { staff });
  await page.getByRole("button", { name: "Change name" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Thandi Mbeki");
  await pressed(page, "Change name");
  await page.getByRole("button", { name: "Account of Thandi Mbeki" }).waitFor();
  const members = await dashboard.api.query("select name from members where email = $1", staff.email);
  assert.deepEqual(members, [{ name: "Thandi Mbeki" }]);

  await page.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Current password" }).fill("not it");
  await dialog.getByRole("textbox", { name: "New password" }).fill("a longer new password");
  await pressed(page, "Change password");
  await dialog.getByText("The password is wrong.").waitFor();
  assert.equal(await dialog.getByRole("textbox", { name: "New password" }).inputValue(), "a longer new password");
  await dialog.getByRole("textbox", { name: "Current password" }).fill(staff.password);
  await page.context().clearCookies();
  await pressed(page, "Change password");
  await page.getByText("Your session has ended").waitFor();
  await page
    .getByRole("dialog", { name: "Your session has ended" })
    .locator("input[type=password]")
    .fill(staff.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Password changed").waitFor();
  await signOut(page);
  await enter(page, staff);
  await page.getByText("The email address or the password is wrong.").waitFor();
  await enter(page, { ...staff, password: "a longer new password" });
  await page.getByRole("button", { name: "Account of Thandi Mbeki" }).waitFor();
});

test("somebody turns on a second factor, signs in with a backup code, and turns it off", async (t) => {
  const staff = await dashboard.shop.addStaff("viewer");
  const page = await dashboard.open(t, "/account", { staff });
  await page.getByRole("button", { name: "Turn on" }).click();
  await password(page).fill(staff.password);
  await pressed(page, "Turn on");
  const uri = (await page.getByRole("link", { name: "open it on this device" }).getAttribute("href")) ?? "";
  await page.getByText(new URL(uri).searchParams.get("secret") ?? "no secret").waitFor();
  await page.getByRole("img", { name: "QR code of the key for your authenticator" }).waitFor();
  await looksRight(page, "the key of a second factor");
  const code = page.getByRole("textbox", { name: "Code" });
  await code.fill("000000");
  await pressed(page, "Turn it on");
  await page.getByText("It is not on yet").waitFor();
  await code.fill(totp(uri));
  await pressed(page, "Turn it on");
  const [backup = ""] = ((await page.getByRole("dialog").locator("pre").textContent()) ?? "").split("\n");
  assert.match(backup, /\w{4,}/);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByText("It is on: after your password").waitFor();

  await signOut(page);
  await enter(page, staff);
  await page.getByRole("textbox", { name: "Code" }).fill(backup);
  await page.getByRole("button", { name: "Continue" }).click();
  await toAccount(page);
  await page.getByRole("button", { name: "Turn off" }).click();
  await password(page).fill(staff.password);
  await pressed(page, "Turn off");
  await page.getByText("It is off: your password alone").waitFor();
});

test("somebody adds a passkey, also long after signing in, signs in with it, and removes it", async (t) => {
  const staff = await dashboard.shop.addStaff("viewer");
  const page = await dashboard.open(t, "/account", { staff });
  await plugIn(page);
  await age(staff, 20);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("My phone");
  await pressed(page, "Add a passkey");
  await page.getByRole("dialog", { name: "Confirm it is you" }).waitFor();
  await enter(page, staff);
  const row = page.getByRole("row", { name: /My phone/ });
  await row.waitFor();
  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await toAccount(page);
  await row.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Old phone");
  await pressed(page, "Rename");
  const renamed = page.getByRole("row", { name: /Old phone/ });
  await renamed.getByRole("button", { name: "Remove" }).click();
  await pressed(page, "Remove");
  await page.getByText("None yet.").waitFor();
});

test("somebody ends one session, then all others, and stays signed in", async (t) => {
  const staff = await dashboard.shop.addStaff("viewer");
  const elsewhere = await dashboard.open(t, "/account", { staff });
  const page = await dashboard.open(t, "/account", { staff });
  await page.getByRole("button", { name: "End", exact: true }).click();
  await pressed(page, "End");
  await page.getByText("Session ended").waitFor();
  await elsewhere.reload();
  await enter(elsewhere, staff);
  await elsewhere.getByRole("button", { name: /^Account of/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "End all others" }).click();
  await pressed(page, "End all others");
  await page.getByText("All other sessions ended").waitFor();
  await page.getByRole("button", { name: "End", exact: true }).waitFor({ state: "detached" });
  await elsewhere.reload();
  await elsewhere.getByRole("button", { name: "Sign in", exact: true }).waitFor();
});

test("who moves more than the limit proves again who they are, by password or passkey, and it happens once", async (t) => {
  const staff = await dashboard.shop.addStaff("owner");
  const call = await dashboard.shop.signIn("owner");
  const customer = await call<{ id: string }>("POST", "/customers", { email: "payer@example.com" });
  const lines = [{ description: "Work", quantity: 1, unitPrice: 500, taxRate: 0 }];
  const invoice = await call<{ id: string }>("POST", "/invoices", { customerId: customer.body.id, lines });
  assert.equal(invoice.status, 201);
  assert.equal((await call("PATCH", "/settings", { reauthenticationLimit: 100 })).status, 200);
  const page = await dashboard.open(t, `/invoices/${invoice.body.id}`, { staff });
  await plugIn(page);
  const payments = () =>
    dashboard.api.query(
      "select amount_cents::int as cents from invoice_payments where invoice_id = $1",
      invoice.body.id,
    );
  const record = async () => {
    await age(staff, 6);
    await page.getByRole("button", { name: "Record payment" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Amount" }).fill("200");
    await pressed(page, "Record payment");
    await page.getByRole("dialog", { name: "Confirm it is you" }).waitFor();
  };

  await record();
  await enter(page, { ...staff, password: "not it" });
  await page.getByText("The email address or the password is wrong.").waitFor();
  assert.deepEqual(await payments(), []);
  await enter(page, staff);
  await page.getByText(/^Payment recorded\. /).waitFor();
  assert.deepEqual(await payments(), [{ cents: 20_000 }]);

  await addPasskey(page);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices/${invoice.body.id}`);
  await record();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByText(/^Payment recorded\. /).waitFor();
  assert.deepEqual(await payments(), [{ cents: 20_000 }, { cents: 20_000 }]);
});

test("a member of no organisation makes one of their own", async (t) => {
  const staff = await dashboard.shop.addStaff("viewer");
  const page = await dashboard.open(t, "/", { staff });
  await dashboard.api.query("delete from members where email = $1", staff.email);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "You are a member of no organisation" }).waitFor();
  await looksRight(page, "no organisation");
  await page.getByRole("link", { name: "Create an organisation" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Own Garage");
  await looksRight(page, "the form of an organisation, without any");
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByRole("button", { name: "Create organisation" }).dblclick();
  await page.locator("main").getByText("Own Garage").waitFor();
});

/** Makes the sessions of somebody so many minutes old. */
const age = ({ email }: Credentials, minutes: number) =>
  dashboard.api.query(
    `update identity.session set created_at = now() - make_interval(mins => $2)
      where user_id = (select id from identity."user" where email = $1)`,
    email,
    minutes,
  );

async function addPasskey(page: Page): Promise<void> {
  await toAccount(page);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("My phone");
  await pressed(page, "Add a passkey");
  await page.getByRole("row", { name: /My phone/ }).waitFor();
}

/** Gives the browser a device that verifies its owner. */
async function plugIn(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await protocol.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}
