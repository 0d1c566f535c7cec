import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type CardShop, choose, type Shown } from "../support/cards.ts";
import {
  checkoutEvents,
  endSale,
  newestSession,
  openSale,
  openSaleShop,
  PAYER,
  postSale,
  salePath,
  sessionNow,
  startSale,
} from "../support/checkout.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.12 and 3.9: products on the hosted checkout. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A shop with one product. */
const open = async (facts = {}) => {
  const sale = await openSaleShop(api, facts);
  return { ...sale, product: await sale.addProduct() };
};
const decoded = (text: string): string => text.replaceAll("&amp;", "&");
/** The redirect of a page for browsers without script. */
const refreshOf = ({ text }: { readonly text: string }): string =>
  decoded(/http-equiv="refresh" content="([^"]+)"/.exec(text)?.[1] ?? "");
const paymentOf = async ({ shop }: CardShop, reference: string) => (await shop.get(`/transactions/${reference}`)).body;

test("a product is bought without a session: VAT on top, a new customer with a welcome mail, a hosted session", async () => {
  const { stage, product } = await open();
  const page = salePath(stage, "product", product);
  const shown = await openSale(stage, page);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /<h1[^>]*>Book<\/h1>/);
  assert.match(shown.text, /R\u00a0115\.00/);
  for (const name of ["email", "firstName", "lastName", "phone", "company", "couponCode"])
    assert.match(shown.text, new RegExp(`name="${name}"`));
  for (const name of ["address", "vatNumber", "terms", "plan"])
    assert.doesNotMatch(shown.text, new RegExp(`name="${name}"`));
  assert.match(shown.text, new RegExp(`type="radio" name="gateway" value="${stage.account.id}"`));

  const begun = await startSale(stage, page, {
    lastName: "Mokoena",
    phone: "082",
    company: "Karoo",
    address: "hidden",
  });
  const session = await newestSession(stage);
  const customerId = String(session["customerId"]);
  assert.deepEqual(
    [
      session["status"],
      session["source"],
      session["checkoutUrl"],
      session["productId"],
      session["returnUrl"],
      session["usedAt"],
    ],
    ["pending", "hosted", null, product, null, "2027-03-01T10:00:00.000Z"],
  );
  assert.deepEqual(session["transaction"], {
    id: (session["transaction"] as Shown)["id"],
    reference: begun.reference,
    status: "pending",
    amount: 115,
    currency: "ZAR",
    discountAmount: 0,
    taxAmount: 15,
    paidAt: null,
  });
  const { body: customer } = await stage.shop.get(`/customers/${customerId}`);
  assert.deepEqual(
    [
      customer["email"],
      customer["firstName"],
      customer["lastName"],
      customer["phone"],
      customer["company"],
      customer["address"],
    ],
    [PAYER.email, "Thandi", "Mokoena", "082", "Karoo", null],
  );
  const { body: mails } = await stage.staff<{ data: { kind: string; to: string[] }[] }>("GET", "/emails");
  assert.equal(mails.data.filter(({ kind }) => kind === "welcome").length, 1);

  const { path, page: result } = await endSale(stage, begun, "complete");
  assert.match(path, new RegExp(`^/c/${stage.shop.organisation.slug}/success\\?ref=${begun.reference}&session=`));
  assert.match(result.text, /<h1[^>]*>Payment received<\/h1>/);
  assert.doesNotMatch(result.text, /http-equiv="refresh"/);
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(
    [done["status"], (done["transaction"] as Shown)["status"], (done["transaction"] as Shown)["paidAt"]],
    ["completed", "complete", "2027-03-01T10:00:00.000Z"],
  );
  const events = await checkoutEvents(stage);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["checkout.completed"],
  );
  assert.deepEqual(events[0]?.data, done);
  const payment = await paymentOf(stage, begun.reference);
  assert.deepEqual(
    [payment["type"], payment["description"], payment["payerEmail"], payment["paymentLinkId"], payment["amount"]],
    ["once", "Book", PAYER.email, null, 115],
  );
  assert.match(
    (await openSale(stage, `/c/${stage.shop.organisation.slug}/failure?ref=${begun.reference}`)).text,
    /Payment received/,
  );
  assert.equal(
    (await openSale(stage, `/c/${stage.shop.organisation.slug}/success?ref=TEFO-20270301-00000000`)).status,
    404,
  );
});

