import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import type { CardShop, Shown } from "../support/cards.ts";
import {
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
import { stopClock } from "../support/still-clock.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.12: what the form of a checkout page takes and refuses, its limits, and coupons. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

describe("the form", () => {
  let stage: CardShop;
  let page: string;
  before(async () => {
    const sale = await openSaleShop(api);
    stage = sale.stage;
    page = salePath(stage, "product", await sale.addProduct());
  });
  const send = (fields: object) => postSale(stage, page, { ...PAYER, gateway: stage.account.id, ...fields });
  const design = (body: object) => stage.staff("PUT", "/checkout-pages", body);

  for (const [what, fields, message] of [
    ["no address", { email: "" }, /Write your email address/],
    ["no first name", { firstName: "  " }, /Write your first name/],
    ["an address that is none", { email: "thandi" }, /Write an email address such as/],
    ["a long address", { email: `${"a".repeat(190)}@example.co.za` }, /at most 200/],
    ["a long name", { firstName: "a".repeat(101) }, /at most 100/],
    ["a long phone number", { phone: "0".repeat(31) }, /at most 30/],
    ["a long company", { company: "c".repeat(201) }, /at most 200/],
    ["no gateway", { gateway: "" }, /Choose how to pay/],
    ["an unknown gateway", { gateway: "gw_x" }, /Choose how to pay/],
    ["an unknown coupon", { couponCode: "NONE" }, /This coupon is not valid/],
  ] as const)
    test(`with ${what} is shown again`, async () => {
      const [{ count }] = (await api.query<{ count: number }>(
        "select count(*)::int from checkout_sessions where organisation_id = $1",
        stage.shop.organisation.id,
      )) as [{ count: number }];
      const answer = await send(fields);
      assert.equal(answer.status, 400);
      assert.match(answer.text, message);
      assert.match(answer.text, /<form/);
      const rows = await api.query(
        "select 1 from checkout_sessions where organisation_id = $1",
        stage.shop.organisation.id,
      );
      assert.equal(rows.length, count);
    });

  test("asks for what the settings say, and ignores what they hide", async () => {
    await design({
      fields: { phone: "required", company: "hidden", address: "required", vatNumber: "optional" },
      termsUrl: "https://shop.example/terms",
    });
    const shown = (await openSale(stage, page)).text;
    assert.doesNotMatch(shown, /name="company"/);
    assert.match(shown, /<textarea[^>]*name="address"/);
    assert.match(shown, /type="checkbox" id="terms" name="terms"/);
    const refused = await send({});
    assert.equal(refused.status, 400);
    for (const sentence of [/phone number/, /billing address/, /Agree to the terms/])
      assert.match(refused.text, sentence);
    assert.equal((await send({ phone: "1", address: "a".repeat(1001), terms: "yes" })).status, 400);
    assert.equal((await send({ phone: "1", address: "a", vatNumber: "1".repeat(31), terms: "yes" })).status, 400);
    const email = "fields@example.co.za";
    await startSale(stage, page, {
      email,
      phone: "082",
      address: "1 Long Street",
      vatNumber: "4",
      company: "Hidden",
      terms: "on",
    });
    const { body } = await stage.shop.get<{ data: Shown[] }>(`/customers?email=${email}`);
    assert.deepEqual(
      ["phone", "address", "vatNumber", "company"].map((name) => body.data[0]?.[name]),
      ["082", "1 Long Street", "4", null],
    );
    await design({});
  });

  test("fills in what is blank, never overwrites, takes the oldest customer, and refuses an inactive one", async () => {
    const email = "Match@Example.co.za";
    const { body: oldest } = await stage.shop.post("/customers", { email, firstName: "Old", externalReference: "o" });
    await stage.shop.post("/customers", { email, firstName: "New", externalReference: "n" });
    await startSale(stage, page, { email: "match@example.CO.ZA", firstName: "Other", lastName: "Filled", phone: "1" });
    assert.equal((await newestSession(stage))["customerId"], oldest["id"]);
    const { body: now } = await stage.shop.get(`/customers/${oldest["id"]}`);
    assert.deepEqual([now["email"], now["firstName"], now["lastName"], now["phone"]], [email, "Old", "Filled", "1"]);
    await stage.shop.call("PATCH", `/customers/${oldest["id"]}`, { body: { active: false, onActive: "keep" } });
    const refused = await send({ email });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /This address cannot check out here/);
  });

  test("that is sent twenty times at once belongs to one session", async () => {
    const session = /name="session" value="([^"]+)"/.exec((await openSale(stage, page)).text)?.[1] ?? "";
    const email = "twice@example.co.za";
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ email, session })));
    // Ten submissions of an address in an hour.
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(10).fill(303), ...Array(10).fill(429)]);
    const { customerId } = await newestSession(stage);
    const { body } = await stage.shop.get<{ data: Shown[] }>(`/checkout-sessions?customerId=${customerId}`);
    assert.equal(body.data.length, 1);
    const { body: customers } = await stage.shop.get<{ data: Shown[] }>(`/customers?email=${email}`);
    assert.equal(customers.data.length, 1);
  });

  test("has its limits: 15 submissions of a network, 10 of an address, 20 coupon checks", async (t) => {
    stopClock(t);
    const from = "203.0.113.7";
    for (let sent = 0; sent < 15; sent++)
      assert.equal((await postSale(stage, page, { email: `l${sent}@example.co.za` }, from)).status, 400);
    const refused = await postSale(stage, page, { email: "l@example.co.za" }, from);
    assert.equal(refused.status, 429);
    assert(Number(refused.headers["retry-after"]) > 0);
    assert.match(refused.text, /<form/);
    for (let sent = 0; sent < 10; sent++)
      assert.equal((await send({ email: "Address@example.co.za", gateway: "" })).status, 400);
    assert.equal((await send({ email: "address@EXAMPLE.co.za", gateway: "" })).status, 429);
    for (let sent = 0; sent < 20; sent++)
      assert.equal(
        (await postSale(stage, page, { action: "apply_coupon", couponCode: "X" }, "203.0.113.8")).status,
        400,
      );
    assert.equal((await postSale(stage, page, { action: "apply_coupon", couponCode: "X" }, "203.0.113.8")).status, 429);
  });
});

