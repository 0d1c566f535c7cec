import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { EXCHANGE, exempt, type Invoicing, openInvoicing } from "../support/invoices.ts";

/* Interface 14.3: lists in the order of a column, page by page and both ways. */

let api: TestApi;
let shop: Invoicing;
let staff: StaffCall;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
  staff = await shop.merchant.signIn("owner");
  for (const [amount, dueDate] of [
    [300, "2027-03-20"],
    [100, "2027-03-10"],
    [100, "2027-03-10"],
    [100, "2027-03-31"],
    [250, "2027-03-10"],
    [100, "2027-04-30"],
  ] as const) {
    await shop.owe(amount, { dueDate });
    const quote = { customerId: shop.customerId, lineItems: [exempt(amount)] };
    assert.equal((await staff("POST", "/quotes", quote)).status, 201);
  }
  await shop.owe(7, { dueDate: "2027-03-15", currency: "USD", exchange: EXCHANGE });
  await shop.create({ lines: [exempt(120)], dueDate: "2027-03-12" });
  await api.query(
    "update invoices set due_date = null where organisation_id = $1 and status = 'draft'",
    shop.merchant.organisation.id,
  );
  for (const amount of [10, 30, 20, 10]) await shop.attempt((await shop.owe(amount)).id, amount);
});
after(() => api.close());

type Row = Readonly<Record<string, unknown>> & { readonly id?: string; readonly reference?: string };
interface Page {
  readonly data: Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}
const read = async (path: string): Promise<Page> => {
  const { status, body, text } = await staff<Page>("GET", path);
  assert.equal(status, 200, `${path}: ${text}`);
  return body;
};

/** All rows, over pages of two; `backwards` from the end of the list, or from before this cursor. */
async function walk(
  path: string,
  from = "",
  direction: "startingAfter" | "endingBefore" = "startingAfter",
): Promise<Row[]> {
  const found: Row[] = [];
  for (let next: string | null = from; next !== null; ) {
    const page: Page = await read(`${path}&limit=2${next && `&${direction}=${encodeURIComponent(next)}`}`);
    if (direction === "startingAfter") found.push(...page.data);
    else found.unshift(...page.data);
    assert.equal(page.hasMore, page.nextCursor !== null);
    next = page.nextCursor;
  }
  return found;
}
const keyOf = ({ id, reference }: Row): string => String(id ?? reference);

const LISTS = [
  ["/invoices", "dueDate", ({ dueDate }: Row) => (dueDate === null ? Infinity : Date.parse(String(dueDate)))],
  ["/invoices", "total", ({ total }: Row) => Number(total)],
  ["/quotes", "total", ({ total }: Row) => Number(total)],
  ["/transactions", "amount", ({ amount }: Row) => Number(amount)],
] as const;

for (const [list, column, rankOf] of LISTS)
  describe(`${list} by ${column}`, () => {
    const expected = async (query = "") => {
      const all = await walk(`${list}?${query}`);
      // Lists are newest first, so turned round they are by id.
      return all.toReversed().toSorted((a, b) => rankOf(a) - rankOf(b) || 0);
    };
    test("stands in that order, those of the same value by id, whatever the page", async () => {
      const up = (await expected()).map(keyOf);
      assert.ok(up.length > 3);
      assert.deepEqual((await walk(`${list}?sort=${column}`)).map(keyOf), up);
      assert.deepEqual((await walk(`${list}?sort=-${column}`)).map(keyOf), up.toReversed());
    });

    test("is read backwards too", async () => {
      for (const sort of [column, `-${column}`]) {
        const all = await walk(`${list}?sort=${sort}`);
        const pages = await read(`${list}?sort=${sort}&limit=${all.length - 1}`);
        assert.ok(pages.nextCursor);
        const before = await walk(`${list}?sort=${sort}`, pages.nextCursor, "endingBefore");
        assert.deepEqual(before.map(keyOf), all.slice(0, -2).map(keyOf), sort);
      }
    });

    test("keeps filters and search", async () => {
      const filters =
        list === "/invoices" ? ["owing=open", "status=draft", "currency=USD", "q=thandi", "q=100"] : ["q=100"];
      for (const query of [...filters, `customerId=${shop.customerId}`, "createdFrom=2027-03-01"])
        assert.deepEqual(
          (await walk(`${list}?${query}&sort=${column}`)).map(keyOf),
          (await expected(query)).map(keyOf),
          query,
        );
    });

    test("shows the rows as the list does", async () => {
      const byId = new Map((await walk(`${list}?`)).map((row) => [keyOf(row), row]));
      for (const row of await walk(`${list}?sort=${column}`)) assert.deepEqual(row, byId.get(keyOf(row)));
    });
  });

describe("an order is refused", () => {
  const status = async (query: string) => (await staff("GET", `/invoices?${query}`)).status;

  test("by a column that none is by", async () => {
    for (const sort of ["number", "-", "--total", "__proto__", "constructor", "due_date"])
      assert.equal(await status(`sort=${encodeURIComponent(sort)}`), 400, sort);
    assert.equal(await status("sort="), 200, "an empty one is none");
  });

  test("with a cursor of another order", async () => {
    const cursor = async (sort: string) => String((await read(`/invoices?limit=1${sort}`)).nextCursor);
    const [plain, due, total, down] = [
      await cursor(""),
      await cursor("&sort=dueDate"),
      await cursor("&sort=total"),
      await cursor("&sort=-dueDate"),
    ];
    assert.match(due, /^dueDate:2027-03-10:inv_/);
    for (const name of ["startingAfter", "endingBefore"]) {
      for (const wrong of [plain, total, down]) assert.equal(await status(`sort=dueDate&${name}=${wrong}`), 400, wrong);
      for (const wrong of [due, total, down]) assert.equal(await status(`${name}=${wrong}`), 400, wrong);
    }
    assert.equal(await status(`sort=dueDate&startingAfter=${due}&endingBefore=${due}`), 400);
  });

  test("with a cursor that no list has answered", async () => {
    const id = "inv_00000000000000000000000000";
    for (const [sort, cursor] of [
      ["dueDate", `dueDate:2027-02-30:${id}`],
      ["dueDate", `dueDate:tomorrow:${id}`],
      ["dueDate", `dueDate:2027-03-10:${id}:1`],
      ["dueDate", "dueDate:2027-03-10:"],
      ["dueDate", "dueDate:2027-03-10:txn_00000000000000000000000000"],
      ["total", `total:1.5:${id}`],
      ["total", `total:99999999999999999999:${id}`],
      ["total", `total::${id}`],
    ] as const)
      assert.equal(await status(`sort=${sort}&startingAfter=${cursor}`), 400, cursor);
    assert.equal(await status(`sort=dueDate&startingAfter=dueDate:infinity:${id}`), 200);
  });

  test("to keys, whose lists are newest first", async () => {
    const answer = await shop.merchant.get<{ message: string }>("/invoices?sort=total");
    assert.equal(answer.status, 400);
    assert.match(answer.body.message, /Unknown query parameter sort/);
  });
});

test("an order is kept with a saved view", async () => {
  const saved = await staff<{ query: string }>("POST", "/saved-views", {
    list: "invoices",
    name: "By due date",
    query: "sort=dueDate&after=dueDate:2027-03-10:inv_1",
  });
  assert.deepEqual([saved.status, saved.body.query], [201, "sort=dueDate"]);
});
