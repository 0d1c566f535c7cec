import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CLIENT_ENDPOINTS, EVENTS } from "../../../src/catalogue.ts";
import { openApi, type TestApi } from "../../../test/support/api.ts";
import { addTransfers } from "../../../test/support/eft.ts";
import type { Test } from "../../../test/support/processes.ts";
import { movesClock, NOT_BY_KEY, TRIGGERS } from "../src/triggers.ts";
import { openUser } from "./cli.ts";

let api: TestApi;
before(async () => {
  api = await openApi({ PROCESS: "all" });
});
after(() => api.close());

/** A user who is signed in to a new merchant, which is paid as the demo is. */
async function openShop(t: Test, sandbox = true) {
  const shop = await api.addMerchant({ sandbox });
  if (sandbox) {
    await shop.addGateway();
    await addTransfers(shop);
  }
  const user = await openUser(t, `${shop.key}\n`);
  const { code, err } = await user.run("login", "--base-url", api.baseUrl);
  assert.equal(code, 0, err);
  return { shop, user };
}

describe("tefo trigger", () => {
  for (const type of Object.keys(TRIGGERS))
    test(`makes ${type} happen`, async (t) => {
      const { shop, user } = await openShop(t);
      const { code, out, err } = await user.run("trigger", type, ...(movesClock(type) ? ["--move-clock"] : []));
      assert.equal(code, 0, err);
      const [, , , id] = /^(\S+) {2}(\S+) (\d+) {2}(evt_\w+)\n$/.exec(out)?.slice(1) ?? [];
      const { body } = await shop.get<{ type: string }>(`/events/${id}`);
      assert.equal(body.type, type);
    });

  test("waits for a new event, though there is one already", async (t) => {
    const { user } = await openShop(t);
    const ids = [await user.run("trigger", "customer.created"), await user.run("trigger", "customer.created")];
    assert.notEqual(ids[0]?.out, ids[1]?.out);
  });

  test("moves no clock unless it is told to", async (t) => {
    const { shop, user } = await openShop(t);
    const { code, err } = await user.run("trigger", "subscription.renewed");
    assert.equal(code, 2);
    assert.match(err, /add --move-clock/);
    assert.equal((await shop.get<{ set: boolean }>("/test-clock")).body.set, false);
    assert.deepEqual((await shop.get<{ data: unknown[] }>("/customers")).body.data, []);
  });

  test("makes nothing happen where money is real", async (t) => {
    const { user } = await openShop(t, false);
    const { code, err } = await user.run("trigger", "customer.created");
    assert.deepEqual([code, /is no sandbox/.test(err)], [1, true]);
  });

  test("lists events, and says why it cannot make one", async (t) => {
    const { user } = await openShop(t);
    const { out, err } = await user.run("trigger");
    assert.match(out, /^subscription\.renewed {2}\(moves the clock\)$/m);
    assert.match(err, /customer\.erased is not among them/);
    for (const [type, why] of [
      ["customer.erased", /cannot be triggered: only staff/],
      ["customer.exploded", /is no event/],
    ] as const) {
      const said = await user.run("trigger", type);
      assert.deepEqual([said.code, why.test(said.err)], [2, true], said.err);
    }
  });
});

test("every event can be triggered, or it is said why not", () => {
  const all = EVENTS.map(({ name }) => name).toSorted();
  assert.deepEqual([...Object.keys(TRIGGERS), ...Object.keys(NOT_BY_KEY)].toSorted(), all);
  assert.deepEqual(Object.keys(NOT_BY_KEY), ["customer.erased"]);
  assert.ok(!CLIENT_ENDPOINTS.some(({ path }) => path.includes("erase")), "no key erases");
});
