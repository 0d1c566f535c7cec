import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";

/* Two members of staff at one record (interface 14.1): the second is told what the first has changed. */

let api: TestApi;
let shop: ApiMerchant;
let first: StaffCall;
let second: StaffCall;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  [first, second] = await Promise.all([shop.signIn("owner"), shop.signIn("admin")]);
});
after(() => api.close());

interface Changed {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly by: string | null;
  readonly at: string | null;
}
type Conflict = { readonly error: string; readonly changed: readonly Changed[] };
type Body = Record<string, unknown>;

const idOf = async (path: string, body: object): Promise<string> =>
  String((await first("POST", path, body)).body["id"]);

/** A record to edit: where it is, what each of the two sends, and what the second is told. */
interface Case {
  readonly path: string;
  readonly method?: "PUT" | "POST";
  readonly read?: () => Promise<Body>;
  readonly theirs: Body;
  readonly mine: Body;
  readonly told: readonly string[];
}

async function cases(): Promise<Case[]> {
  const [customer, other] = [
    await idOf("/customers", { email: "a@x.example" }),
    await idOf("/customers", { email: "b@x.example" }),
  ];
  const parent = await idOf("/packages", { name: "Gym" });
  const plan = await idOf(`/packages/${parent}/plans`, { name: "Monthly", amount: 10, frequency: "monthly" });
  const product = await idOf("/products", { name: "Tea", amount: 10.5, recurring: { frequency: "monthly" } });
  const line = { description: "Work", quantity: 1, unitPrice: 10 };
  const quote = await idOf("/quotes", {
    customerId: customer,
    lineItems: [line],
    notes: "a",
    expiryDate: "2099-01-31",
  });
  const { id: gateway } = await shop.addGateway();
  const subscription = `/customer-subscriptions/${await idOf("/customer-subscriptions", {
    customer: { id: customer },
    ...{ planId: plan, collectionMethod: "invoice" },
    items: [{ kind: "addon", code: "towel", description: "Towel", unitAmount: 5 }],
  })}`;
  return [
    {
      path: `/customers/${customer}`,
      theirs: { lastName: "Dlamini" },
      mine: { lastName: "Naidoo", phone: "1" },
      told: ["lastName"],
    },
    {
      path: `/products/${product}`,
      theirs: { amount: 12.34, name: "Rooibos" },
      mine: { name: "Chai", amount: 9 },
      told: ["name", "amount"],
    },
    { path: `/packages/${parent}`, theirs: { description: "x" }, mine: { description: null }, told: ["description"] },
    {
      path: `/packages/${parent}/plans/${plan}`,
      read: async () => {
        const { body } = await second<{ plans: Body[] }>("GET", `/packages/${parent}`);
        return body.plans[0] ?? {};
      },
      theirs: { amount: 20 },
      mine: { amount: 30, name: "Monthly" },
      told: ["amount"],
    },
    {
      path: `/coupons/${await idOf("/coupons", { code: "A", percent: 10 })}`,
      theirs: { percent: 20 },
      mine: { percent: 30 },
      told: ["percent"],
    },
    {
      path: `/quotes/${quote}`,
      theirs: { customerId: other, lineItems: [line, line] },
      mine: { customerId: customer, lineItems: [line], notes: "b" },
      told: ["customer", "lineItems"],
    },
    {
      path: `/webhook-endpoints/${await idOf("/webhook-endpoints", { url: "https://a.example" })}`,
      read: async () => (await second<{ data: Body[] }>("GET", "/webhook-endpoints")).body.data[0] ?? {},
      theirs: { events: ["payment.complete"] },
      mine: { events: ["*"], url: "https://b.example" },
      told: ["events"],
    },
    {
      path: `${subscription}/items/towel`,
      read: async () => (await second<{ items: Body[] }>("GET", subscription)).body.items[0] ?? {},
      theirs: { unitAmount: 6 },
      mine: { unitAmount: 7, description: "Towels" },
      told: ["unitAmount"],
    },
    {
      path: `${subscription}/change-plan`,
      method: "POST",
      read: async () => (await second("GET", subscription)).body,
      theirs: { quantity: 2 },
      mine: { quantity: 3, proration: "none" },
      told: ["quantity"],
    },
    { path: `/gateways/${gateway}`, theirs: { name: "Theirs" }, mine: { name: "Mine", enabled: true }, told: ["name"] },
    {
      path: "/settings",
      theirs: { branding: { address: "1 Long St" } },
      mine: { branding: { address: null, companyName: "Karoo" }, dueDays: 7 },
      told: ["branding.address"],
    },
    {
      path: "/checkout-pages",
      method: "PUT",
      theirs: { headline: "Theirs" },
      mine: { headline: "Mine" },
      told: ["headline"],
    },
    {
      path: "/allowed-return-urls",
      method: "PUT",
      theirs: { origins: ["https://a.example"] },
      mine: { origins: [] },
      told: ["origins"],
    },
    {
      path: "/accounting/software/sage",
      read: async () => (await second<{ data: Body[] }>("GET", "/accounting/software")).body.data[1] ?? {},
      theirs: { accounts: { bank: "1" }, taxCodes: { zero: "0" } },
      mine: { accounts: { bank: null, revenue: "2" } },
      told: ["accounts.bank"],
    },
  ];
}

