import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8: items of customer subscriptions, and the usage of metered ones. */

interface ShownItem {
  readonly id: string;
  readonly code: string | null;
  readonly kind: string;
  readonly description: string;
  readonly unitAmount: number;
  readonly quantity: number;
}

let api: TestApi;
let shop: SubscriptionShop;
let planId: string;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const SEATS = { code: "seats", kind: "addon", description: "Extra seats", unitAmount: 10, quantity: 3 };
const DATA = { code: "data", kind: "metered", description: "Data, per GB", unitAmount: 0.125 };

const path = (id: string, rest: string) => `/customer-subscriptions/${id}/${rest}`;
const itemsOf = (of: ShownSubscription) => of["items"] as ShownItem[];
const call = (method: string, id: string, rest: string, body?: object, headers: Record<string, string> = {}) =>
  shop.shop.call<ShownSubscription & { error: string; issues: { path: unknown[] }[] }>(method, path(id, rest), {
    ...(body ? { body } : {}),
    headers,
  });
async function done(...asked: Parameters<typeof call>): Promise<ShownSubscription> {
  const answer = await call(...asked);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
const newest = async (id: string) => (await shop.invoices(id))[0] ?? {};
const lines = async (id: string) =>
  ((await newest(id))["lines"] as { description: string; amount: number }[]).map(({ description, amount }) => [
    description,
    amount,
  ]);

describe("items", () => {
  before(async () => {
    shop = await openSubscriptionShop(api);
    planId = await shop.addPlan();
  });

  test("are added, changed and removed one by one, by id or code, and billed from the next renewal on", async () => {
    const { id } = await shop.subscribe({ planId });
    const added = await done("POST", id, "items", SEATS);
    const [{ id: item, ...shown } = { id: "" }] = itemsOf(added);
    assert.match(item, /^csi_/);
    assert.deepEqual(shown, SEATS);
    assert.deepEqual([added["amount"], (await shop.invoices(id)).length], [130, 1]);
    const more = await done("PATCH", id, "items/seats", { quantity: 5 });
    assert.deepEqual(itemsOf(more), [{ id: item, ...SEATS, quantity: 5 }]);
    const renamed = await done("PATCH", id, `items/${item}`, {
      code: "places",
      description: "Places",
      unitAmount: 12.5,
    });
    const places = { id: item, ...SEATS, code: "places", description: "Places", unitAmount: 12.5, quantity: 5 };
    assert.deepEqual(itemsOf(renamed), [places]);
    assert.deepEqual(itemsOf(await shop.now(id)), [places]);
    await done("POST", id, "items", { kind: "one_time", description: "Training", unitAmount: 500 });
    await done("POST", id, "items", { kind: "one_time", description: "Sorry", unitAmount: -20 });
    await shop.move(String(renamed["nextBillingAt"]));
    assert.deepEqual(await lines(id), [
      ["Gold", 80],
      ["Places", 62.5],
      ["Training", 500],
    ]);
    assert.deepEqual(itemsOf(await shop.now(id)), [places]);
    const removed = await done("DELETE", id, "items/places");
    assert.deepEqual([itemsOf(removed), removed["amount"]], [[], 100]);
    const types = (await shop.events(id)).map(({ type }) => type);
    assert.deepEqual(types.filter((type) => type === "subscription.updated").length, 6);
  });

  test("also change in the change that waits for the renewal", async () => {
    const { id } = await shop.subscribe({ planId, items: [SEATS] });
    await done("POST", id, "change-plan", { quantity: 2, proration: "next_renewal" });
    await done("PATCH", id, "items/seats", { quantity: 4 });
    const added = await done("POST", id, "items", { ...SEATS, code: "more", quantity: 1 });
    const pending = added["pendingChange"] as { items: ShownItem[]; quantity: number; amount: number };
    assert.deepEqual([pending.items, pending.quantity, pending.amount], [itemsOf(added), 2, 250]);
    const removed = await done("DELETE", id, "items/seats");
    assert.deepEqual((removed["pendingChange"] as { items: ShownItem[] }).items, itemsOf(removed));
  });

  test("of a full list are those with their code; what a list leaves out of one stays", async () => {
    const { id, ...first } = await shop.subscribe({ planId, items: [SEATS, DATA, { ...SEATS, code: "gone" }] });
    const known = itemsOf({ id, ...first });
    await done("POST", id, "items/data/usage", { quantity: 8, action: "set" });
    const items = [{ code: "seats", quantity: 7 }, { code: "data" }, { ...SEATS, code: "new" }];
    const after = itemsOf(await done("POST", id, "change-plan", { items }));
    assert.deepEqual(after.slice(0, 2), [
      { ...known[0], quantity: 7 },
      { ...known[1], quantity: 8 },
    ]);
    assert.deepEqual(
      after.map(({ code }) => code),
      ["seats", "data", "new"],
    );
  });

  const REFUSED: readonly [what: string, method: string, rest: string, body: object, field: string | undefined][] = [
    ["no kind", "POST", "items", { description: "x", unitAmount: 1 }, "kind"],
    ["an unknown kind", "POST", "items", { ...SEATS, kind: "gift" }, "kind"],
    ["no description", "POST", "items", { kind: "addon", unitAmount: 1 }, "description"],
    ["no price", "POST", "items", { kind: "addon", description: "x" }, "unitAmount"],
    ["a price that is a text", "POST", "items", { ...SEATS, unitAmount: "1" }, "unitAmount"],
    ["a price too fine", "POST", "items", { ...SEATS, unitAmount: 0.0000001 }, "unitAmount"],
    ["a negative add-on", "POST", "items", { ...SEATS, code: "n", unitAmount: -1 }, "unitAmount"],
    ["a negative metered item", "POST", "items", { ...DATA, code: "n", unitAmount: -1 }, "unitAmount"],
    ["a quantity of zero", "POST", "items", { ...SEATS, code: "n", quantity: 0 }, "quantity"],
    ["a negative quantity", "POST", "items", { ...SEATS, code: "n", quantity: -2 }, "quantity"],
    ["a code that is taken", "POST", "items", SEATS, "code"],
    ["a code of another item", "PATCH", "items/data", { code: "seats" }, "code"],
    ["another kind", "PATCH", "items/seats", { kind: "metered" }, "kind"],
    ["a quantity of a metered item", "PATCH", "items/data", { quantity: 3 }, "quantity"],
    ["negative usage", "POST", "items/data/usage", { quantity: -1 }, "quantity"],
    ["usage of nothing", "POST", "items/data/usage", {}, "quantity"],
    ["usage without end", "POST", "items/data/usage", { quantity: 1e10 }, "quantity"],
    ["an unknown action", "POST", "items/data/usage", { quantity: 1, action: "add" }, "action"],
    ["usage of an add-on", "POST", "items/seats/usage", { quantity: 1 }, undefined],
  ];
  test("that may not be are 400, and nothing changes", async () => {
    const { id } = await shop.subscribe({ planId, items: [SEATS, DATA] });
    const untouched = await shop.now(id);
    for (const [what, method, rest, body, field] of REFUSED) {
      const { status, body: answer, text } = await call(method, id, rest, body);
      assert.deepEqual(
        [status, answer.error, answer.issues?.[0]?.path[0]],
        [400, "invalid_request", field],
        `${what} ${text}`,
      );
    }
    for (const [method, rest, body] of [
      ["PATCH", "items/none", { quantity: 1 }],
      ["DELETE", "items/none", undefined],
      ["POST", "items/none/usage", { quantity: 1 }],
    ] as const)
      assert.equal((await call(method, id, rest, body)).status, 404, rest);
    assert.equal((await call("POST", "csub_none", "items", SEATS)).status, 404);
    assert.deepEqual(await shop.now(id), untouched);
  });

  test("of a create and of a change are 100 at most, and all are billed", async () => {
    const full = Array.from({ length: 100 }, (_, place) => ({
      ...SEATS,
      code: `c${place}`,
      unitAmount: 1,
      quantity: 1,
    }));
    const { id, amount } = await shop.subscribe({ planId, items: full });
    assert.equal(amount, 200);
    const [invoice = {}] = await shop.invoices(id);
    assert.deepEqual([invoice["subtotal"], (invoice["lines"] as unknown[]).length], [200, 101]);
    const others = full.map((item, place) => ({ ...item, code: `d${place}`, unitAmount: 2 }));
    const changed = await shop.act(id, "change-plan", { items: others });
    assert.deepEqual([changed.status, changed.body["amount"], itemsOf(changed.body).length], [200, 300, 100]);
    const one = { ...SEATS, code: "one more" };
    for (const [action, body] of [
      ["change-plan", { items: [...others, one] }],
      ["preview-change", { items: [...others, one] }],
      ["items", one],
    ] as const)
      assert.equal((await shop.act(id, action, body)).status, 400, action);
    assert.equal(itemsOf(await shop.now(id)).length, 100);
  });

  test("are at most 100, whoever adds at the same time", async () => {
    const items = Array.from({ length: 95 }, (_, place) => ({ ...SEATS, code: `c${place}` }));
    const { id } = await shop.subscribe({ planId, items });
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, place) => call("POST", id, "items", { ...SEATS, code: `d${place}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(itemsOf(await shop.now(id)).length, 100);
  });
});

describe("usage", () => {
  before(async () => {
    shop = await openSubscriptionShop(api);
    planId = await shop.addPlan();
  });

  test("is billed with the renewal and then begins at zero; what comes later is the next one's", async () => {
    const { id, nextBillingAt } = await shop.subscribe({ planId, items: [DATA] });
    assert.deepEqual((await shop.invoices(id))[0]?.["subtotal"], 100);
    const used = async (body: object) => itemsOf(await done("POST", id, "items/data/usage", body))[0]?.quantity;
    assert.equal(await used({ quantity: 5 }), 5);
    assert.equal(await used({ quantity: 0.5, action: "increment" }), 5.5);
    assert.equal(await used({ quantity: 100.1, action: "set" }), 100.1);
    assert.equal(await used({ quantity: 0.2 }), 100.3);
    await shop.move(String(nextBillingAt));
    assert.deepEqual(await lines(id), [
      ["Gold", 100],
      ["Data, per GB", 12.54],
    ]);
    assert.equal(itemsOf(await shop.now(id))[0]?.quantity, 0);
    assert.equal(await used({ quantity: 8 }), 8);
    await shop.move(String((await shop.now(id))["nextBillingAt"]));
    assert.deepEqual((await lines(id))[1], ["Data, per GB", 1]);
    const [, usage] = (await newest(id))["lines"] as { reason: { kind: string; quantity: number; full: number } }[];
    assert.deepEqual([usage?.reason.kind, usage?.reason.quantity, usage?.reason.full], ["usage", 8, 1]);
  });

  test("sent again with its key counts once; many at once all count", async () => {
    const { id } = await shop.subscribe({ planId, items: [DATA] });
    const send = (key: string) => call("POST", id, "items/data/usage", { quantity: 2 }, { "idempotency-key": key });
    await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => send(`${id}-${place % 10}`)));
    assert.equal(itemsOf(await shop.now(id))[0]?.quantity, 20);
  });

  test("of an item that is removed or repriced is billed at the old price", async () => {
    const { id, nextBillingAt } = await shop.subscribe({ planId, items: [DATA, { ...DATA, code: "calls" }] });
    await done("POST", id, "items/data/usage", { quantity: 8 });
    await done("POST", id, "items/calls/usage", { quantity: 16 });
    await done("DELETE", id, "items/data");
    await done("PATCH", id, "items/calls", { unitAmount: 1 });
    await done("POST", id, "items/calls/usage", { quantity: 3 });
    await shop.move(String(nextBillingAt));
    assert.deepEqual((await lines(id)).toSorted(), [
      ["Data, per GB", 1],
      ["Data, per GB", 2],
      ["Data, per GB", 3],
      ["Gold", 100],
    ]);
  });

  test("beyond what an invoice may be is refused", async () => {
    const { id } = await shop.subscribe({ planId, items: [{ ...DATA, unitAmount: 1_000_000 }] });
    const refused = await call("POST", id, "items/data/usage", { quantity: 1_000_000 });
    assert.deepEqual([refused.status, refused.body.issues[0]?.path], [400, ["quantity"]], refused.text);
    assert.equal(itemsOf(await shop.now(id))[0]?.quantity, 0);
  });
});

describe("a credit", () => {
  before(async () => {
    shop = await openSubscriptionShop(api);
    planId = await shop.addPlan();
  });

  test("is taken off the next bills, oldest first, and says why; one larger than any bill is carried", async () => {
    const { id, nextBillingAt } = await shop.subscribe({ planId });
    await done("POST", id, "credit", { amount: 60, description: "Outage" });
    const given = await done("POST", id, "credit", { amount: 70.5, description: "Goodwill" });
    assert.equal(given["credit"], 130.5);
    await shop.move(String(nextBillingAt));
    const renewed = await shop.now(id);
    assert.deepEqual([renewed["credit"], renewed["cyclesBilled"], (await shop.invoices(id)).length], [30.5, 2, 1]);
    const event = (await shop.events(id)).at(-1);
    assert.deepEqual([event?.type, event?.data["invoice"]], ["subscription.renewed", null]);
    await shop.move(String(renewed["nextBillingAt"]));
    const [invoice = {}] = await shop.invoices(id);
    assert.deepEqual([invoice["subtotal"], (await shop.now(id))["credit"]], [69.5, 0]);
    const [line] = invoice["lines"] as { details: string; reason: { less: object[] } }[];
    assert.deepEqual(line?.reason.less, [{ by: "credit", name: "Goodwill", percent: null, amount: 30.5 }]);
    assert.equal(line?.details, "R 100.00; less credit, Goodwill: R 30.50.".replaceAll("R ", "R\u00a0"));
  });

  test("that may not be is 400", async () => {
    const { id } = await shop.subscribe({ planId });
    for (const body of [
      { amount: 0, description: "x" },
      { amount: -5, description: "x" },
      { amount: 10_000_000.01, description: "x" },
      { amount: "5", description: "x" },
      { amount: 5 },
      { amount: 5, description: " " },
      {},
    ])
      assert.equal((await call("POST", id, "credit", body)).status, 400, JSON.stringify(body));
    assert.equal((await call("POST", "csub_none", "credit", { amount: 1, description: "x" })).status, 404);
    assert.equal((await shop.now(id))["credit"], 0);
  });

  test("given by many at once is given by each, and once for a key", async () => {
    const { id } = await shop.subscribe({ planId });
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, place) =>
        call("POST", id, "credit", { amount: 1, description: "x" }, { "idempotency-key": `${id}-${place % 5}` }),
      ),
    );
    assert.equal((await shop.now(id))["credit"], 5);
  });
});
