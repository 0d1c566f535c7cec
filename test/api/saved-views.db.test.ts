import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, refusal, type StaffCall, signIn, type TestApi } from "../support/api.ts";

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
}

let api: TestApi;
let merchant: ApiMerchant;
let owner: StaffCall;
let support: StaffCall;
let viewer: StaffCall;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  [owner, support, viewer] = [
    await merchant.signIn("owner"),
    await merchant.signIn("support"),
    await merchant.signIn("viewer"),
  ];
});
after(() => api.close());

const save = (staff: StaffCall, body: object) =>
  staff<View>("POST", "/saved-views", { list: "invoices", name: "Late", query: "owing=overdue", ...body });
const namesFor = async (staff: StaffCall, list = "invoices") =>
  (await staff<{ data: View[] }>("GET", `/saved-views?list=${list}`)).body.data.map(({ name }) => name);

describe("a saved view", () => {
  test("is its member's own, or all members'", async () => {
    assert.equal((await save(owner, { name: "Mine" })).status, 201);
    assert.equal((await save(support, { name: "Ours", shared: true })).status, 201);
    assert.equal((await save(viewer, { name: "A viewer's" })).status, 201);
    assert.deepEqual(await namesFor(owner), ["Mine", "Ours"]);
    assert.deepEqual(await namesFor(support), ["Ours"]);
    assert.deepEqual(await namesFor(viewer), ["A viewer's", "Ours"]);
    assert.deepEqual(await namesFor(owner, "quotes"), []);
  });

  test("replaces the one of its name, list and owner", async () => {
    const first = await save(owner, { name: "Again" });
    const second = await save(owner, { name: "Again", query: "status=draft" });
    assert.deepEqual([second.body.id, second.body.query], [first.body.id, "status=draft"]);
    const shared = await save(owner, { name: "Again", shared: true });
    assert.notEqual(shared.body.id, first.body.id);
  });

  test("of the same name is one when two save it at once", async () => {
    const both = await Promise.all([save(owner, { name: "Twice" }), save(owner, { name: "Twice" })]);
    assert.deepEqual([...new Set(both.map(({ status }) => status))], [201]);
    assert.equal(new Set(both.map(({ body }) => body.id)).size, 1);
  });

  test("keeps filters and columns, without the search and the page", async () => {
    const { body } = await save(owner, {
      query: "q=Nkosi&status=paid&columns=number,total&after=inv_1&organisation=x",
    });
    assert.equal(body.query, "status=paid&columns=number%2Ctotal");
  });

  for (const [what, body, status] of [
    ["of nothing", { query: "" }, 400],
    ["of a search alone", { query: "q=Nkosi" }, 400],
    ["without a name", { name: " " }, 400],
    ["of a name with 41 characters", { name: "x".repeat(41) }, 400],
    ["of no list", { list: "https://example.org" }, 400],
    ["of 1 001 characters", { query: `status=${"x".repeat(994)}` }, 400],
  ] as const)
    test(`${what} is refused`, async () => assert.equal((await save(owner, body)).status, status));

  test("of all members is neither saved nor deleted by a viewer; another member's own is not found", async () => {
    assert.deepEqual(refusal((await save(viewer, { shared: true })) as never), [403, "permission_required"]);
    const shared = (await save(owner, { name: "Team", shared: true })).body.id;
    const own = (await save(owner, { name: "Private" })).body.id;
    assert.equal((await viewer("DELETE", `/saved-views/${shared}`)).status, 403);
    assert.equal((await support("DELETE", `/saved-views/${own}`)).status, 404);
    assert.equal((await support("DELETE", `/saved-views/${shared}`)).status, 200);
    assert.equal((await owner("DELETE", `/saved-views/${own}`)).status, 200);
    assert.equal((await owner("DELETE", `/saved-views/${own}`)).status, 404);
  });

  test("is one of thirty at most; a thirtieth can be replaced", async () => {
    const many = (index: number) => save(owner, { list: "quotes", name: `View ${index}` });
    for (let index = 1; index <= 30; index += 1) assert.equal((await many(index)).status, 201);
    assert.equal((await many(31)).status, 400);
    const [first] = (await owner<{ data: View[] }>("GET", "/saved-views?list=quotes")).body.data;
    assert.equal((await owner("DELETE", `/saved-views/${first?.id}`)).status, 200);
    const both = await Promise.all([
      save(owner, { list: "quotes", name: "One" }),
      save(owner, { list: "quotes", name: "Two" }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 400]);
    assert.equal((await save(owner, { list: "quotes", name: "View 29", query: "status=paid" })).status, 201);
  });

  test("goes with its member", async () => {
    const leaving = await merchant.addStaff("finance");
    const staff = await signIn(api, leaving);
    assert.equal((await save(staff, { name: "Leaving" })).status, 201);
    const members = await owner<{ data: { id: string; email: string }[] }>("GET", "/members");
    const id = members.body.data.find(({ email }) => email === leaving.email)?.id;
    assert.equal((await owner("DELETE", `/members/${id}`)).status, 200);
    assert.deepEqual(await api.query("select name from saved_views where name = 'Leaving'"), []);
  });
});
