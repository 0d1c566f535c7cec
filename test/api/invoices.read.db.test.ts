import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { type InvoiceAnswer, type Invoicing, LINE, openInvoicing } from "../support/invoices.ts";
import { long } from "../support/text.ts";

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => api.close());

describe("list", () => {
  let own: Invoicing;
  const ids = async (query: string): Promise<[number, string[]]> => {
    const { status, body } = await own.merchant.get<{ data?: InvoiceAnswer[] }>(`/invoices${query}`);
    return [status, (body.data ?? []).map(({ id }) => id)];
  };
  const made: string[] = [];
  before(async () => {
    own = await openInvoicing(api);
    const other = await own.merchant.post<{ id: string }>("/customers", { externalReference: "other" });
    for (const fields of [{}, { externalReference: "r 1" }, { send: true }, { customerId: other.body.id }])
      made.push((await own.create(fields)).body.id);
    await own.act(made[0] ?? "", "cancel");
  });

  test("newest first, and each filter alone and together", async () => {
    const [first, second, third, fourth] = made;
    const all = [fourth, third, second, first];
    const customerId = own.customerId;
    const cases: [string, (string | undefined)[]][] = [
      ["", all],
      ["?limit=2", all.slice(0, 2)],
      ["?limit=0", all.slice(0, 1)],
      ["?limit=nonsense", all],
      [`?customerId=${customerId}`, [third, second, first]],
      [`?customerId=${customerId}&status=draft`, [second]],
      ["?externalReference=r+1", [second]],
      ["?externalReference=%20r%201%20", [second]],
      ["?externalReference=r", []],
      ["?status=sent", [third]],
      ["?status=cancelled", [first]],
      ["?status=overdue", []],
      ["?status=partially_paid", []],
      ["?status=paid", []],
      ["?customerId=cus_nobody", []],
    ];
    for (const [query, expected] of cases) assert.deepEqual(await ids(query), [200, expected], query);
  });

  test("an unknown status is 400", async () => {
    for (const status of ["unpaid", "DRAFT", "", "expired"]) {
      const answer = await own.merchant.get<Refusal>(`/invoices?status=${status}`);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], status);
    }
  });

  test("shows no other organisation's", async () => {
    const theirs = await openInvoicing(api);
    const { body } = await theirs.merchant.get<{ data: unknown[] }>("/invoices");
    assert.deepEqual(body, { data: [], hasMore: false, nextCursor: null });
  });
});

describe("who may", () => {
  test("starter has invoicing and no API; a read-only account may read and change nothing", async () => {
    const starter = await openInvoicing(api);
    const { body } = await starter.create();
    await starter.merchant.change({ plan: "starter" });
    const refusals: [Answer<Refusal>, string][] = [[await starter.create<Refusal>(), "plan_restricted"]];
    const staff = await starter.merchant.signIn();
    assert.equal((await staff("GET", `/invoices/${body.id}`)).status, 200);
    await starter.merchant.change({ plan: "business", state: "suspended" });
    refusals.push([await starter.create<Refusal>(), "account_restricted"]);
    for (const action of ["send", "cancel", "payments"])
      refusals.push([await starter.act<Refusal>(body.id, action, { amount: 1, method: "eft" }), "account_restricted"]);
    for (const [answer, error] of refusals) assert.deepEqual([answer.status, answer.body.error], [403, error]);
    assert.deepEqual((await starter.show(body.id)).status, "draft");
  });

  for (const [role, status, done] of [
    ["viewer", 403, { send: 403, payments: 403, cancel: 403 }],
    ["support", 201, { send: 200, payments: 403, cancel: 200 }],
    ["finance", 201, { send: 200, payments: 201, cancel: 200 }],
    ["admin", 201, { send: 200, payments: 201, cancel: 200 }],
  ] as const)
    test(`staff who are ${role}: ${status}`, async () => {
      const staff = await shop.merchant.signIn(role);
      const created = await staff<InvoiceAnswer & Refusal>("POST", "/invoices", {
        customerId: shop.customerId,
        lines: [LINE],
      });
      assert.equal(created.status, status);
      assert.equal((await staff("GET", "/invoices")).status, 200);
      const { id } = status === 201 ? created.body : (await shop.create()).body;
      for (const [action, expected] of Object.entries(done)) {
        const answer = await staff("POST", `/invoices/${id}/${action}`, { amount: 1, method: "cash" });
        assert.equal(answer.status, expected, action);
      }
    });

  test("other organisations' ids, and ids of nothing: 404", async () => {
    const theirs = (await (await openInvoicing(api)).create()).body.id;
    for (const id of [theirs, "inv_00000000000000000000000000", "x", "%00", long(300)]) {
      assert.equal((await shop.merchant.get(`/invoices/${id}`)).status, 404, id);
      for (const action of ["send", "cancel", "payments"])
        assert.equal((await shop.act(id, action, { amount: 1, method: "eft" })).status, 404, `${action} ${id}`);
    }
  });
});
