import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { allowedReturnUrlEndpoints } from "../../src/http/resources/allowed-return-urls.ts";
import { addMerchant, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

describe("allowed return URLs", () => {
  let live: Merchant;
  let sandbox: Merchant;
  before(async () => {
    live = await openMerchant(allowedReturnUrlEndpoints);
    sandbox = await addMerchant(live.dashboard, { sandbox: true });
  });
  after(() => live.close());

  const put = (merchant: Merchant, origins: unknown) => merchant.call("PUT", "/allowed-return-urls", { origins });
  const get = async (merchant: Merchant) => (await merchant.call("GET", "/allowed-return-urls")).body["origins"];

  test("begin empty and are replaced as a whole, in canonical form, each once", async () => {
    assert.deepEqual(await get(live), []);
    const answer = await put(live, [" https://Shop.example ", "https://shop.example:443/", "https://a.example:8443"]);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { origins: ["https://a.example:8443", "https://shop.example"] });
    assert.deepEqual(await get(live), ["https://a.example:8443", "https://shop.example"]);
    assert.deepEqual((await put(live, ["https://b.example"])).body, { origins: ["https://b.example"] });
    assert.deepEqual((await put(live, [])).body, { origins: [] });
    assert.deepEqual(await get(live), []);
  });

  const REFUSED: [string, unknown, unknown[]][] = [
    ["a path", ["https://shop.example/thanks"], ["origins", 0]],
    ["no TLS", ["https://a.example", "http://shop.example"], ["origins", 1]],
    ["a host in another spelling", ["https://0x7f.1"], ["origins", 0]],
    ["a user name", ["https://a@shop.example"], ["origins", 0]],
    ["a wildcard", ["https://*.shop.example"], ["origins", 0]],
    ["no text", [1], ["origins", 0]],
    ["one text", "https://shop.example", ["origins"]],
    ["too many", Array.from({ length: 101 }, (_, index) => `https://s${index}.example`), ["origins"]],
  ];
  for (const [what, origins, path] of REFUSED)
    test(`${what}: 400 at ${path.join(".")}, and the list stays`, async () => {
      await put(live, ["https://kept.example"]);
      const answer = await put(live, origins);
      assert.deepEqual([answer.status, issuePath(answer)], [400, path]);
      assert.deepEqual(await get(live), ["https://kept.example"]);
    });

  test("this machine's own origins are for sandbox organisations only", async () => {
    const origins = ["http://127.0.0.1:9000", "http://localhost:3000"];
    assert.equal((await put(live, origins)).status, 400);
    assert.deepEqual((await put(sandbox, origins)).body, { origins });
    assert.equal((await put(sandbox, ["http://192.168.0.1"])).status, 400);
  });

  test("a role without the permission may not change them", async () => {
    const answer = await live.call("PUT", "/allowed-return-urls", { origins: [] }, "support");
    assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
  });
});