const open = async () => {
  const sale = await openSaleShop(api);
  return { ...sale, product: await sale.addProduct() };
};

describe("coupons", () => {
  test("lower the price before VAT; are applied in the box, counted once and given back", async () => {
    const { stage, product, addSession } = await open();
    const { body: coupon } = await stage.staff<Shown>("POST", "/coupons", {
      code: "TEN",
      percent: 10,
      maxRedemptions: 1,
    });
    const redemptions = async () => (await stage.staff<Shown>("GET", `/coupons/${coupon["id"]}`)).body["redemptions"];
    const page = salePath(stage, "product", product);
    const applied = await postSale(stage, page, {
      action: "apply_coupon",
      couponCode: "ten",
      email: "typed@example.co.za",
    });
    assert.equal(applied.status, 200);
    assert.match(applied.text, /R\u00a0103\.50/);
    assert.match(applied.text, /value="typed@example\.co\.za"/);
    assert.equal(await redemptions(), 0);
    const session = await addSession({ productId: product, couponCode: "TEN" });
    const url = String(session["checkoutUrl"]);
    assert.match((await openSale(stage, url)).text, /R\u00a0103\.50/);
    const begun = await startSale(stage, url);
    assert.equal(await redemptions(), 1);
    const { transaction } = await sessionNow(stage, session["id"]);
    assert.deepEqual(
      ["amount", "discountAmount", "taxAmount"].map((name) => (transaction as Shown)[name]),
      [103.5, 10, 13.5],
    );
    assert.match((await openSale(stage, page)).text, /R\u00a0115\.00/);
    const used = await postSale(stage, page, { action: "apply_coupon", couponCode: "TEN" });
    assert.equal(used.status, 400);
    assert.match(used.text, /This coupon has been used up/);
    await endSale(stage, begun, "failed");
    assert.equal(await redemptions(), 0);
    await stage.staff("POST", "/sandbox/notify", { reference: begun.reference, status: "complete" });
    assert.equal(await redemptions(), 1);
    assert.equal((await sessionNow(stage, session["id"]))["couponCode"], "TEN");
  });

  for (const kind of ["product", "package"] as const)
    test(`are held for 30 minutes by a checkout of a ${kind} that nobody pays; its later payment is honoured`, async () => {
      const sale = await openSaleShop(api);
      const { stage, packagePage } = sale;
      const page = kind === "product" ? salePath(stage, "product", await sale.addProduct()) : packagePage;
      const fields = kind === "product" ? {} : { plan: await sale.addPlan() };
      const coupon = { code: "HELD", percent: 10, maxRedemptions: 1 };
      const { id } = (await stage.staff<Shown>("POST", "/coupons", coupon)).body;
      const redemptions = async () => (await stage.staff<Shown>("GET", `/coupons/${id}`)).body["redemptions"];
      const asOther = { email: "other@example.co.za", couponCode: "HELD", ...fields };
      const first = await startSale(stage, page, { couponCode: "HELD", ...fields });
      await stage.move("2027-03-01T10:29:59.000Z");
      const form = { ...PAYER, gateway: stage.account.id, ...asOther };
      assert.match((await postSale(stage, page, form)).text, /This coupon has been used up/);
      await stage.move("2027-03-01T10:30:00.000Z");
      assert.equal(await redemptions(), 0);
      const second = await startSale(stage, page, asOther);
      assert.equal(await redemptions(), 1);
      for (const { reference } of [second, first])
        await stage.staff("POST", "/sandbox/notify", { reference, status: "complete" });
      await stage.move("2027-03-01T11:30:00.000Z");
      assert.equal(await redemptions(), 2, "both have paid the lowered price");
    });

  test("20 payers at once redeem one coupon as often as it may be", async () => {
    const { stage, product } = await open();
    const { body: coupon } = await stage.staff<Shown>("POST", "/coupons", {
      code: "FEW",
      amount: 50,
      maxRedemptions: 3,
    });
    const page = salePath(stage, "product", product);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        postSale(stage, page, { ...PAYER, email: `p${n}@example.co.za`, gateway: stage.account.id, couponCode: "FEW" }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 303).length, 3);
    assert.equal(answers.filter(({ status }) => status === 400).length, 17);
    assert.equal((await stage.staff<Shown>("GET", `/coupons/${coupon["id"]}`)).body["redemptions"], 3);
  });

  test("payers and API clients at once redeem one coupon as often as it may be", async () => {
    const { stage, addProduct, addPlan } = await openSaleShop(api);
    const page = salePath(stage, "product", await addProduct());
    const planId = await addPlan();
    for (let round = 0; round < 3; round++) {
      const code = `MIXED${round}`;
      const { body: coupon } = await stage.staff<Shown>("POST", "/coupons", { code, percent: 10, maxRedemptions: 3 });
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => [
          postSale(stage, page, {
            ...PAYER,
            email: `m${round}.${n}@example.co.za`,
            gateway: stage.account.id,
            couponCode: code,
          }),
          stage.shop.post("/customer-subscriptions", {
            customer: { id: stage.customer },
            planId,
            collectionMethod: "invoice",
            couponCode: code,
          }),
        ]).flat(),
      );
      assert.equal(answers.filter(({ status }) => status === 303 || status === 201).length, 3);
      assert.equal(answers.filter(({ status }) => status === 400).length, 17);
      assert.equal((await stage.staff<Shown>("GET", `/coupons/${coupon["id"]}`)).body["redemptions"], 3);
      await api.query("delete from rate_windows");
    }
  });

  test("that leave nothing to pay, or are for one charge of a recurring product, are refused", async () => {
    const { stage, product, addProduct } = await open();
    const recurring = await addProduct({ recurring: { frequency: "monthly" } });
    await stage.staff("POST", "/coupons", { code: "ALL", percent: 100 });
    await stage.staff("POST", "/coupons", { code: "FIRST", percent: 10 });
    const check = async (id: string, couponCode: string) =>
      (await postSale(stage, salePath(stage, "product", id), { ...PAYER, gateway: stage.account.id, couponCode })).text;
    assert.match(await check(product, "ALL"), /nothing would be left to pay/);
    assert.match(await check(recurring, "FIRST"), /for one-off payments/);
  });
});
