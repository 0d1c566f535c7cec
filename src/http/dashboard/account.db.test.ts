import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setUpSignIn } from "../../../test/support/sign-in.ts";

const tests = setUpSignIn();
const { somebody, sessionStatus } = tests;
const call = (method: "GET" | "POST", path: string, cookie: string, body?: unknown) =>
  tests.dashboard.call(method, `/account/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const sessions = async (cookie: string) =>
  (await call("GET", "sessions", cookie)).body["data"] as { id: string; current: boolean }[];

describe("one's own account", () => {
  test("lists one's sessions, and ends one of them and nobody else's", async () => {
    const [email, other] = [await somebody(), await somebody()];
    const [first, second, strange] = [
      await tests.dashboard.signIn(email),
      await tests.dashboard.signIn(email),
      await tests.dashboard.signIn(other),
    ];
    const listed = await sessions(first);
    assert.deepEqual(listed.map(({ current }) => current).sort(), [false, true]);
    const id = listed.find(({ current }) => !current)?.id;
    assert.equal((await call("POST", "sessions/end", strange, { id })).status, 404);
    assert.equal(await sessionStatus(second), 200);
    const ended = await call("POST", "sessions/end", first, { id });
    assert.deepEqual([ended.status, (ended.body["data"] as unknown[]).length], [200, 1]);
    assert.deepEqual([await sessionStatus(first), await sessionStatus(second)], [200, 401]);
    for (const body of [{}, { id: "" }, { id: 1 }])
      assert.equal((await call("POST", "sessions/end", first, body)).status, 400);
  });

  test("has a name, the same in every organisation", async () => {
    const email = await somebody();
    const elsewhere = await tests.dashboard.addOrganisation({ slug: "elsewhere" });
    await tests.dashboard.addMember(elsewhere, email, "viewer");
    const cookie = await tests.dashboard.signIn(email);
    assert.deepEqual((await call("POST", "name", cookie, { name: " Zoë " })).body, { name: "Zoë" });
    const { body } = await tests.dashboard.call("GET", "/session", { cookie });
    assert.equal((body["user"] as { name: string }).name, "Zoë");
    for (const name of ["", "x".repeat(101), "\u0000", null])
      assert.equal((await call("POST", "name", cookie, { name })).status, 400, String(name));
  });

  test("needs a session, and is not changed from another site", async () => {
    assert.equal((await call("GET", "sessions", "")).status, 401);
    assert.equal((await call("POST", "name", "", { name: "x" })).status, 401);
    const cookie = await tests.dashboard.signIn(await somebody());
    const foreign = { cookie, body: { name: "x" }, headers: { origin: "https://evil.example" } };
    assert.equal((await tests.dashboard.call("POST", "/account/name", foreign)).status, 403);
  });
});
