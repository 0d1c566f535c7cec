import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";

/* Interface 14.2 and 2.14: coupons, as staff keep them. */

const AT_ONCE = 20;

interface Coupon extends Record<string, unknown> {
  readonly id: string;
}

describe("coupons", () => {
  let api: TestApi;
  let merchant: ApiMerchant;
  let staff: StaffCall;
  let codes = 0;
  before(async () => {
    api = await openApi();
    merchant = await api.addMerchant();
    staff = await merchant.signIn("owner");
  });
  after(() => api.close());

  const post = (body: object): Promise<Answer<Coupon & Refusal>> => staff("POST", "/coupons", body);
  const patch = ({ id }: Coupon, body: object): Promise<Answer<Coupon & Refusal>> =>
    staff("PATCH", `/coupons/${id}`, body);
  const add = async (body: object = {}): Promise<Coupon> => {
    const answer = await post({ code: `code-${++codes}`, percent: 10, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const addPlan = async () => {
    const { body } = await merchant.post<{ id: string }>("/packages", { name: "Hosting" });
    const path = `/packages/${body.id}/plans`;
    const plan = await merchant.post<{ id: string }>(path, { name: "Gold", amount: 99, frequency: "monthly" });
    return { id: plan.body.id, path: `${path}/${plan.body.id}`, packagePath: `/packages/${body.id}` };
  };
  const addProduct = async () =>
    (await staff<{ id: string }>("POST", "/products", { name: "Box", amount: 50 })).body.id;

  test("a code and a percentage or an amount are enough; the rest has defaults", async () => {
    const { status, body } = await post({ code: " Welcome ", percent: 12.5 });
    assert.equal(status, 201);
    const { id, createdAt, updatedAt, ...rest } = body;
    assert.match(id, /^cpn_[0-9a-z]{26}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      code: "Welcome",
      name: null,
      percent: 12.5,
      amount: null,
      currency: "ZAR",
      duration: "first",
      cycles: null,
      startsAt: null,
      endsAt: null,
      maxRedemptions: null,
      maxRedemptionsPerCustomer: null,
      redemptions: 0,
      planIds: [],
      productIds: [],
      enabled: true,
    });
    assert.deepEqual((await staff("GET", `/coupons/${id}`)).body, body);
  });

  test("what is given is kept; a date-time stands for its South African day", async () => {
    const [plan, product] = [await addPlan(), await addProduct()];
    const given = {
      code: "ALL",
      name: "Everything",
      amount: 49.995,
      currency: "usd",
      duration: "cycles",
      cycles: 3,
      startsAt: "2027-01-01",
      endsAt: "2027-01-30T22:00:00Z",
      maxRedemptions: 100,
      maxRedemptionsPerCustomer: 1,
      planIds: [plan.id, plan.id],
      productIds: [product],
      enabled: false,
    };
    const body = await add(given.amount ? { ...given, percent: null } : given);
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...shown } = body;
    const settled = {
      percent: null,
      amount: 50,
      currency: "USD",
      endsAt: "2027-01-31",
      planIds: [plan.id],
      redemptions: 0,
    };
    assert.deepEqual(shown, { ...given, ...settled });
    assert.deepEqual((await patch(body, body)).status, 200, "what was read may be sent back");
  });

  const REFUSED: readonly [what: string, body: object, path: readonly unknown[]][] = [
    ["no code", { code: undefined }, ["code"]],
    ["an empty code", { code: " " }, ["code"]],
    ["a code of 51 characters", { code: "x".repeat(51) }, ["code"]],
    ["neither percent nor amount", { percent: undefined }, ["percent"]],
    ["both null", { percent: null, amount: null }, ["percent"]],
    ["percent and amount", { percent: 10, amount: 10 }, ["amount"]],
    ["zero percent", { percent: 0 }, ["percent"]],
    ["101 percent", { percent: 101 }, ["percent"]],
    ["a negative percentage", { percent: -5 }, ["percent"]],
    ["an amount of zero", { percent: undefined, amount: 0 }, ["amount"]],
    ["an amount that rounds to zero", { percent: undefined, amount: 0.001 }, ["amount"]],
    ["too large an amount", { percent: undefined, amount: 10_000_001 }, ["amount"]],
    ["a currency that is none", { currency: "XXQ" }, ["currency"]],
    ["a duration that is none", { duration: "forever" }, ["duration"]],
    ["the duration cycles without a number", { duration: "cycles" }, ["cycles"]],
    ["a number of cycles for the first charge", { cycles: 2 }, ["cycles"]],
    ["half a cycle", { duration: "cycles", cycles: 0.5 }, ["cycles"]],
    ["a day that does not exist", { startsAt: "2027-02-29" }, ["startsAt"]],
    ["a day after the year 9999, in South Africa", { startsAt: "9999-12-31T22:00:00Z" }, ["startsAt"]],
    ["a day as a number", { endsAt: 20270101 }, ["endsAt"]],
    ["a last day before the first", { startsAt: "2027-02-02", endsAt: "2027-02-01" }, ["endsAt"]],
    ["no redemption at all", { maxRedemptions: 0 }, ["maxRedemptions"]],
    ["a limit as text", { maxRedemptionsPerCustomer: "1" }, ["maxRedemptionsPerCustomer"]],
    ["a plan that does not exist", { planIds: ["plan_x"] }, ["planIds", 0]],
    ["a product that does not exist", { productIds: ["prod_x"] }, ["productIds", 0]],
    ["101 plans", { planIds: Array.from({ length: 101 }, (_, at) => `plan_${at}`) }, ["planIds"]],
    ["a plan as text", { planIds: "plan_x" }, ["planIds"]],
  ];
  for (const [what, fields, path] of REFUSED)
    test(`${what} is refused at ${path.join(".")}`, async () => {
      const { status, body } = await post({ code: "refused", percent: 10, ...fields });
      assert.deepEqual([status, body.error, body.issues?.[0]?.path], [400, "invalid_request", path]);
      const { body: found } = await staff<{ data: unknown[] }>("GET", "/coupons?q=refused");
      assert.deepEqual(found.data, []);
    });

  test("another organisation's plan is no plan", async () => {
    const { id } = await addPlan();
    const owner = await (await api.addMerchant()).signIn("owner");
    const { status, body } = await owner<Refusal>("POST", "/coupons", { code: "a", percent: 1, planIds: [id] });
    assert.deepEqual([status, body.issues?.[0]?.path], [400, ["planIds", 0]]);
  });

  test("a code is unique in the organisation, whatever the case of its letters", async () => {
    const coupon = await add({ code: "Summer" });
    const again = await post({ code: "SUMMER", percent: 5 });
    assert.deepEqual(
      [again.status, again.body.error, again.body.issues?.[0]?.path],
      [409, "invalid_request", ["code"]],
    );
    const other = await add();
    assert.equal((await patch(other, { code: "sUMMER" })).status, 409);
    assert.equal((await patch(coupon, { code: "SUMMER" })).body["code"], "SUMMER", "its own");
    const owner = await (await api.addMerchant()).signIn("owner");
    assert.equal((await owner("POST", "/coupons", { code: "SUMMER", percent: 5 })).status, 201);
  });

  test(`${AT_ONCE} creates of one code at once make one coupon`, async () => {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => post({ code: at % 2 ? "RACED" : "raced", percent: 5 })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
  });

  test("PATCH changes what is given: an amount replaces a percentage, another duration ends the cycles, null clears", async () => {
    const coupon = await add({ duration: "cycles", cycles: 3, endsAt: "2027-12-31", maxRedemptions: 5, name: "a" });
    const amount = await patch(coupon, { amount: 20 });
    assert.deepEqual([amount.body["percent"], amount.body["amount"], amount.body["cycles"]], [null, 20, 3]);
    const percent = await patch(coupon, { percent: 20 });
    assert.deepEqual([percent.body["percent"], percent.body["amount"]], [20, null]);
    assert.equal((await patch(coupon, { percent: null })).status, 400);
    const every = await patch(coupon, { duration: "every" });
    assert.deepEqual([every.body["duration"], every.body["cycles"]], ["every", null]);
    assert.equal((await patch(coupon, { cycles: 3 })).status, 400);
    const cleared = await patch(coupon, { endsAt: null, maxRedemptions: null, name: null, enabled: false });
    const { endsAt, maxRedemptions, name, enabled } = cleared.body;
    assert.deepEqual([endsAt, maxRedemptions, name, enabled], [null, null, null, false]);
    assert.deepEqual((await staff("GET", `/coupons/${coupon.id}`)).body, cleared.body);
    assert.equal((await patch(coupon, { planIds: ["plan_x"] })).status, 400);
  });

  test("what a coupon names is not deleted while it names it", async () => {
    const [plan, product] = [await addPlan(), await addProduct()];
    const coupon = await add({ planIds: [plan.id], productIds: [product] });
    const paths = [plan.path, plan.packagePath, `/products/${product}`];
    for (const path of paths) {
      const { status, body } = await staff<Refusal>("DELETE", path);
      assert.deepEqual([status, body.error], [409, "invalid_state"], path);
      assert.match(body.message, /coupons/);
    }
    const freed = await patch(coupon, { planIds: null, productIds: [] });
    assert.deepEqual([freed.body["planIds"], freed.body["productIds"]], [[], []]);
    for (const path of paths.filter((one) => one !== plan.packagePath))
      assert.equal((await staff("DELETE", path)).status, 200, path);
  });

  test("a plan that is deleted while coupons are made for it is either refused to them or kept", async () => {
    for (let round = 0; round < 5; round++) {
      const plan = await addPlan();
      const [made, , deleted] = await Promise.all([
        post({ code: `race-${round}`, percent: 1, planIds: [plan.id] }),
        post({ code: `race-${round}-other`, percent: 1, planIds: [plan.id] }),
        staff("DELETE", round % 2 ? plan.path : plan.packagePath),
      ]);
      assert.ok(
        [201, 400].includes(made.status) && [200, 409].includes(deleted.status),
        `${made.text} ${deleted.text}`,
      );
      assert.ok(made.status === 400 || deleted.status === 409, `${made.text} ${deleted.text}`);
    }
  });

  test("lists are newest first, with pages and a search for code and name", async () => {
    const owner = await (await api.addMerchant()).signIn("owner");
    for (const [code, name] of [
      ["WOOL-1", "Red"],
      ["FELT", "Wool too"],
      ["SILK", null],
      ["wool-2", null],
    ] as const)
      await owner("POST", "/coupons", { code, name, percent: 1 });
    type List = { data: { code: string }[]; nextCursor: string; hasMore: boolean };
    const first = await owner<List>("GET", "/coupons?q=wool&limit=2");
    assert.deepEqual([first.body.data.map(({ code }) => code), first.body.hasMore], [["wool-2", "FELT"], true]);
    const rest = await owner<List>("GET", `/coupons?q=wool&limit=2&startingAfter=${first.body.nextCursor}`);
    assert.deepEqual([rest.body.data.map(({ code }) => code), rest.body.hasMore], [["WOOL-1"], false]);
  });

  test("the plan must include Coupons, roles must hold the permission, and so must keys", async () => {
    const coupon = await add();
    const small = await (await api.addMerchant({ plan: "starter" })).signIn("owner");
    const restricted = await small<Refusal>("POST", "/coupons", { code: "a", percent: 1 });
    assert.deepEqual([restricted.status, restricted.body.error], [403, "plan_restricted"]);
    for (const role of ["finance", "support", "viewer"] as const) {
      const member = await merchant.signIn(role);
      assert.equal((await member("POST", "/coupons", { code: role, percent: 1 })).status, 403, role);
      assert.equal((await member("DELETE", `/coupons/${coupon.id}`)).status, 403, role);
      assert.equal((await member("GET", "/coupons")).status, 200, role);
    }
    const reader = await merchant.addKey([], { scopes: ["catalogue:read"] });
    assert.equal((await merchant.get("/coupons", reader)).status, 200);
    assert.equal((await merchant.call("DELETE", `/coupons/${coupon.id}`, reader)).status, 403);
    const stranger = await (await api.addMerchant()).signIn("owner");
    for (const method of ["GET", "PATCH", "DELETE"])
      assert.equal((await stranger(method, `/coupons/${coupon.id}`, method === "PATCH" ? {} : undefined)).status, 404);
  });

  test("a repeated Idempotency-Key makes nothing new; a coupon that was not redeemed is deleted", async () => {
    const headers = { "idempotency-key": "coupon-1" };
    const first = await staff<Coupon>("POST", "/coupons", { code: "once", percent: 1 }, headers);
    const again = await staff<Coupon>("POST", "/coupons", { code: "once", percent: 1 }, headers);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.deepEqual((await staff("DELETE", `/coupons/${first.body.id}`)).body, first.body);
    assert.equal((await staff("GET", `/coupons/${first.body.id}`)).status, 404);
  });
});
