import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { freePort } from "../../src/app/listen.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { openPage } from "../support/browser.ts";
import { enter, looksRight } from "../support/dashboard-pages.ts";
import { cloneDatabase } from "../support/database.ts";
import { eventually, serve, temporaryFolder } from "../support/processes.ts";

/* What a new user does first, in a browser: the service in a process of its own, with its demo organisation, and what it has printed. */

const status = (page: Page) => page.locator("main .tefo-status").first();
const figure = (page: Page, label: string) => page.getByRole("link", { name: label }).locator("strong");
const received = (page: Page) => page.getByRole("region", { name: "Received" });
/** An amount of the demo's invoice, with any spaces. */
const INVOICE = /R\s3\s194\.98/;

/** Pays what is open on a payer's page, at the sandbox gateway. */
async function pay(payer: Page, address: string): Promise<void> {
  await payer.goto(address);
  await payer.getByRole("button", { name: "Pay R" }).click();
  await payer.waitForURL("**/sandbox-gateway/pay/**");
  await payer.getByRole("button", { name: /^Pay/ }).click();
  await payer.getByRole("heading", { name: "Payment received" }).waitFor();
}

/** The address that a mail's text leads to, as staff read it in the dashboard. */
async function addressMailed(page: Page, base: string, to: string, pattern: RegExp): Promise<string> {
  let address = "";
  await eventually(`an email to ${to}`, async () => {
    const list = await page.request.get(`${base}/dashboard/api/emails?q=${to}`);
    const [mail] = ((await list.json()) as { data: { id: string }[] }).data;
    if (!mail) return false;
    const { text } = (await (await page.request.get(`${base}/dashboard/api/emails/${mail.id}`)).json()) as {
      text: string | null;
    };
    address = pattern.exec(text ?? "")?.[0] ?? "";
    return address !== "";
  });
  return address;
}

test("who starts the service signs in with what it prints, sees the demo's invoice paid by its customer, and has a colleague look", async (t) => {
  const base = `http://localhost:${await freePort("127.0.0.1")}`;
  const service = serve(t, {
    PORT: new URL(base).port,
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    LOOPBACK_WEBHOOKS: "1",
    DATA_DIR: await temporaryFolder(t),
  });
  const [, dashboard = "", email = "", password = ""] = await service.says(
    /Dashboard +(\S+)\s+Sign in +(\S+)\s+Password +(\S+)/,
  );
  const page = await openPage(t);
  await page.goto(dashboard);
  await enter(page, { email, password });
  await page.getByRole("heading", { level: 1, name: /^Good / }).waitFor();
  assert.match((await figure(page, "Outstanding").textContent()) ?? "", INVOICE);
  await received(page)
    .getByText(/^R\s0\.00$/)
    .waitFor();

  await page.getByRole("link", { name: "Outstanding" }).click();
  await page.getByRole("link", { name: "INV-000001" }).click();
  await page.getByRole("heading", { level: 1, name: "INV-000001" }).waitFor();
  assert.equal(await status(page).textContent(), "Sent");
  const payPage = await page.getByRole("link", { name: "View as customer" }).getAttribute("href");
  const payer = await openPage(t, { javaScriptEnabled: false });
  await pay(payer, payPage ?? "");
  await page.reload();
  await page.locator("main .tefo-status").getByText("Paid", { exact: true }).waitFor();
  await page.goto(dashboard);
  await page.getByRole("heading", { level: 1, name: /^Good / }).waitFor();
  assert.match((await received(page).locator(".tefo-large").textContent()) ?? "", INVOICE);

  await page.goto(`${dashboard}/members`);
  await page.getByRole("link", { name: "Invite team member" }).click();
  await page.getByRole("textbox", { name: "Email address" }).fill("lerato@example.co.za");
  await page.getByRole("radio", { name: "Viewer" }).check();
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("row", { name: /lerato@example.co.za/ }).waitFor();
  const invitation = await addressMailed(page, base, "lerato@example.co.za", /http\S+\/invitations?\/\S+/);

  const colleague = await openPage(t);
  for (const broken of ["invitations/nonsense", "reset-password/nonsense"]) {
    await colleague.goto(`${dashboard}/${broken}`);
    await colleague.getByRole("link", { name: "To the sign-in" }).waitFor();
  }
  await colleague.goto(invitation);
  await colleague.getByRole("heading", { level: 1, name: "Join Demo Trading" }).waitFor();
  await looksRight(colleague, "an invitation");
  await colleague.getByRole("textbox", { name: "Your name" }).fill("Lerato Mokoena");
  await colleague.locator("input[type=password]").fill("a long enough password");
  await colleague.getByRole("button", { name: "Accept" }).dblclick();
  await colleague.getByRole("link", { name: "Sign in" }).click();
  await enter(colleague, { email: "lerato@example.co.za", password: "a long enough password" });
  await colleague.getByRole("heading", { level: 1, name: /^Good \w+, Lerato$/ }).waitFor();
  assert.equal(await colleague.getByRole("link", { name: "New invoice" }).count(), 0);
  await colleague.goto(`${dashboard}/invoices`);
  await colleague.getByRole("link", { name: "INV-000001" }).click();
  await colleague.getByRole("heading", { level: 1, name: "INV-000001" }).waitFor();
  assert.equal(await status(colleague).textContent(), "Paid");
  assert.equal(await colleague.getByRole("button", { name: /Refund|Cancel|Send/ }).count(), 0);
  await colleague.goto(`${dashboard}/members`);
  await colleague.getByRole("row", { name: /Lerato Mokoena/ }).waitFor();
  assert.equal(await colleague.getByRole("columnheader", { name: "Actions" }).count(), 0);
  assert.equal(await page.getByRole("columnheader", { name: "Actions" }).count(), 1);
  await page.reload();
  await page
    .getByRole("row", { name: /Lerato Mokoena/ })
    .getByText("Viewer")
    .waitFor();
});
