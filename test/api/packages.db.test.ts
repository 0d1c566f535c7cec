import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";

/* Interface 4.15 and 2.14: packages and plans, as clients and staff keep them. */

const AT_ONCE = 20;
const GOLD = { name: "Gold", amount: 99, frequency: "monthly" };

interface Plan extends Record<string, unknown> {
  readonly id: string;
  readonly packageId: string;
}

describe("packages and plans", () => {
  let api: TestApi;
  let merchant: ApiMerchant;
  let staff: StaffCall;
  before(async () => {
    api = await openApi();
    merchant = await api.addMerchant();
    staff = await merchant.signIn("owner");
  });
  after(() => api.close());

  const addPackage = async (body: object = { name: "Hosting" }, of = merchant) => {
    const answer = await of.post<{ id: string }>("/packages", body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const addPlan = async (body: object = {}, packageId?: string) => {
    const id = packageId ?? (await addPackage()).id;
    const answer = await merchant.post<Plan>(`/packages/${id}/plans`, { ...GOLD, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const pathOf = (plan: Plan) => `/packages/${plan.packageId}/plans/${plan.id}`;
  const versionsOf = (plan: Plan) =>
    api.query<Record<string, unknown>>(
      "select id, number, amount_cents::integer as amount from plan_versions where plan_id = $1 order by number",
      plan.id,
    );

  test("a package needs a name, a plan its name, amount and frequency; the rest has defaults", async () => {
    const { id, createdAt, updatedAt, ...rest } = (await addPackage({ name: " Hosting " })) as Record<string, unknown>;
    assert.match(String(id), /^pkg_[0-9a-z]{26}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, { name: "Hosting", description: null, enabled: true, plans: [] });

    const plan = await addPlan({}, String(id));
    assert.match(plan.id, /^plan_[0-9a-z]{26}$/);
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...shown } = plan;
    assert.deepEqual(shown, {
      packageId: id,
      code: null,
      name: "Gold",
      amount: 99,
      currency: "ZAR",
      frequency: "monthly",
      setupFee: 0,
      prices: [],
      trialDays: 0,
      taxRate: 15,
      standardRate: true,
      taxInclusive: false,
      features: [],
      enabled: true,
      callToAction: "none",
      callToActionUrl: null,
      cycles: null,
      version: 1,
    });
    assert.deepEqual((await merchant.get(`/packages/${id}`)).body, {
      id,
      createdAt,
      updatedAt,
      ...rest,
      plans: [plan],
    });
  });

  test("what is given is kept; VAT that is not given follows the settings", async () => {
    const other = await api.addMerchant();
    const owner = await other.signIn("owner");
    await owner("PATCH", "/settings", { vatRate: 15.5, taxInclusivePrices: true });
    const { id } = await addPackage({ name: "Import", description: "Mirrored", enabled: false }, other);
    const given = {
      code: "yearly-1",
      name: "Yearly",
      amount: 0,
      currency: "usd",
      frequency: "annually",
      setupFee: 1.005,
      prices: [{ currency: "EUR", amount: 5, setupFee: 1 }],
      features: [{ key: "seats", type: "limit", value: null }],
      trialDays: 14,
      enabled: false,
      callToAction: "link",
      callToActionUrl: "https://shop.example/talk",
      cycles: 3,
    };
    const { status, body } = await other.post<Plan>(`/packages/${id}/plans`, given);
    assert.equal(status, 201);
    const { id: _id, packageId: _packageId, createdAt: _createdAt, updatedAt: _updatedAt, ...shown } = body;
    const settled = {
      currency: "USD",
      setupFee: 1.01,
      taxRate: 15.5,
      standardRate: true,
      taxInclusive: true,
      version: 1,
    };
    assert.deepEqual(shown, { ...given, ...settled });
    await owner("PATCH", "/settings", { vatRate: 14, taxInclusivePrices: false });
    const kept = await owner("PATCH", pathOf(body), { name: "Each year" });
    assert.deepEqual([kept.body["taxRate"], kept.body["taxInclusive"], kept.body["version"]], [14, true, 1]);
    const explicit = await other.post<Plan>(`/packages/${id}/plans`, { ...GOLD, taxRate: 0, taxInclusive: true });
    assert.deepEqual([explicit.body["taxRate"], explicit.body["taxInclusive"]], [0, true]);
  });

  const REFUSED: readonly [what: string, body: object, path: readonly unknown[]][] = [
    ["no name", { name: undefined }, ["name"]],
    ["an empty name", { name: " " }, ["name"]],
    ["a name of 201 characters", { name: "x".repeat(201) }, ["name"]],
    ["no amount", { amount: undefined }, ["amount"]],
    ["an amount below zero", { amount: -0.01 }, ["amount"]],
    ["an amount that rounds to zero", { amount: 0.004 }, ["amount"]],
    ["an amount above the limit", { amount: 10_000_000.01 }, ["amount"]],
    ["an amount as text", { amount: "99" }, ["amount"]],
    ["no amount but null", { amount: null }, ["amount"]],
    ["no frequency", { frequency: undefined }, ["frequency"]],
    ["a frequency that is none", { frequency: "weekly" }, ["frequency"]],
    ["a currency that is none", { currency: "XXQ" }, ["currency"]],
    ["a set-up fee below zero", { setupFee: -1 }, ["setupFee"]],
    ["a set-up fee of null", { setupFee: null }, ["setupFee"]],
    ["half a day of trial", { trialDays: 0.5 }, ["trialDays"]],
    ["a trial below zero", { trialDays: -1 }, ["trialDays"]],
    ["a trial of 732 days", { trialDays: 732 }, ["trialDays"]],
    ["a rate above 100", { taxRate: 100.1 }, ["taxRate"]],
    ["no cycles", { cycles: 0 }, ["cycles"]],
    ["one and a half cycles", { cycles: 1.5 }, ["cycles"]],
    ["1001 cycles", { cycles: 1001 }, ["cycles"]],
    ["a call to action that is none", { callToAction: "phone" }, ["callToAction"]],
    ["a link without https", { callToActionUrl: "http://shop.example" }, ["callToActionUrl"]],
    ["a link that runs a script", { callToActionUrl: "javascript:alert(1)" }, ["callToActionUrl"]],
    ["a code of 101 characters", { code: "x".repeat(101) }, ["code"]],
    ["a code with NUL", { code: "a\0b" }, ["code"]],
    ["enabled as text", { enabled: "yes" }, ["enabled"]],
  ];
  for (const [what, fields, path] of REFUSED)
    test(`a plan with ${what} is refused at ${path.join(".")}, created or changed`, async () => {
      const plan = await addPlan();
      const answers = [await merchant.post<Refusal>(`/packages/${plan.packageId}/plans`, { ...GOLD, ...fields })];
      if (!Object.values(fields).includes(undefined)) answers.push(await staff<Refusal>("PATCH", pathOf(plan), fields));
      for (const { status, body } of answers)
        assert.deepEqual([status, body.error, body.issues?.[0]?.path], [400, "invalid_request", path]);
      assert.deepEqual((await merchant.get(`/packages/${plan.packageId}`)).body["plans"], [plan], "nothing is written");
    });

  for (const [what, body] of [
    ["no name", {}],
    ["a long name", { name: "x".repeat(201) }],
    ["a long description", { name: "a", description: "x".repeat(1001) }],
    ["enabled null", { name: "a", enabled: null }],
  ] as const)
    test(`a package with ${what} is refused`, async () => {
      assert.equal((await merchant.post("/packages", body)).status, 400);
    });

  test("a code is found by GET /plans?code=, exactly", async () => {
    const plan = await addPlan({ code: "GOLD-m" });
    await addPlan({ code: "gold-m" });
    assert.deepEqual((await merchant.get("/plans?code=GOLD-m")).body, {
      data: [plan],
      hasMore: false,
      nextCursor: null,
    });
    assert.deepEqual((await merchant.get("/plans?code=GOLD")).body, { data: [], hasMore: false, nextCursor: null });
    assert.deepEqual((await merchant.get("/plans?code=")).body, { data: [], hasMore: false, nextCursor: null });
    const other = await api.addMerchant();
    assert.deepEqual((await other.get("/plans?code=GOLD-m")).body, { data: [], hasMore: false, nextCursor: null });
  });

  test("a code that another plan has is 409 plan_code_taken, whatever the package; another organisation's is free", async () => {
    const plan = await addPlan({ code: "taken" });
    const other = await addPlan({ code: "free" });
    const again = await merchant.post<Refusal>(`/packages/${other.packageId}/plans`, { ...GOLD, code: " taken " });
    assert.deepEqual([again.status, again.body.error], [409, "plan_code_taken"]);
    const moved = await staff<Refusal>("PATCH", pathOf(other), { code: "taken" });
    assert.deepEqual([moved.status, moved.body.error], [409, "plan_code_taken"]);
    assert.equal((await staff("PATCH", pathOf(plan), { code: "taken", name: "Same" })).status, 200, "its own");
    assert.equal((await staff("PATCH", pathOf(plan), { code: null })).body["code"], null);
    assert.equal((await staff("PATCH", pathOf(other), { code: "taken" })).status, 200, "it is free again");
    const elsewhere = await api.addMerchant();
    const { id } = await addPackage({ name: "a" }, elsewhere);
    assert.equal((await elsewhere.post(`/packages/${id}/plans`, { ...GOLD, code: "taken" })).status, 201);
    await addPlan();
    await addPlan({ code: "" });
  });

  test(`${AT_ONCE} creates of one code at once, in as many packages, make one plan`, async () => {
    const packages = await Promise.all(Array.from({ length: AT_ONCE }, () => addPackage()));
    const answers = await Promise.all(
      packages.map(({ id }) => merchant.post<Refusal>(`/packages/${id}/plans`, { ...GOLD, code: "raced" })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
    const refused = answers.filter(({ status }) => status === 409);
    assert.deepEqual(new Set(refused.map(({ body }) => body.error)), new Set(["plan_code_taken"]));
    const found = await merchant.get<{ data: unknown[] }>("/plans?code=raced");
    assert.equal(found.body.data.length, 1);
  });

  test("a change of price is a new version, and no other change is; an old version stays as it was", async () => {
    const plan = await addPlan({ amount: 100, code: "versioned" });
    const [first] = await versionsOf(plan);
    const named = await staff("PATCH", pathOf(plan), {
      name: "Renamed",
      enabled: false,
      callToAction: "contact_us",
      amount: 100,
    });
    assert.deepEqual(
      { ...named.body, updatedAt: 0 },
      {
        ...plan,
        name: "Renamed",
        enabled: false,
        callToAction: "contact_us",
        updatedAt: 0,
      },
    );
    const dearer = await staff("PATCH", pathOf(plan), { amount: 120.5 });
    assert.deepEqual([dearer.status, dearer.body["amount"], dearer.body["version"]], [200, 120.5, 2]);
    const back = await staff("PATCH", pathOf(plan), { amount: 100 });
    assert.deepEqual([back.body["amount"], back.body["version"]], [100, 3]);
    assert.equal((await staff("PATCH", pathOf(plan), {})).body["version"], 3);
    const versions = await versionsOf(plan);
    assert.deepEqual(versions[0], first);
    assert.deepEqual(
      versions.map(({ number, amount }) => [number, amount]),
      [
        [1, 10000],
        [2, 12050],
        [3, 10000],
      ],
    );
  });

  test(`${AT_ONCE} changes of one price at once make a version each, numbered without a gap`, async () => {
    const plan = await addPlan({ amount: 1 });
    const amounts = Array.from({ length: AT_ONCE }, (_, at) => at + 2);
    const answers = await Promise.all(amounts.map((amount) => staff("PATCH", pathOf(plan), { amount })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const versions = await versionsOf(plan);
    assert.deepEqual(
      versions.map(({ number }) => number),
      [1, ...amounts],
    );
    const { body } = await merchant.get<{ plans: Plan[] }>(`/packages/${plan.packageId}`);
    assert.equal(body.plans[0]?.["amount"], Number(versions.at(-1)?.["amount"]) / 100, "the newest is in force");
  });

  test("the service itself cannot change a version", async () => {
    const plan = await addPlan();
    await assert.rejects(
      api.services.db.transaction(
        merchant.organisation.id,
        (tx) =>
          tx.sql`update plan_versions set amount_cents = 1 where organisation_id = ${tx.organisation} and plan_id = ${plan.id}`,
      ),
      /permission denied/,
    );
  });

  test("null clears what may be empty; VAT of null follows the settings, where null stands for it", async () => {
    const plan = await addPlan({
      code: "full",
      cycles: 12,
      callToActionUrl: "https://shop.example/",
      taxInclusive: true,
    });
    const { body } = await staff("PATCH", pathOf(plan), {
      code: null,
      cycles: null,
      callToActionUrl: null,
      taxInclusive: null,
    });
    assert.deepEqual(
      [body["code"], body["cycles"], body["callToActionUrl"], body["taxInclusive"]],
      [null, null, null, false],
    );
    const rates = [];
    assert.equal((await staff("PATCH", pathOf(plan), { taxRate: null })).status, 400);
    for (const tax of [{ taxRate: 14 }, { standardRate: true }, { standardRate: true, taxRate: 14 }]) {
      const changed = await staff("PATCH", pathOf(plan), tax);
      rates.push([changed.body["taxRate"], changed.body["standardRate"], changed.body["version"]]);
    }
    assert.deepEqual(rates, [
      [14, false, 3],
      [15, true, 4],
      [undefined, undefined, undefined],
    ]);
    const { id } = await addPackage({ name: "a", description: "b" });
    const cleared = await staff("PATCH", `/packages/${id}`, { description: null, enabled: false });
    assert.deepEqual([cleared.body["description"], cleared.body["enabled"]], [null, false]);
    assert.deepEqual((await staff("GET", `/packages/${id}`)).body, cleared.body);
  });

  test("a plan is deleted with its versions, a package with its plans", async () => {
    const plan = await addPlan({ code: "gone" });
    await staff("PATCH", pathOf(plan), { amount: 5 });
    const kept = await addPlan({}, plan.packageId);
    const deleted = await staff<Plan>("DELETE", pathOf(plan));
    assert.deepEqual([deleted.status, deleted.body.id], [200, plan.id]);
    assert.deepEqual(await versionsOf(plan), []);
    assert.equal((await staff("DELETE", pathOf(plan))).status, 404);
    assert.equal((await staff("PATCH", pathOf(plan), {})).status, 404);
    await addPlan({ code: "gone" });
    const whole = await staff<{ plans: Plan[] }>("DELETE", `/packages/${plan.packageId}`);
    assert.deepEqual([whole.status, whole.body.plans], [200, [kept]]);
    assert.equal((await merchant.get(`/packages/${plan.packageId}`)).status, 404);
    assert.equal((await staff("DELETE", `/packages/${plan.packageId}`)).status, 404);
    assert.equal((await merchant.post(`/packages/${plan.packageId}/plans`, GOLD)).status, 404);
  });

  test("a plan is reached through its own package only, and never by another organisation", async () => {
    const plan = await addPlan();
    const { id } = await addPackage();
    const path = `/packages/${id}/plans/${plan.id}`;
    assert.equal((await staff("PATCH", path, { name: "x" })).status, 404);
    assert.equal((await staff("DELETE", path)).status, 404);
    const other = await api.addMerchant();
    const stranger = await other.signIn("owner");
    for (const [method, to, body] of [
      ["GET", `/packages/${id}`],
      ["PATCH", `/packages/${id}`, { name: "x" }],
      ["DELETE", `/packages/${id}`],
      ["GET", `/packages/${id}/plans`],
      ["POST", `/packages/${id}/plans`, GOLD],
      ["PATCH", pathOf(plan), { name: "x" }],
      ["DELETE", pathOf(plan)],
    ] as const)
      assert.equal((await stranger(method, to, body)).status, 404, `${method} ${to}`);
    assert.equal((await other.get(`/packages/${id}`)).status, 404);
  });
});