describe("an edit that was begun before another one", () => {
  test("is refused with what was changed, and overwrites it when it is sent with that", async () => {
    for (const { path, method = "PATCH", read, theirs, mine, told } of await cases()) {
      const readIt = read ?? (async () => (await second("GET", path)).body);
      const opened = await readIt();
      assert.equal((await first(method, path, theirs)).status, 200, path);
      const now = await readIt();
      const refused = await second<Conflict>(method, path, { ...mine, opened });
      assert.deepEqual(
        [refused.status, refused.body.error],
        [409, "record_changed"],
        `${path} ${JSON.stringify(refused.body)}`,
      );
      assert.deepEqual(
        refused.body.changed.map(({ field }) => field),
        told,
        path,
      );
      for (const { by, at } of refused.body.changed) assert.ok(by && at, `${path}: who and when`);
      assert.deepEqual(await readIt(), now, `${path}: nothing is written`);
      assert.equal((await second(method, path, { ...mine, opened: now })).status, 200, `${path}: overwritten`);
      const last = await readIt();
      const unchanged = Object.fromEntries(Object.entries(last).filter(([name]) => name in mine || name in theirs));
      const again = await second(method, path, { ...mine, opened: unchanged });
      assert.equal(again.status, 200, `${path}: what nobody has changed since, and a part of the record`);
    }
  });

  test("is told about fields that it sends alone, and of two at once one is", async () => {
    const path = `/products/${await idOf("/products", { name: "Tea", amount: 10 })}`;
    const { body: opened } = await first("GET", path);
    await first("PATCH", path, { description: "Green" });
    assert.equal((await second("PATCH", path, { amount: 11, opened })).status, 200, "another field");
    const { body: now } = await first("GET", path);
    const answers = await Promise.all(
      [first, second, first, second].map((staff, place) => staff("PATCH", path, { name: `Tea ${place}`, opened: now })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    const refused = await second("PATCH", path, { name: "x", opened: [] });
    assert.deepEqual([refused.status, refused.body["error"]], [400, "invalid_request"]);
  });

  test("may be twice as long for what it was begun from, and clients' edits know nothing of it", async () => {
    const id = await idOf("/products", { name: "Tea", amount: 10, description: "x".repeat(10) });
    const opened = { description: "x".repeat(10), padding: "y".repeat(150_000) };
    assert.equal((await first("PATCH", `/products/${id}`, { description: "z", opened })).status, 200);
    const longer = { ...opened, padding: "y".repeat(200_000) };
    assert.equal((await first("PATCH", `/products/${id}`, { description: "z", opened: longer })).status, 413);
    const customer = await idOf("/customers", { email: "c@x.example" });
    const sent = { body: { lastName: "Naidoo", opened: { lastName: "Dlamini" } } };
    assert.equal((await shop.call("PATCH", `/customers/${customer}`, sent)).status, 200);
  });
});
