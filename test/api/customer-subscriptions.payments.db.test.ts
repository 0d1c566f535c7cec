import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8: the payments of a customer subscription. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Listed {
  readonly data: readonly Record<string, unknown>[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

test("payments of the invoices of a subscription are listed as transactions, newest first, by the page", async () => {
  const stage = await openCollectingShop(api);
  const made = await stage.subscribe({ collectionMethod: "invoice" });
  const other = await stage.subscribe();
  await stage.pay(made);
  await stage.pay(other);
  await stage.move("2027-04-01T00:00:00.000Z");
  await stage.pay(await stage.now(made.id));
  const list = async (query = "", of = made.id) => {
    const answer = await stage.shop.get<Listed>(`/customer-subscriptions/${of}/payments${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const { data, ...paging } = await list();
  assert.deepEqual(paging, { hasMore: false, nextCursor: null });
  const invoices = await stage.invoices(made.id);
  assert.deepEqual(
    data.map(({ invoice, status, renewal }) => [(invoice as { id: string }).id, status, renewal]),
    invoices.map(({ id }, place) => [id, "complete", place === 0]),
  );
  assert.equal(data.length, 2);
  for (const shown of data) assert.deepEqual(shown, (await stage.shop.get(`/transactions/${shown["reference"]}`)).body);
  const { data: page, nextCursor } = await list("?limit=1");
  assert.deepEqual(page, data.slice(0, 1));
  assert.deepEqual((await list(`?limit=1&startingAfter=${nextCursor}`)).data, data.slice(1));
  const types = (await list("", other.id)).data.map(({ type }) => type);
  assert.deepEqual(types, ["card_debit", "invoice"], "its renewal is charged to the card that its first payment left");
  assert.equal((await stage.shop.get("/customer-subscriptions/csub_none/payments")).status, 404);
});
