import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { approveEftOrder, rejectEftOrder } from "../../src/flows/eft-orders/review-eft-order.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { openPages, type PageMerchant, type TestPages } from "../support/pages.ts";
import { pngOf } from "../support/uploads.ts";

/* A payer pays by bank transfer: from the link to the bank details, a photographed proof, a rejection, another proof, approval. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

interface Stage {
  readonly pages: TestPages;
  readonly shop: PageMerchant;
}

async function open(t: TestContext): Promise<Stage> {
  const pages = await openPages();
  t.after(() => pages.close());
  const shop = await pages.addMerchant();
  await shop.addGateway({
    type: "manual_eft",
    credentials: {
      bankName: "First National Bank",
      accountName: "Karoo Books and Stationers (Pty) Ltd",
      accountNumber: "62 123 456 789",
      branchCode: "250655",
      accountType: "current",
    },
  });
  return { pages, shop };
}

/** A picture as large as a photograph, made by the browser. */
async function photograph(page: Page): Promise<Buffer> {
  const url: string = await page.evaluate(`(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 2000; canvas.height = 1500;
    const context = canvas.getContext("2d");
    const image = context.createImageData(2000, 1500);
    for (let at = 0; at < image.data.length; at++) image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/jpeg", 0.9);
  })()`);
  return Buffer.from(url.split(",")[1] ?? "", "base64");
}

const order = async ({ pages }: Stage) =>
  (await pages.query<{ id: string; status: string; reference: string }>("select * from eft_orders"))[0];

async function inspect(page: Page, what: string): Promise<void> {
  assert.deepEqual(await axeFindings(page), [], what);
  assert.equal(
    await page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    0,
    what,
  );
}

for (const [screen, options] of Object.entries(SCREENS))
  test(`a payer transfers, proves it by photograph, is turned back once and then believed, on a ${screen}`, async (t) => {
    const stage = await open(t);
    const { pages, shop } = stage;
    const { path } = await shop.addLink({ customerEmail: "thandi@example.co.za" });
    const page = await openPage(t, { ...options, permissions: ["clipboard-read", "clipboard-write"] });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(pages.baseUrl + path);
    await inspect(page, "pay page");
    await page.getByLabel("Bank transfer").check();
    await page.getByRole("button", { name: "Pay R" }).click();
    await page.getByRole("heading", { name: "Pay by bank transfer" }).waitFor();
    assert.match(page.url(), /\/eft\/[A-Za-z0-9_-]{64}$/);
    await inspect(page, "details");
    const begun = await order(stage);
    for (const [name, text] of [
      ["Copy the reference", begun?.reference ?? ""],
      ["Copy the amount", "1234.50"],
      ["Copy the account number", "62 123 456 789"],
      ["Copy the branch code", "250655"],
    ] as const) {
      await page.getByRole("button", { name }).click();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), text);
    }
    const photo = await photograph(page);
    assert.ok(photo.length > 500_000, "as heavy as a photograph");
    await page
      .getByLabel("Proof of payment")
      .setInputFiles({ name: "IMG_0042.jpg", mimeType: "image/jpeg", buffer: photo });
    await page.getByRole("button", { name: "Send proof" }).click();
    await page.getByRole("heading", { name: "Your proof is being checked" }).waitFor();
    assert.match((await page.textContent("main")) ?? "", /IMG_0042\.jpg/);
    await inspect(page, "in review");

    const ctx = await shop.ctx();
    const id = begun?.id ?? "";
    await pages.services.db.transaction(shop.organisation.id, (tx) =>
      rejectEftOrder(tx, ctx, id, "The photograph is too dark to read.\nPlease take another."),
    );
    await page.reload();
    assert.match((await page.textContent("main")) ?? "", /too dark to read/);
    await inspect(page, "rejected");
    await page
      .getByLabel("Proof of payment")
      .setInputFiles({ name: "slip.png", mimeType: "image/png", buffer: pngOf(900, 600) });
    await page.getByLabel("Proof of payment").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your proof is being checked" }).waitFor();
    await pages.services.db.transaction(shop.organisation.id, (tx) => approveEftOrder(tx, ctx, id));
    await page.reload();
    await page.getByRole("heading", { name: "Payment received" }).waitFor();
    await inspect(page, "paid");
    await page.goto(pages.baseUrl + path);
    await page.getByRole("heading", { name: "Already paid" }).waitFor();
    assert.deepEqual(complaints, []);
  });

