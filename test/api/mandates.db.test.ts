import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { issuePaths, openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import {
  addActiveMandate,
  addMandate,
  type MandateShop,
  mandateBody,
  mandateNow,
  openMandateShop,
  requestMandate,
  type Shown,
} from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let stage: MandateShop;
before(async () => {
  api = await openApi();
  stage = await openMandateShop(api);
});
after(() => closeVerified(api));

const patch = (shop: MandateShop, { id }: Shown, body: object) =>
  shop.shop.call<Refusal>("PATCH", `/mandates/${id}`, { body });
const settings = (shop: MandateShop, debitOrders: object) => shop.staff("PATCH", "/settings", { debitOrders });
const mandatesOf = async ({ shop }: MandateShop, query = "") =>
  (await shop.get<{ data: Shown[] }>(`/mandates${query}`)).body.data;

describe("creation", () => {
  test("by agreement: pending until it is signed, with the agreement mailed", async () => {
    const mandate = await addMandate(stage, { startDate: "2027-03-05", endDate: "2028-03-04", notes: "internal" });
    assert.deepEqual(mandate, {
      object: "mandate",
      id: mandate["id"],
      accountReference: mandate["accountReference"],
      status: "pending",
      stage: "awaiting_signature",
      customerId: stage.customer,
      customer: mandate["customer"],
      productId: null,
      subscriptionId: null,
      description: "Debit order",
      amount: 350.5,
      currency: "ZAR",
      frequency: "monthly",
      debitDay: 25,
      startDate: "2027-03-05",
      endDate: "2028-03-04",
      nextDebitDate: "2027-03-25",
      lastCollectedAt: null,
      bank: {
        name: null,
        branchCode: "250655",
        accountType: "current",
        accountHolder: "T Nkosi",
        accountNumberLast4: "7701",
      },
      idNumberLast4: "9087",
      eMandateUrl: null,
      authorisedAt: null,
      approvedAt: null,
      rejectedAt: null,
      rejectionReason: null,
      failureCount: 0,
      agreement: {
        signed: false,
        signedAt: null,
        latest: { id: (mandate["agreementSent"] as Shown)["id"], status: "open" },
      },
      createdAt: "2027-03-01T10:00:00.000Z",
      updatedAt: "2027-03-01T10:00:00.000Z",
      warnings: [],
      agreementSent: {
        id: (mandate["agreementSent"] as Shown)["id"],
        emailed: true,
        expiresAt: "2027-03-15T10:00:00.000Z",
      },
    });
    assert.match(String(mandate["accountReference"]), /^DO[0-9A-F]{10}$/);
    assert.equal((mandate["customer"] as Shown)["id"], stage.customer);
    const { warnings: _, agreementSent: __, ...shown } = mandate;
    assert.deepEqual(await mandateNow(stage, mandate), shown);
  });

  test("of a customer without an address: nothing is mailed", async () => {
    const { body: customer } = await stage.shop.post("/customers", { externalReference: "no-mail" });
    const mandate = await addMandate(stage, { customerId: null, customer: { externalReference: "no-mail" } });
    assert.equal(mandate["customerId"], customer["id"]);
    assert.equal((mandate["agreementSent"] as Shown)["emailed"], false);
  });

  test("offline: authorised and active at once; with approval it waits, and staff approve or reject it", async () => {
    const shop = await openMandateShop(api);
    const active = await addActiveMandate(shop, { debitDay: 31, startDate: "2027-04-01" });
    assert.deepEqual(
      [active["status"], active["stage"], active["authorisedAt"], active["approvedAt"], active["nextDebitDate"]],
      ["active", "active", "2027-03-01T10:00:00.000Z", null, "2027-04-30"],
    );
    assert.equal(active["agreementSent"], undefined);
    await settings(shop, { requireApproval: true, defaultDebitDay: 7 });
    const waits = await addActiveMandate(shop, { debitDay: undefined });
    assert.deepEqual([waits["status"], waits["stage"], waits["debitDay"]], ["pending", "awaiting_approval", 7]);
    const approved = await shop.staff("POST", `/mandates/${waits["id"]}/approve`);
    assert.deepEqual(
      [approved.status, approved.body["stage"], approved.body["approvedAt"], approved.body["nextDebitDate"]],
      [200, "active", "2027-03-01T10:00:00.000Z", "2027-03-07"],
    );
    assert.equal((await shop.staff("POST", `/mandates/${waits["id"]}/approve`)).status, 400);
    assert.equal((await shop.staff("POST", `/mandates/${waits["id"]}/reject`, { reason: "x" })).status, 400);
    const unwanted = await addActiveMandate(shop);
    assert.equal((await shop.staff("POST", `/mandates/${unwanted["id"]}/reject`, {})).status, 400);
    const rejected = await shop.staff("POST", `/mandates/${unwanted["id"]}/reject`, { reason: "No paper" });
    assert.deepEqual(
      [rejected.status, rejected.body["status"], rejected.body["stage"], rejected.body["rejectionReason"]],
      [200, "cancelled", "rejected", "No paper"],
    );
    assert.equal(rejected.body["rejectedAt"], "2027-03-01T10:00:00.000Z");
    assert.equal((await shop.staff("POST", "/mandates/man_x/approve")).status, 404);
  });

  test("of an account that ends in 05: the gateway's warning, and nothing else", async () => {
    const { warnings, status } = await addActiveMandate(stage, {}, { accountNumber: "6290-0417 705" });
    assert.equal((warnings as string[]).length, 1);
    assert.equal(status, "active");
  });

  test("with a product: its id and name", async () => {
    const product = await stage.staff("POST", "/products", { name: "Gym", amount: 350 });
    const mandate = await addActiveMandate(stage, { productId: product.body["id"] });
    assert.deepEqual([mandate["productId"], mandate["description"]], [product.body["id"], "Gym"]);
    assert.equal((await addActiveMandate(stage, { description: "Gym, gold" }))["description"], "Gym, gold");
  });

  // What is sent, beside a body that is right, and the path of the refusal.
  const WRONG: [string, object, object, string][] = [
    ["a bank account of letters", {}, { accountNumber: "62900A17701" }, "bank.accountNumber"],
    ["an empty account number", {}, { accountNumber: "" }, "bank.accountNumber"],
    ["an account number of dashes", {}, { accountNumber: "- - -" }, "bank.accountNumber"],
    ["an account number of 4 digits", {}, { accountNumber: "1234" }, "bank.accountNumber"],
    ["an account number of 21 digits", {}, { accountNumber: "123456789012345678901" }, "bank.accountNumber"],
    ["other digits than 0 to 9", {}, { accountNumber: "٦٢٩٠٠٤١٧٧٠١" }, "bank.accountNumber"],
    ["an account number that is a number", {}, { accountNumber: 62900417701 }, "bank.accountNumber"],
    ["a branch code of 5 digits", {}, { branchCode: "25065" }, "bank.branchCode"],
    ["a branch code of letters", {}, { branchCode: "25O655" }, "bank.branchCode"],
    ["a holder of 1 character", {}, { accountHolder: " T " }, "bank.accountHolder"],
    ["a holder of 31 characters", {}, { accountHolder: "x".repeat(31) }, "bank.accountHolder"],
    ["another type of account", {}, { accountType: "bond" }, "bank.accountType"],
    ["a bank of 61 characters", {}, { name: "x".repeat(61) }, "bank.name"],
    ["no bank", { bank: undefined }, {}, "bank"],
    ["nothing to collect", { amount: 0 }, {}, "amount"],
    ["more than a million", { amount: 1_000_000.01 }, {}, "amount"],
    ["an amount as text", { amount: "10" }, {}, "amount"],
    ["debit day 0", { debitDay: 0 }, {}, "debitDay"],
    ["debit day 32", { debitDay: 32 }, {}, "debitDay"],
    ["debit day 1.5", { debitDay: 1.5 }, {}, "debitDay"],
    ["another frequency", { frequency: "weekly" }, {}, "frequency"],
    ["a start yesterday", { startDate: "2027-02-28" }, {}, "startDate"],
    ["a start in the calendar's last year", { startDate: "9999-12-31", debitDay: 1 }, {}, "startDate"],
    ["a start that does not exist", { startDate: "2027-02-31" }, {}, "startDate"],
    ["an end on the start", { startDate: "2027-03-05", endDate: "2027-03-05" }, {}, "endDate"],
    ["an end before the start", { endDate: "2027-02-01" }, {}, "endDate"],
    ["no customer", { customerId: undefined }, {}, "customerId"],
    ["two customers", { customer: { externalReference: "x" } }, {}, "customerId"],
    ["an unknown customer", { customerId: "cus_nobody" }, {}, "customerId"],
    ["an unknown reference", { customerId: undefined, customer: { externalReference: "x" } }, {}, "customer"],
    ["an unknown product", { productId: "prod_none" }, {}, "productId"],
    ["an unknown subscription", { subscriptionId: "sub_none" }, {}, "subscriptionId"],
    ["an unknown provider", { providerId: "gw_none" }, {}, "providerId"],
    ["a description of 501 characters", { description: "x".repeat(501) }, {}, "description"],
    ["an id number of 21 characters", { idNumber: "1".repeat(21) }, {}, "idNumber"],
    ["notes of 2001 characters", { notes: "x".repeat(2001) }, {}, "notes"],
    ["another authority", { authority: "trust" }, {}, "authority"],
    ["offline without confirmation", { authority: "offline" }, {}, "confirmOfflineMandate"],
    ["offline, unconfirmed", { authority: "offline", confirmOfflineMandate: false }, {}, "confirmOfflineMandate"],
  ];
  for (const [what, given, bank, path] of WRONG)
    test(`with ${what}: 400, and nothing is written`, async () => {
      const shop = stage;
      const count = async () => (await api.query<{ n: string }>("select count(*) as n from mandates"))[0]?.n;
      const before = await count();
      const body = { ...mandateBody(shop, {}, bank), ...given };
      const answer = await shop.shop.post<Refusal>("/mandates", body);
      assert.deepEqual(refusal(answer), [400, "invalid_request"], answer.text);
      assert.ok(issuePaths(answer).includes(path), answer.text);
      assert.doesNotMatch(answer.text, /62900417701/);
      assert.equal(await count(), before);
    });

  test("an end so early that nothing is ever due is kept, without a next date", async () => {
    const mandate = await addActiveMandate(stage, { debitDay: 28, startDate: "2027-03-02", endDate: "2027-03-20" });
    assert.equal(mandate["nextDebitDate"], null);
  });

  test("without a provider: 400; on a plan without debit orders: 403; read-only: 403; without a key: 401", async () => {
    const shop = await openMandateShop(api);
    const none = await api.addMerchant();
    const { body: customer } = await none.post("/customers", { email: "a@example.co.za" });
    const lone = await none.post<Refusal>("/mandates", mandateBody({ customer: String(customer["id"]) }));
    assert.deepEqual([...refusal(lone), issuePaths(lone)], [400, "invalid_request", ["providerId"]]);
    await api.query("update gateway_accounts set enabled = false where id = $1", shop.account.id);
    assert.equal((await requestMandate(shop)).status, 400);
    await shop.shop.change({ state: "suspended" });
    assert.deepEqual(refusal((await requestMandate(shop)) as never), [403, "account_restricted"]);
    assert.equal((await shop.shop.get("/mandates")).status, 200);
    await shop.shop.change({ state: "active", plan: "starter" });
    assert.deepEqual(refusal((await requestMandate(shop)) as never), [403, "plan_restricted"]);
    assert.equal((await shop.shop.call("POST", "/mandates", { key: null, body: {} })).status, 401);
  });

  test("the plan's limit counts what is not cancelled, and twenty at once make no more than it allows", async () => {
    const shop = await openMandateShop(api, { limits: { activeMandates: 3 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestMandate(shop)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers.filter(({ status }) => status !== 201))
      assert.deepEqual(refusal(answer as never), [403, "plan_limit"]);
    const [first] = await mandatesOf(shop);
    assert.equal((await patch(shop, first as Shown, { status: "cancelled" })).status, 200);
    assert.equal((await requestMandate(shop)).status, 201);
    assert.equal((await requestMandate(shop)).status, 403);
    const small = await openMandateShop(api, { limits: { activeMandates: 1 } });
    await addMandate(small);
    assert.match((await requestMandate(small)).text, /Your plan allows 1 mandate\./);
  });

  test("an Idempotency-Key gives one mandate, also twenty at once; another body is 409", async () => {
    const shop = await openMandateShop(api);
    const send = (body: object) => shop.shop.post<Shown>("/mandates", body, { headers: { "idempotency-key": "m1" } });
    const body = mandateBody(shop);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await mandatesOf(shop)).length, 1);
    assert.deepEqual(refusal((await send({ ...body, amount: 1 })) as never), [409, "idempotency_conflict"]);
  });
});

describe("what a mandate stands on", () => {
  test("a gateway and a product with mandates cannot be deleted: 409", async () => {
    const shop = await openMandateShop(api);
    const product = await shop.staff("POST", "/products", { name: "Gym", amount: 350 });
    await addActiveMandate(shop, { productId: product.body["id"] });
    for (const path of [`/gateways/${shop.account.id}`, `/products/${product.body["id"]}`]) {
      const answer = await shop.staff<Refusal>("DELETE", path);
      assert.deepEqual(refusal(answer), [409, "invalid_state"], answer.text);
    }
  });

  test("a live account's check digits: wrong is 400, doubtful and unknown a warning, right neither", async () => {
    const shop = await openMandateShop(api);
    await shop.shop.change({ sandbox: false, clock_at: null });
    await api.query("update gateway_accounts set mode = 'live' where id = $1", shop.account.id);
    const create = (branchCode: string, accountNumber: string) =>
      requestMandate(shop, {}, { branchCode, accountNumber });
    const wrong = await create("051001", "10000000008");
    assert.deepEqual([wrong.status, issuePaths(wrong as never)], [400, ["bank.accountNumber"]]);
    assert.doesNotMatch(wrong.text, /10000000008/);
    // The sandbox gateway checks nothing for a live organisation, which it says too.
    const digits = ({ body }: { body: Shown }) => (body["warnings"] as string[]).filter((text) => /digits/.test(text));
    const right = await create("051001", "10000000009");
    assert.deepEqual([right.status, digits(right)], [201, []], right.text);
    const doubtful = await create("198765", "1000000010");
    assert.match((doubtful.body["warnings"] as string[])[0] ?? "", /does not look like one of Nedbank/);
    const unknown = await create("250655", "62900417701");
    assert.match(digits(unknown)[0] ?? "", /FNB could not be verified/);
    await shop.shop.change({ sandbox: true });
  });
});

describe("reading", () => {
  test("lists newest first, by customer, status and reference in any case", async () => {
    const shop = await openMandateShop(api);
    const [one, two] = [await addActiveMandate(shop), await addMandate(shop)];
    const ids = (found: Shown[]) => found.map(({ id }) => id);
    assert.deepEqual(ids(await mandatesOf(shop)), [two["id"], one["id"]]);
    assert.deepEqual(ids(await mandatesOf(shop, "?status=active")), [one["id"]]);
    assert.deepEqual(ids(await mandatesOf(shop, `?customerId=${shop.customer}&limit=1`)), [two["id"]]);
    assert.deepEqual(await mandatesOf(shop, "?customerId=cus_other"), []);
    const reference = String(one["accountReference"]).toLowerCase();
    assert.deepEqual(ids(await mandatesOf(shop, `?accountReference=${reference}`)), [one["id"]]);
    assert.equal((await shop.shop.get("/mandates?status=rejected")).status, 400);
    assert.equal((await shop.shop.get("/mandates/man_x")).status, 404);
    assert.equal((await stage.shop.get(`/mandates/${one["id"]}`)).status, 404);
    const found = await shop.staff<{ data: Shown[]; hasMore: boolean }>("GET", "/mandates?q=7701&limit=1");
    assert.deepEqual([ids(found.body.data), found.body.hasMore], [[two["id"]], true]);
  });
});
