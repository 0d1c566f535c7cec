import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { openQuoting, type QuoteAnswer, type Quoting } from "../support/quotes.ts";

interface List {
  readonly data: readonly QuoteAnswer[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

let api: TestApi;
let shop: Quoting;
let other: Quoting;
let staff: StaffCall;
/** Oldest first: draft, sent, accepted, declined, over, expired, invoiced. */
let quotes: QuoteAnswer[];
let otherCustomer: string;

before(async () => {
  api = await openApi();
  [shop, other] = [await openQuoting(api), await openQuoting(api)];
  staff = await shop.merchant.signIn("viewer");
  const { body } = await shop.merchant.post<{ id: string }>("/customers", {
    email: "sipho@example.co.za",
    company: "Ubuntu",
  });
  otherCustomer = body.id;
  const over = { send: true, issueDate: "2027-02-01", expiryDate: "2027-02-28" };
  const made = [
    await shop.create(),
    await shop.create({ send: true, expiryDate: "2027-03-01" }),
    await shop.create(),
    await shop.create({ customerId: otherCustomer }),
    await shop.create(over),
    await shop.create(over),
    await shop.create(),
  ].map(({ body: quote }) => quote);
  const act = (index: number, name: string) => shop.merchant.post(`/quotes/${made[index]?.id}/${name}`, undefined);
  await act(2, "accept");
  await act(3, "decline");
  await api.query("update quotes set status = 'expired' where id = $1", made[5]?.id);
  await act(6, "convert");
  quotes = await Promise.all(made.map(async ({ id }) => (await shop.merchant.get<QuoteAnswer>(`/quotes/${id}`)).body));
});
after(() => api.close());

const list = async (query: string, call: (path: string) => Promise<Answer<List>> = (path) => shop.merchant.get(path)) =>
  (await call(`/quotes${query}`)).body;
const idsOf = ({ data }: List) => data.map(({ id }) => id);
const newestFirst = (...indexes: number[]) => indexes.toSorted((a, b) => b - a).map((index) => quotes[index]?.id);

test("GET /quotes/{id}: by id and by number it is the same", async () => {
  for (const quote of quotes)
    for (const key of [quote.id, quote.number])
      assert.deepEqual((await shop.merchant.get(`/quotes/${key}`)).body, quote);
});

for (const key of [
  "quo_00000000000000000000000000",
  "QUO-999999",
  "quo-000001",
  "x",
  "%00",
  "%F0%9F%8E%89",
  "a".repeat(900),
])
  test(`404 not_found: ${key.slice(0, 40)}`, async () => {
    const { status, body } = await shop.merchant.get<Refusal>(`/quotes/${key}`);
    assert.deepEqual([status, body.error], [404, "not_found"]);
  });

describe("GET /quotes", () => {
  test("newest first, as get shows them, with the fields of keyset paging in the client API too", async () => {
    const answer = await list("");
    assert.deepEqual(answer, { data: quotes.toReversed(), hasMore: false, nextCursor: null });
    assert.deepEqual(await list("", (path) => staff("GET", path)), answer);
  });

  test("pages neither repeat nor leave out, while others are made", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages++) {
      const answer: List = await list(`?limit=2${cursor === null ? "" : `&startingAfter=${cursor}`}`);
      seen.push(...idsOf(answer));
      cursor = answer.nextCursor;
      assert.deepEqual([answer.hasMore, answer.data.length === 2 || !answer.hasMore], [cursor !== null, true]);
      if (pages === 0) await other.create();
      if (cursor === null) break;
    }
    assert.deepEqual(seen, newestFirst(0, 1, 2, 3, 4, 5, 6));
  });

  test("status is the one that the quote has now", async () => {
    for (const [status, ...indexes] of [
      ["draft", 0],
      ["sent", 1],
      ["accepted", 2],
      ["declined", 3],
      ["expired", 4, 5],
      ["invoiced", 6],
    ] as const) {
      const answer = await list(`?status=${status}`);
      assert.deepEqual(idsOf(answer), newestFirst(...indexes), status);
      for (const quote of answer.data) assert.equal(quote.status, status);
    }
    const [newer] = newestFirst(4, 5);
    assert.deepEqual(idsOf(await list(`?status=expired&startingAfter=${newer}`)), newestFirst(4));
  });

  for (const status of ["", "open", "SENT", "sent,draft", "%00"])
    test(`400 for the status "${status}"`, async () => {
      const answer = await shop.merchant.get<Refusal>(`/quotes?status=${status}`);
      assert.deepEqual([answer.status, issuePaths(answer)], [400, ["status"]]);
    });

  test("customerId; q finds numbers and customers", async () => {
    const found: [string, ...number[]][] = [
      [`?customerId=${otherCustomer}`, 3],
      ["?customerId=nobody"],
      [`?q=${quotes[1]?.number.toLowerCase()}`, 1],
      ["?q=ubuntu", 3],
      ["?q=sipho@", 3],
      ["?q=%25"],
      [`?q=QUO&status=draft&customerId=${shop.customerId}`, 0],
    ];
    for (const [query, ...indexes] of found) assert.deepEqual(idsOf(await list(query)), newestFirst(...indexes), query);
  });

  for (const [limit, length] of [
    ["0", 1],
    ["3", 3],
    ["101", 7],
    ["x", 7],
  ] as const)
    test(`limit=${limit}: ${length}`, async () => assert.equal((await list(`?limit=${limit}`)).data.length, length));
});
