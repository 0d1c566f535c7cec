import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
});
after(() => closeVerified(api));

interface Link {
  readonly partner: string;
  readonly name: string;
  readonly url: string;
  readonly clicks: number;
  readonly signUps: number;
  readonly [field: string]: unknown;
}
const linksOf = async (merchant: ApiMerchant) =>
  (await merchant.get<{ data: Link[] }>("/accounting/referral-links")).body.data;
const xero = async (merchant: ApiMerchant) => {
  const link = (await linksOf(merchant)).find(({ partner }) => partner === "xero");
  assert.ok(link);
  return link;
};
const AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0";
const follow = (url: string, agent = AGENT, method = "GET") =>
  api.call(method, new URL(url).pathname, { headers: { "user-agent": agent } });

test("each partner has a link of the organisation's own, the same each time, on both doors", async () => {
  const { status, body } = await shop.get<{ data: Link[] }>("/accounting/referral-links");
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.map(({ partner }) => partner),
    ["xero", "sage", "quickbooks"],
  );
  const [first] = body.data;
  const { url, createdAt, ...rest } = first as Link;
  assert.deepEqual(rest, { object: "referral_link", partner: "xero", name: "Xero", clicks: 0, signUps: 0 });
  assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.match(url, /\/refer\/[\w-]{64}$/);
  const staff = await shop.signIn("viewer");
  const seen = await staff<{ data: Link[]; hasMore: boolean; nextCursor: null }>("GET", "/accounting/referral-links");
  assert.deepEqual([seen.body.data, seen.body.hasMore, seen.body.nextCursor], [body.data, false, null]);
  const other = await api.addMerchant();
  assert.notEqual((await xero(other)).url, url);
});

test("a click is counted once, leads to the partner, and a bot's is led there and not counted", async () => {
  const { url, clicks } = await xero(shop);
  const answers = await Promise.all(Array.from({ length: 10 }, () => follow(url)));
  for (const { status, headers } of answers) {
    assert.equal(status, 303);
    assert.match(String(headers["location"]), /^https:\/\/www\.xero\.com\/.*click=[\w-]{64}/);
  }
  await follow(url, "Googlebot/2.1");
  await follow(url, AGENT, "HEAD");
  assert.equal((await xero(shop)).clicks, clicks + 10);
  const sage = (await linksOf(shop)).find(({ partner }) => partner === "sage");
  assert.equal(sage?.clicks, 0);
});

test("a partner's report of a sign-up counts once for its click, and only with a token of this link", async () => {
  const { url, signUps } = await xero(shop);
  const click = new URL(String((await follow(url)).headers["location"])).searchParams.get("click") ?? "";
  const report = (token: string, method = "POST", at = url) =>
    api.call(method, `${new URL(at).pathname}/sign-ups/${token}`, { headers: { "user-agent": "Xero" } });
  const statuses = await Promise.all(
    ["POST", "GET", "POST"].map(async (method) => (await report(click, method)).status),
  );
  assert.deepEqual(statuses, [204, 204, 204]);
  assert.equal((await xero(shop)).signUps, signUps + 1);
  const sage = (await linksOf(shop)).find(({ partner }) => partner === "sage");
  const other = await xero(await api.addMerchant());
  for (const [token, at] of [
    [`${click.slice(0, -1)}0`, url],
    ["x", url],
    [click, sage?.url],
    [click, other.url],
  ] as const)
    assert.equal((await report(token, "POST", at)).status, 404, token);
  assert.equal((await follow(`${url.slice(0, -2)}00`)).status, 404);
  assert.equal((await xero(shop)).signUps, signUps + 1);
});

test("one network's clicks count up to a limit, and are led on beyond it", async () => {
  const merchant = await api.addMerchant();
  const { url } = await xero(merchant);
  const answers = await Promise.all(Array.from({ length: 40 }, () => follow(url)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  const { clicks } = await xero(merchant);
  assert.ok(clicks === 30 || clicks > 30, "a new window may begin in between");
});
