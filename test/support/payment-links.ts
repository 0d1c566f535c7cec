import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type Answer, type ApiMerchant, issuePaths, openApi, type Refusal, type TestApi } from "./api.ts";
import { long } from "./text.ts";

/** Interface 2.3, as create answers it. */
export interface Link {
  readonly id: string;
  readonly url: string;
  readonly [field: string]: unknown;
}

/** An origin that the merchant allows. */
export const SHOP = "https://shop.example";
/** Milliseconds. */
export const DAY = 86_400_000;
/** Where the merchant's clock stands. */
export const NOW = "2027-03-01T10:00:00.000Z";
/** So many milliseconds after NOW. */
export const at = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();
/** A URL of exactly so many characters on the allowed origin. */
export const urlOf = (length: number, unit = "a"): string => `${SHOP}/${long(length - SHOP.length - 1, unit)}`;

/** Metadata whose JSON has exactly so many characters. */
export function metadataOf(length: number): Record<string, string> {
  const parts = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`k${index}`, long(400)]));
  const rest = length - JSON.stringify({ ...parts, r: "", s: "" }).length;
  return { ...parts, r: long(Math.floor(rest / 2)), s: long(Math.ceil(rest / 2)) };
}

/** A merchant in a sandbox who takes ZAR and USD and allows SHOP and a loopback origin. `api` and `merchant` exist during tests only. */
export interface LinkTests {
  readonly api: TestApi;
  readonly merchant: ApiMerchant;
  /** Allows return URLs on these origins. */
  allow(of: ApiMerchant, ...origins: string[]): Promise<void>;
  /** A valid body, with fields that replace its own. */
  body(fields?: object): object;
  create(fields?: object): Promise<Answer<Link>>;
  /** Payment links of the merchant. */
  count(of?: ApiMerchant): Promise<number>;
  /** Asserts 400 `invalid_request`, with one issue at `path`. */
  refused(answer: Promise<{ status: number; body: unknown }>, path: string): Promise<void>;
}

/** Opens the API before the tests of the file and closes it after them. */
export function setUpLinks(): LinkTests {
  let api: TestApi;
  let merchant: ApiMerchant;
  const allow = async ({ organisation }: ApiMerchant, ...origins: string[]) => {
    for (const origin of origins)
      await api.query("insert into allowed_return_urls values ($1, $2)", organisation.id, origin);
  };
  before(async () => {
    api = await openApi();
    merchant = await api.addMerchant({ clockAt: new Date(NOW) as never });
    await merchant.addGateway({ currencies: ["ZAR", "USD"] });
    await merchant.addGateway({ currencies: ["EUR"], enabled: false });
    await allow(merchant, SHOP, "http://127.0.0.1:3000", "http://localhost:3000");
  });
  after(() => api.close());
  const body = (fields: object = {}) => ({ title: "Deposit", amount: 250, ...fields });
  return {
    get api() {
      return api;
    },
    get merchant() {
      return merchant;
    },
    allow,
    body,
    create: (fields = {}) => merchant.post<Link>("/payment-links", body(fields)),
    count: async (of = merchant) => {
      const sql = "select count(*)::int as n from payment_links where organisation_id = $1";
      const [row] = await api.query<{ n: number }>(sql, of.organisation.id);
      return row?.n ?? 0;
    },
    refused: async (answer, path) => {
      const { status, body: refusal } = (await answer) as Answer<Refusal>;
      assert.deepEqual([status, refusal.error], [400, "invalid_request"], JSON.stringify(refusal));
      assert.equal(typeof refusal.message, "string");
      assert.deepEqual(issuePaths({ body: refusal } as never), [path], JSON.stringify(refusal));
    },
  };
}
