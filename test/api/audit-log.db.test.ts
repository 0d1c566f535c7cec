import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RECORDS } from "../../src/catalogue.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { productEndpoints } from "../../src/http/resources/products.ts";
import { settingsEndpoints } from "../../src/http/resources/settings.ts";
import { addMerchant, dataOf, type Merchant, openMerchant } from "../support/merchant.ts";

describe("audit log", () => {
  let merchant: Merchant;
  let product: Record<string, unknown>;
  before(async () => {
    merchant = await openMerchant([...auditLogEndpoints(RECORDS), ...productEndpoints, ...settingsEndpoints]);
    product = (await merchant.call("POST", "/products", { name: "Wool", amount: 10 })).body;
    await merchant.call("PATCH", `/products/${product["id"]}`, { amount: 12 }, "admin");
    await merchant.call("PATCH", "/settings", { dueDays: 7 });
  });
  after(() => merchant.close());

  /** Entries of the audit log, without those of the test's sign-in. */
  const entries = async (query = "") =>
    dataOf(await merchant.call("GET", `/audit-log${query}`)).filter(({ action }) => !/auth/.test(String(action)));

  test("has who did what, newest first, with the record before and after", async () => {
    const [settings, change, creation] = await entries();
    assert.equal(settings?.["action"], "PATCH /settings");
    assert.equal(creation?.["action"], "POST /products");
    assert.deepEqual([creation?.["before"], creation?.["after"]], [null, product]);
    const { id, at, actor, requestId, ...rest } = change ?? {};
    assert.match(String(id), /^aud_/);
    assert.match(String(at), /Z$/);
    assert.match(String(requestId), /^req_/);
    const { id: actorId, ip, ...who } = actor as Record<string, unknown>;
    assert.match(String(actorId), /^mem_/);
    assert.match(String(ip), /^[\d.]+$/);
    assert.deepEqual(who, { kind: "member", name: "admin" });
    const after = (await merchant.call("GET", `/products/${product["id"]}`)).body;
    assert.deepEqual(rest, { action: "PATCH /products/{id}", subject: product["id"], before: product, after });
  });

  test("reads and refusals leave no entry", async () => {
    const before = (await entries()).length;
    await merchant.call("GET", "/products");
    await merchant.call("POST", "/products", {});
    await merchant.call("POST", "/products", { name: "a", amount: 1 }, "viewer");
    assert.equal((await entries()).length, before);
  });

  test("filters by actor, action, subject and words", async () => {
    const actions = async (query: string) => (await entries(query)).map(({ action }) => action);
    assert.deepEqual(await actions(`?subject=${product["id"]}`), ["PATCH /products/{id}", "POST /products"]);
    assert.deepEqual(await actions("?action=POST%20/products"), ["POST /products"]);
    assert.deepEqual(await actions("?q=SETTINGS"), ["PATCH /settings"]);
    assert.deepEqual(await actions("?q=admin"), ["PATCH /products/{id}"]);
    const [, change] = await entries();
    assert.ok(change);
    const { id } = change["actor"] as { id: string };
    assert.deepEqual(await actions(`?actorId=${id}`), ["PATCH /products/{id}"]);
    assert.deepEqual(await actions("?actorId=nobody"), []);
    const first = await merchant.call("GET", "/audit-log?q=products&limit=1");
    const next = `?q=products&limit=1&startingAfter=${first.body["nextCursor"]}`;
    assert.deepEqual(await actions(next), ["POST /products"]);
  });

  test("is its organisation's own", async () => {
    const other = await addMerchant(merchant.dashboard);
    const own = dataOf(await other.call("GET", "/audit-log"));
    assert.deepEqual(
      own.map(({ action }) => action),
      ["POST /auth/sign-in/email"],
    );
  });
});
