import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";

/* Interface 4.15: who may read and change packages and plans, lists, and keys of requests. */

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

  const addPackage = async (name: string, of = merchant) => (await of.post<{ id: string }>("/packages", { name })).body;
  const addPlan = async () => {
    const { id } = await addPackage("Hosting");
    return (await merchant.post<Plan>(`/packages/${id}/plans`, GOLD)).body;
  };
  const pathOf = (plan: Plan) => `/packages/${plan.packageId}/plans/${plan.id}`;

  test("lists are newest first, with pages and a search for staff", async () => {
    const other = await api.addMerchant();
    const owner = await other.signIn("owner");
    const made = [];
    for (const name of ["Red wool", "Blue wool", "Felt"]) made.push(await addPackage(name, other));
    const [red, blue, felt] = made;
    for (const [name, code] of [
      ["Small", "s-1"],
      ["Large", "l-1"],
      ["Huge", "h"],
    ] as const)
      await other.post(`/packages/${red?.id}/plans`, { ...GOLD, name, code });
    await other.post(`/packages/${felt?.id}/plans`, GOLD);
    type List = { data: { id: string; name: string }[]; hasMore: boolean; nextCursor: string };
    const names = ({ body }: { body: List }) => body.data.map(({ name }) => name);
    assert.deepEqual(Object.keys((await other.get("/packages")).body), ["data", "hasMore", "nextCursor"]);
    const first = await owner<List>("GET", "/packages?q=WOOL&limit=1");
    assert.deepEqual([names(first), first.body.hasMore], [["Blue wool"], true]);
    const second = await owner<List>("GET", `/packages?q=WOOL&startingAfter=${first.body.nextCursor}`);
    assert.deepEqual([names(second), second.body.hasMore], [["Red wool"], false]);
    assert.deepEqual(names(await owner<List>("GET", "/plans?q=-1")), ["Large", "Small"]);
    assert.deepEqual(names(await owner<List>("GET", "/plans?limit=2")), ["Gold", "Huge"]);
    const ofRed = await owner<List>("GET", `/packages/${red?.id}/plans?limit=2`);
    assert.deepEqual([names(ofRed), ofRed.body.hasMore], [["Huge", "Large"], true]);
    const restOfRed = await owner<List>("GET", `/packages/${red?.id}/plans?startingAfter=${ofRed.body.nextCursor}`);
    assert.deepEqual(names(restOfRed), ["Small"]);
    assert.equal((await owner("GET", `/packages?startingAfter=${felt?.id.replace("pkg", "plan")}`)).status, 400);
    assert.deepEqual((await owner("GET", `/packages/${blue?.id}`)).body["plans"], []);
    const whole = await other.get<{ data: { plans: Plan[] }[] }>("/packages");
    assert.deepEqual(
      whole.body.data.map(({ plans }) => plans.map(({ name }) => name)),
      [["Gold"], [], ["Small", "Large", "Huge"]],
    );
  });

  test("a repeated Idempotency-Key makes nothing new", async () => {
    const headers = { "idempotency-key": "package-1" };
    const first = await merchant.post<{ id: string }>("/packages", { name: "Once" }, { headers });
    const again = await merchant.post<{ id: string }>("/packages", { name: "Once" }, { headers });
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const path = `/packages/${first.body.id}/plans`;
    const plan = await merchant.post<Plan>(path, { ...GOLD, code: "once" }, { headers });
    assert.deepEqual((await merchant.post<Plan>(path, { ...GOLD, code: "once" }, { headers })).body, plan.body);
    assert.equal((await merchant.post(path, { ...GOLD, code: "twice" }, { headers })).status, 409);
  });

  test("owners and admins keep them, every role reads them, and each change is in the audit log", async () => {
    const plan = await addPlan();
    for (const role of ["finance", "support", "viewer"] as const) {
      const member = await merchant.signIn(role);
      const refused = await member<Refusal>("POST", "/packages", { name: "a" });
      assert.deepEqual([refused.status, refused.body.error], [403, "permission_required"], role);
      assert.equal((await member("PATCH", pathOf(plan), { amount: 1 })).status, 403, role);
      assert.equal((await member("GET", "/packages")).status, 200, role);
      assert.equal((await member("GET", "/plans")).status, 200, role);
    }
    const admin = await merchant.signIn("admin");
    assert.equal((await admin("PATCH", pathOf(plan), { amount: 1 })).status, 200);
    type Entry = { before: { amount: number }; after: { amount: number } };
    const log = await staff<{ data: Entry[] }>("GET", `/audit-log?limit=1`);
    const [entry] = log.body.data;
    assert.deepEqual([entry?.before.amount, entry?.after.amount], [99, 1]);
  });

  test("a plan without the REST API refuses clients, a read-only account refuses changes", async () => {
    const small = await api.addMerchant({ plan: "starter" });
    const refused = await small.post<Refusal>("/packages", { name: "a" });
    assert.deepEqual([refused.status, refused.body.error], [403, "plan_restricted"]);
    const owner = await small.signIn("owner");
    assert.equal((await owner("POST", "/packages", { name: "a" })).status, 201, "staff need no feature for it");
    const suspended = await api.addMerchant({ state: "suspended" });
    const denied = await suspended.post<Refusal>("/packages", { name: "a" });
    assert.deepEqual([denied.status, denied.body.error], [403, "account_restricted"]);
    assert.equal((await suspended.get("/packages")).status, 200);
  });

  test("a package has 500 plans at most, also when two are created at once", async () => {
    const plan = await addPlan();
    await api.query(
      `with version as (
         insert into plan_versions (organisation_id, id, plan_id, number, amount_cents, currency, frequency, setup_fee_cents, trial_days,
           tax_rate, tax_inclusive, created_at)
         select organisation_id, 'plv_copy' || n, 'plan_copy' || n, 1, 1, 'ZAR', 'monthly', 0, 0, 15, false, created_at
           from plans cross join generate_series(1, 498) n where id = $1)
       insert into plans (organisation_id, id, package_id, name, enabled, call_to_action, plan_version_id, created_at, updated_at)
       select organisation_id, 'plan_copy' || n, package_id, 'Copy', true, 'none', 'plv_copy' || n, created_at, updated_at
         from plans cross join generate_series(1, 498) n where id = $1`,
      plan.id,
    );
    const path = `/packages/${plan.packageId}/plans`;
    const answers = await Promise.all([merchant.post(path, GOLD), merchant.post(path, GOLD)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
  });
});