test("the same without script: nothing to copy by button, the file is sent all the same", async (t) => {
  const stage = await open(t);
  const { path } = await stage.shop.addLink();
  const page = await openPage(t, { ...SCREENS.phone, javaScriptEnabled: false });
  await page.goto(stage.pages.baseUrl + path);
  await page.getByLabel("Bank transfer").check();
  await page.getByRole("button", { name: "Pay R" }).click();
  assert.equal(await page.textContent("h1"), "Pay by bank transfer");
  assert.equal(await page.getByRole("button", { name: /Copy/ }).count(), 0);
  const chosen = page.getByLabel("Proof of payment");
  await chosen.setInputFiles({
    name: "proof.pdf",
    mimeType: "application/pdf",
    buffer: gzipSync(Buffer.alloc(100_000)),
  });
  await page.getByRole("button", { name: "Send proof" }).click();
  assert.match((await page.textContent("[role=alert]")) ?? "", /must be a whole PDF, PNG or JPEG/);
  await page
    .getByLabel("Proof of payment")
    .setInputFiles({ name: "slip.png", mimeType: "image/png", buffer: pngOf(900, 600) });
  await page.getByRole("button", { name: "Send proof" }).click();
  assert.equal(await page.textContent("h1"), "Your proof is being checked");
  assert.equal((await order(stage))?.status, "awaiting_review");
});

test("a file that is too large comes back with words, and the focus on them", async (t) => {
  const stage = await open(t);
  const { path } = await stage.shop.addLink();
  const page = await openPage(t, SCREENS.phone);
  await page.goto(stage.pages.baseUrl + path);
  await page.getByLabel("Bank transfer").check();
  await page.getByRole("button", { name: "Pay R" }).click();
  const buffer = pngOf(2000, 1800);
  assert.ok(buffer.length > 10 * 1024 * 1024);
  await page.getByLabel("Proof of payment").setInputFiles({ name: "slip.png", mimeType: "image/png", buffer });
  await page.getByRole("button", { name: "Send proof" }).click();
  await page.getByRole("alert").waitFor();
  assert.match((await page.textContent("[role=alert]")) ?? "", /at most 10 MB/);
  assert.equal(await page.evaluate("document.activeElement.className"), "problem");
  await inspect(page, "too large");
});

test("a payer who comes back to a link that was paid otherwise reads so, and nothing to transfer to", async (t) => {
  const stage = await open(t);
  const { pages, shop } = stage;
  const { link, path } = await shop.addLink();
  const page = await openPage(t, SCREENS.phone);
  await page.goto(pages.baseUrl + path);
  await page.getByLabel("Bank transfer").check();
  await page.getByRole("button", { name: "Pay R" }).click();
  await page.getByRole("heading", { name: "Pay by bank transfer" }).waitFor();
  await pages.query("update payment_links set paid_count = 1, active = false where id = $1", link.id);
  await page.reload();
  await page.getByRole("heading", { name: "Already paid" }).waitFor();
  const text = (await page.textContent("main")) ?? "";
  assert.match(text, new RegExp((await order(stage))?.reference ?? "none"));
  assert.doesNotMatch(text, /62 123 456 789/);
  await inspect(page, "paid otherwise");
});

test("the page weighs at most 30 kB on first load", async (t) => {
  const stage = await open(t);
  const { path } = await stage.shop.addLink();
  const page = await openPage(t, SCREENS.desk);
  await page.goto(stage.pages.baseUrl + path);
  await page.getByLabel("Bank transfer").check();
  await page.getByRole("button", { name: "Pay R" }).click();
  await page.getByRole("heading", { name: "Pay by bank transfer" }).waitFor();
  const { text } = await stage.pages.get(page.url());
  let bytes = gzipSync(text).length;
  for (const [, asset = ""] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g))
    bytes += gzipSync((await stage.pages.get(asset)).text).length;
  assert.ok(bytes < 30_000, `${bytes} bytes`);
});