test("a session fails with its payment, and a retry on the same link completes it", async () => {
  const { stage, product, addSession } = await open();
  await stage.staff("PUT", "/allowed-return-urls", { origins: ["https://shop.example"] });
  const session = await addSession({
    productId: product,
    returnUrl: "https://shop.example/back?a=1",
    customer: { email: "fixed@example.co.za", firstName: "Sipho", phone: "083" },
    metadata: { order: "7" },
  });
  const url = String(session["checkoutUrl"]);
  const shown = await openSale(stage, url);
  assert.match(shown.text, /name="email"[^>]*readonly|readonly[^>]*name="email"/);
  assert.match(shown.text, /value="fixed@example\.co\.za"/);
  assert.match(shown.text, /value="Sipho"/);

  const first = await startSale(stage, url, { email: "other@example.co.za" });
  const { path, page: failure } = await endSale(stage, first, "failed");
  assert.match(path, /\/failure\?ref=/);
  assert.match(failure.text, /<h1[^>]*>Payment failed<\/h1>/);
  assert.equal(
    refreshOf(failure),
    `5;url=https://shop.example/back?a=1&status=failed&reference=${first.reference}&session=${session["id"]}`,
  );
  const failed = await sessionNow(stage, session["id"]);
  assert.deepEqual([failed["status"], failed["checkoutUrl"]], ["failed", url]);
  const { body: customer } = await stage.shop.get(`/customers/${failed["customerId"]}`);
  assert.equal(customer["email"], "fixed@example.co.za");

  const retry = decoded(/href="([^"]+)"[^>]*>Try again</.exec(failure.text)?.[1] ?? "");
  assert.equal(new URL(retry, api.baseUrl).href, url);
  const again = await openSale(stage, retry);
  assert.equal(again.status, 200);
  const second = await startSale(stage, retry);
  await endSale(stage, second, "cancelled");
  assert.equal((await sessionNow(stage, session["id"]))["status"], "failed");
  const third = await startSale(stage, retry);
  const { page: success } = await endSale(stage, third, "complete");
  assert(
    success.text.includes('content="8;url=https://shop.example/back?a=1&amp;status=complete&amp;reference'),
    success.text,
  );
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual(
    [done["status"], done["checkoutUrl"], (done["transaction"] as Shown)["reference"]],
    ["completed", null, third.reference],
  );
  assert.deepEqual(
    (await checkoutEvents(stage)).map(({ type }) => type),
    ["checkout.failed", "checkout.completed"],
  );
  assert.deepEqual((await paymentOf(stage, third.reference))["metadata"], { order: "7" });

  const closed = await openSale(stage, url);
  assert.match(closed.text, /<h1[^>]*>Already done<\/h1>/);
  assert.doesNotMatch(closed.text, /<form/);
  assert.equal((await postSale(stage, url, { ...PAYER, gateway: stage.account.id })).status, 200);
});

test("a payment that succeeds late wins over failed and expired; a second payment is the customer's credit", async () => {
  const { stage, product, addSession } = await open();
  const session = await addSession({ productId: product });
  const url = String(session["checkoutUrl"]);
  const [one, two] = [await startSale(stage, url), await startSale(stage, url)];
  await stage.staff("POST", "/sandbox/notify", { reference: one.reference, status: "failed" });
  assert.equal((await sessionNow(stage, session["id"]))["status"], "failed");
  await stage.move("2027-03-02T10:00:00.000Z");
  assert.equal((await sessionNow(stage, session["id"]))["status"], "expired");
  const expired = await openSale(stage, url);
  assert.match(expired.text, /<h1[^>]*>This link has expired<\/h1>/);
  await stage.staff("POST", "/sandbox/notify", { reference: one.reference, status: "complete", times: 3 });
  const done = await sessionNow(stage, session["id"]);
  assert.deepEqual([done["status"], (done["transaction"] as Shown)["reference"]], ["completed", one.reference]);
  await stage.staff("POST", "/sandbox/notify", { reference: two.reference, status: "complete" });
  assert.equal(((await sessionNow(stage, session["id"]))["transaction"] as Shown)["reference"], one.reference);
  const { body: standing } = await stage.shop.get(`/customers/${done["customerId"]}/standing`);
  assert.equal(standing["credit"], 115);
  assert.deepEqual(
    (await checkoutEvents(stage)).map(({ type }) => type),
    ["checkout.failed", "checkout.completed"],
  );
});

test("a recurring product begins a subscription at its gateway, lowered for every charge", async () => {
  const { stage, addProduct, addSession } = await openSaleShop(api);
  const product = await addProduct({
    name: "Magazine",
    recurring: { frequency: "quarterly" },
    taxInclusive: true,
  });
  await stage.staff("POST", "/coupons", { code: "EVER", percent: 25, duration: "every" });
  const session = await addSession({ productId: product, couponCode: "EVER", metadata: { a: "b" } });
  const shown = (await openSale(stage, String(session["checkoutUrl"]))).text;
  assert.match(shown, /R\u00a075\.00<\/span> today, then R\u00a075\.00 every 3 months, until you cancel/);
  assert.match(shown, /To end it, write to/);
  const begun = await startSale(stage, String(session["checkoutUrl"]));
  await endSale(stage, begun, "complete", { card: "4242424242424242" });
  const done = await sessionNow(stage, session["id"]);
  assert.equal(done["status"], "completed");
  assert.deepEqual(
    ["amount", "discountAmount", "taxAmount"].map((name) => (done["transaction"] as Shown)[name]),
    [75, 25, 9.78],
  );
  const { body: subscription } = await stage.shop.get(`/subscriptions/${done["subscriptionId"]}`);
  assert.deepEqual(
    ["status", "frequency", "amount", "paymentLinkId", "metadata"].map((name) => subscription[name]),
    ["active", "quarterly", 75, null, { a: "b" }],
  );
  const payment = await paymentOf(stage, begun.reference);
  assert.deepEqual([payment["type"], payment["subscriptionId"]], ["recurring", done["subscriptionId"]]);
  await stage.move("2027-06-01T12:00:00.000Z");
  const { body: charges } = await stage.shop.get<{ data: Shown[] }>(`/subscriptions/${done["subscriptionId"]}/charges`);
  assert.equal(charges.data.length, 2);
});

