import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { notifyUrlOf } from "../../src/flows/gateways/accounts.ts";
import { sandbox } from "../../src/gateways/sandbox/adapter.ts";
import { cents } from "../../src/kernel/money.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { addClockedMerchant, type ClockedMerchant, callAs } from "../support/clocked-merchant.ts";
import { openPages, type TestPages } from "../support/pages.ts";

/* The sandbox gateway's pages in a browser: a subscription is paid for, an electronic mandate is signed. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;
const NOW = "2026-01-31T10:00:00.000Z";
const payer = { email: "p@example.com", firstName: null, lastName: null, phone: null };

async function open(t: TestContext): Promise<{ pages: TestPages; shop: ClockedMerchant }> {
  const pages = await openPages();
  t.after(() => pages.close());
  return { pages, shop: await addClockedMerchant(pages, NOW) };
}

async function mandateUrl({ services }: TestPages, shop: ClockedMerchant, call: Awaited<ReturnType<typeof callAs>>) {
  const made = await sandbox.eMandates?.create(
    {
      accountReference: "DO0123456789",
      amount: cents(25_000),
      frequency: "monthly",
      debitDay: 31,
      amountVaries: false,
      startDate: "2026-02-01" as CalendarDay,
      description: "School fees",
      payer,
      idNumber: null,
      bank: { holder: "T Nkosi", number: "62123456700", branchCode: "250655", type: "current" },
      notifyUrl: notifyUrlOf(services, shop.gateway),
    },
    call,
  );
  return made?.kind === "created" ? made.signUrl : assert.fail("no mandate was made");
}

async function checkoutUrl(
  { services, baseUrl }: TestPages,
  shop: ClockedMerchant,
  call: Awaited<ReturnType<typeof callAs>>,
) {
  const started = await sandbox.checkout?.start(
    {
      reference: "R-1",
      amount: cents(5_000),
      currency: "ZAR",
      description: "Gym",
      payer,
      returnUrl: `${baseUrl}/back`,
      cancelUrl: `${baseUrl}/back`,
      notifyUrl: notifyUrlOf(services, shop.gateway),
      recurring: { frequency: "monthly", amount: cents(5_000), nextChargeOn: null },
      saveCard: false,
      startsSubscription: false,
      forCard: false,
    },
    call,
  );
  return started?.kind === "redirect" ? started.url : assert.fail("no checkout was made");
}

for (const [screen, options] of Object.entries(SCREENS))
  for (const javaScriptEnabled of [true, false])
    test(`a payer subscribes and signs a mandate, on a ${screen}, ${javaScriptEnabled ? "with" : "without"} script`, async (t) => {
      const { pages, shop } = await open(t);
      const call = await callAs(pages, shop);
      const page = await openPage(t, { ...options, javaScriptEnabled });
      // axe is a script of the page.
      const look = async (what: string) => {
        if (javaScriptEnabled) assert.deepEqual(await axeFindings(page), [], what);
      };

      await page.goto(await checkoutUrl(pages, shop, call));
      await look("checkout");
      await page.getByLabel("Card number").fill("5555555555554444");
      await page.getByRole("button", { name: /^Pay/ }).click();
      await page.waitForURL("**/back");
      const [paid] = await shop.told("R-1");
      assert.partialDeepStrictEqual(paid, { kind: "paid", card: { last4: "4444" } });
      assert.equal(paid?.subscription?.nextChargeOn, "2026-02-28");

      await page.goto(await mandateUrl(pages, shop, call));
      assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Let Karoo Books debit your account");
      await look("mandate");
      assert.equal(
        await page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
        0,
      );
      await page.getByRole("button", { name: "Not now" }).click();
      await page.getByRole("button", { name: "Sign the mandate" }).click();
      await page.getByRole("heading", { name: "This mandate is signed" }).waitFor();
      await look("signed");
      assert.equal(await page.getByRole("button").count(), 0);
      assert.partialDeepStrictEqual(await sandbox.eMandates?.query("DO0123456789", call), { kind: "accepted" });
    });
