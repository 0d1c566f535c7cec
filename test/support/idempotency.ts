import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type Answer, type ApiMerchant, openApi, type Refusal, type TestApi } from "./api.ts";

/** A body that makes a payment link. */
export const LINK = { title: "Deposit", amount: 250 };

/** One merchant who sends Idempotency-Keys. `api` and `merchant` exist during tests only. */
export interface KeyTests {
  readonly api: TestApi;
  readonly merchant: ApiMerchant;
  /** Another merchant, with a gateway. */
  addShop(): Promise<ApiMerchant>;
  /** A key that no test of the file has used. */
  newKey(): string;
  /** POSTs with the key; default: a payment link of the merchant. */
  send(
    key: string,
    body?: unknown,
    path?: string,
    of?: ApiMerchant,
  ): Promise<Answer<Refusal & Record<string, unknown>>>;
  /** Rows of the organisation in a table. */
  count(table: string, of?: ApiMerchant): Promise<number>;
  /** Replies stored under the key. */
  stored(key: string): Promise<{ status: number; reply_sealed: string }[]>;
}

/** Opens the API before the tests of the file and closes it after them. */
export function setUpKeys(): KeyTests {
  let api: TestApi;
  let merchant: ApiMerchant;
  let keys = 0;
  const addShop = async () => {
    const shop = await api.addMerchant();
    await shop.addGateway();
    return shop;
  };
  before(async () => {
    api = await openApi();
    merchant = await addShop();
  });
  after(() => api.close());
  return {
    get api() {
      return api;
    },
    get merchant() {
      return merchant;
    },
    addShop,
    newKey: () => `key ${++keys}`,
    send: (key, body = LINK, path = "/payment-links", of = merchant) =>
      of.post(path, body, { headers: { "idempotency-key": key } }),
    count: async (table, of = merchant) => {
      const sql = `select count(*)::int as n from ${table} where organisation_id = $1`;
      const [row] = await api.query<{ n: number }>(sql, of.organisation.id);
      return row?.n ?? 0;
    },
    stored: (key) =>
      api.query<{ status: number; reply_sealed: string }>(
        "select * from idempotency_keys where key = $1 and status is not null",
        key,
      ),
  };
}

/** Whether the answer repeats a stored reply. */
export const isReplay = ({ headers }: Answer<unknown>): boolean => headers["idempotent-replayed"] === "true";

/** Asserts that both are the same answer, and the second one a replay of the first. */
export function replayed(first: Answer<unknown>, second: Answer<unknown>): void {
  assert.deepEqual([second.status, second.text], [first.status, first.text]);
  assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
}
