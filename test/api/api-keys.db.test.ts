import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RECORDS } from "../../src/catalogue.ts";
import { clientApi } from "../../src/http/client-api.ts";
import { mountEndpoints } from "../../src/http/mount.ts";
import { apiKeyEndpoints } from "../../src/http/resources/api-keys.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { meEndpoints } from "../../src/http/resources/me.ts";
import { addMerchant, dataOf, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

describe("API keys", () => {
  let merchant: Merchant;
  before(async () => {
    merchant = await openMerchant([...apiKeyEndpoints, ...auditLogEndpoints(RECORDS)]);
    const { app, services } = merchant.dashboard;
    mountEndpoints(app, clientApi(services, { ipRateLimit: 10_000, trustedProxies: 0 }), meEndpoints, services);
  });
  after(() => merchant.close());

  const me = async (key: unknown) => {
    const headers = { authorization: `Bearer ${String(key)}` };
    const answer = await merchant.dashboard.app.inject({ url: "/api/v1/me", headers });
    return { status: answer.statusCode, body: JSON.parse(answer.payload) };
  };

  test("a new key gives access to the client API, and only its creation shows it", async () => {
    const created = await merchant.call("POST", "/api-keys", { name: " Shop ", permissions: ["charge_saved_cards"] });
    assert.equal(created.status, 201);
    const { key, ...shown } = created.body;
    assert.match(String(key), /^tefo_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
    assert.equal(shown["name"], "Shop");
    assert.equal(shown["prefix"], String(key).slice(0, 13));
    assert.deepEqual(shown["permissions"], ["charge_saved_cards"]);
    assert.equal(shown["revokedAt"], null);

    const opened = await me(key);
    assert.equal(opened.status, 200);
    assert.deepEqual(opened.body.key, {
      id: shown["id"],
      name: "Shop",
      permissions: ["charge_saved_cards"],
      scopes: null,
      expiresAt: null,
      strict: false,
    });

    assert.deepEqual(dataOf(await merchant.call("GET", "/api-keys"))[0], shown);
    const log = await merchant.call("GET", `/audit-log?subject=${shown["id"]}`);
    assert.equal(dataOf(log).length, 1);
    assert.ok(!JSON.stringify(log.body).includes(String(key).slice(14)), "the audit log holds no key");
  });

  test("permissions default to none, each is kept once", async () => {
    assert.deepEqual((await merchant.call("POST", "/api-keys", { name: "a" })).body["permissions"], []);
    const twice = { name: "b", permissions: ["charge_saved_cards", "charge_saved_cards"] };
    assert.deepEqual((await merchant.call("POST", "/api-keys", twice)).body["permissions"], ["charge_saved_cards"]);
  });

  const REFUSED: [string, unknown, unknown[]][] = [
    ["without a name", {}, ["name"]],
    ["with a blank name", { name: "  " }, ["name"]],
    ["with a name of 101 characters", { name: "x".repeat(101) }, ["name"]],
    ["with an unknown permission", { name: "a", permissions: ["charge_saved_cards", "all"] }, ["permissions", 1]],
    ["with permissions as text", { name: "a", permissions: "charge_saved_cards" }, ["permissions"]],
  ];
  for (const [what, body, path] of REFUSED)
    test(`POST ${what}: 400 at ${path.join(".")}`, async () => {
      const answer = await merchant.call("POST", "/api-keys", body);
      assert.deepEqual([answer.status, issuePath(answer)], [400, path]);
    });

  test("PATCH changes name and permissions; what is not given stays", async () => {
    const { body: made } = await merchant.call("POST", "/api-keys", { name: "Before" });
    const renamed = await merchant.call("PATCH", `/api-keys/${made["id"]}`, { name: "After" });
    assert.deepEqual([renamed.status, renamed.body["name"], renamed.body["permissions"]], [200, "After", []]);
    const granted = await merchant.call("PATCH", `/api-keys/${made["id"]}`, { permissions: ["charge_saved_cards"] });
    assert.deepEqual([granted.body["name"], granted.body["permissions"]], ["After", ["charge_saved_cards"]]);
    assert.deepEqual((await me(made["key"])).body.key.permissions, ["charge_saved_cards"]);
    assert.equal((await merchant.call("PATCH", `/api-keys/${made["id"]}`, { permissions: ["x"] })).status, 400);
  });

  test("DELETE revokes at once and for good", async () => {
    const { body: made } = await merchant.call("POST", "/api-keys", { name: "Leaked" });
    assert.equal((await me(made["key"])).status, 200);
    const revoked = await merchant.call("DELETE", `/api-keys/${made["id"]}`);
    assert.equal(revoked.status, 200);
    assert.match(String(revoked.body["revokedAt"]), /^\d{4}-.*Z$/);
    assert.deepEqual([(await me(made["key"])).status, (await me(made["key"])).body.error], [401, "unauthorized"]);

    const again = await merchant.call("DELETE", `/api-keys/${made["id"]}`);
    assert.deepEqual([again.status, again.body], [200, revoked.body], "a second time changes nothing");
    const changed = await merchant.call("PATCH", `/api-keys/${made["id"]}`, { name: "Back" });
    assert.deepEqual([changed.status, changed.body["error"]], [409, "invalid_state"]);
  });

  test("the list goes page by page, newest first, and searches names", async () => {
    const other = await addMerchant(merchant.dashboard);
    for (const name of ["one", "100% two", "three"]) await other.call("POST", "/api-keys", { name });
    const first = await other.call("GET", "/api-keys?limit=2");
    assert.deepEqual(
      dataOf(first).map(({ name }) => name),
      ["three", "100% two"],
    );
    assert.equal(first.body["hasMore"], true);
    const next = await other.call("GET", `/api-keys?limit=2&startingAfter=${first.body["nextCursor"]}`);
    assert.deepEqual(
      dataOf(next).map(({ name }) => name),
      ["one"],
    );
    assert.deepEqual([next.body["hasMore"], next.body["nextCursor"]], [false, null]);
    assert.deepEqual(
      dataOf(await other.call("GET", "/api-keys?q=0%25")).map(({ name }) => name),
      ["100% two"],
    );
  });

  test("another organisation's key is not found", async () => {
    const other = await addMerchant(merchant.dashboard);
    const { body: made } = await merchant.call("POST", "/api-keys", { name: "Mine" });
    assert.equal((await other.call("PATCH", `/api-keys/${made["id"]}`, { name: "Theirs" })).status, 404);
    assert.equal((await other.call("DELETE", `/api-keys/${made["id"]}`)).status, 404);
    assert.equal((await me(made["key"])).status, 200);
  });

  test("roles without the permission may read and not change", async () => {
    for (const role of ["finance", "support", "viewer"] as const) {
      assert.equal((await merchant.call("GET", "/api-keys", undefined, role)).status, 200);
      assert.equal(
        (await merchant.call("POST", "/api-keys", { name: "a" }, role)).body["error"],
        "permission_required",
      );
    }
  });
});