describe("a page is unavailable", () => {
  test("without a gateway, for a disabled product, a restricted account, a used-up quota; unknown ones are 404", async () => {
    const { stage, product, addProduct, addSession } = await open();
    const page = salePath(stage, "product", product);
    const heading = async () => {
      const answer = await openSale(stage, page);
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.text, /<form/);
      assert.equal((await postSale(stage, page, { ...PAYER, gateway: stage.account.id })).status, 200);
      return /<h1[^>]*>([^<]*)</.exec(answer.text)?.[1];
    };
    await stage.staff("PATCH", `/gateways/${stage.account.id}`, { enabled: false });
    await stage.staff("POST", "/gateways", {
      type: "manual_eft",
      name: "Bank",
      credentials: {
        bankName: "B",
        accountName: "A",
        accountNumber: "123456789",
        branchCode: "250655",
        accountType: "current",
      },
    });
    assert.equal(await heading(), "No way to pay yet");
    await stage.staff("PATCH", `/gateways/${stage.account.id}`, { enabled: true });
    await stage.staff("PATCH", `/products/${product}`, { enabled: false });
    assert.equal(await heading(), "Not on sale");
    await stage.staff("PATCH", `/products/${product}`, { enabled: true });
    await stage.shop.change({ limits: JSON.stringify({ monthlyTransactions: 0 }) });
    assert.equal(await heading(), "Checkout is paused");
    await stage.shop.change({ limits: "{}", state: "suspended" });
    assert.equal(await heading(), "Checkout is paused");
    await stage.shop.change({ state: "active" });
    for (const path of [
      `/c/nobody/product/${product}`,
      `/c/${stage.shop.organisation.slug}/product/prod_x`,
      `/c/${stage.shop.organisation.slug}/package/${product}`,
      `${page}?session=${"A".repeat(64)}`,
      `/c/${stage.shop.organisation.slug}/success`,
      `/c/${stage.shop.organisation.slug}/other`,
    ])
      assert.equal((await openSale(stage, path)).status, 404, path);
    const session = await addSession({ productId: product });
    const token = new URL(String(session["checkoutUrl"])).searchParams.get("session") ?? "";
    const other = await addProduct();
    assert.equal((await openSale(stage, `${salePath(stage, "product", other)}?session=${token}`)).status, 404);
    const foreign = await open();
    assert.equal(
      (await openSale(foreign.stage, `${salePath(foreign.stage, "product", foreign.product)}?session=${token}`)).status,
      404,
    );
  });

  test("to new customers when the plan's customers are used up", async () => {
    const { stage, product } = await open();
    await stage.shop.change({ limits: JSON.stringify({ customers: 1 }) });
    const answer = await postSale(stage, salePath(stage, "product", product), { ...PAYER, gateway: stage.account.id });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /No new customers can be taken/);
    assert.deepEqual((await stage.shop.get<{ data: Shown[] }>("/checkout-sessions")).body.data, []);
  });
});

test("results use the configured words and redirects", async () => {
  const { stage, product } = await open();
  await stage.staff("PUT", "/checkout-pages", {
    accentColour: "#ffee00",
    success: {
      message: "Thanks a lot!",
      redirectUrl: "https://shop.example/thanks",
      buttonText: "Onward",
      autoRedirectSeconds: 1,
    },
    failure: { message: "Oh no.", retryButtonText: "Once more" },
  });
  const page = salePath(stage, "product", product);
  const failing = await startSale(stage, page);
  const { page: failure } = await endSale(stage, failing, "cancelled");
  assert.match(failure.text, /Oh no\./);
  assert.match(failure.text, />Once more</);
  assert.doesNotMatch(failure.text, /http-equiv="refresh"/);
  const paying = await startSale(stage, page);
  await choose(stage, paying.gatewayUrl, { outcome: "complete" });
  const result = await openSale(stage, `/c/${stage.shop.organisation.slug}/success?ref=${paying.reference}`);
  const { text } = result;
  assert.match(text, /Thanks a lot!/);
  assert.match(refreshOf(result), /^3;url=https:\/\/shop\.example\/thanks\?status=complete&/);
  assert.match(text, />Onward</);
  assert.match(text, /accent-ffee00\.css/);
});
