import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { PASSWORD } from "../../../test/support/passwords.ts";
import { setUpSignIn } from "../../../test/support/sign-in.ts";

const tests = setUpSignIn();
const { somebody, signIn, post, sessionStatus } = tests;

describe("a session", () => {
  const withDatabase = async <Row>(sql: string, ...values: unknown[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: tests.dashboard.databaseUrl });
    await client.connect();
    return client
      .query(sql, values)
      .then(({ rows }) => rows as Row[])
      .finally(() => client.end());
  };
  const sessionsOf = (email: string) =>
    withDatabase<{ id: string; token: string }>(
      'select s.id, s.token from identity.session s join identity."user" u on u.id = s.user_id where u.email = $1',
      email,
    );
  const idleFor = (email: string, interval: string) =>
    withDatabase(
      `update identity.session s set updated_at = clock_timestamp() - $2::interval from identity."user" u
        where u.id = s.user_id and u.email = $1`,
      email,
      interval,
    );

  test("is stored as a hash, which is not accepted as a session", async () => {
    const email = await somebody();
    const cookie = await tests.dashboard.signIn(email);
    const token = decodeURIComponent(/session_token=([^;]+)/.exec(cookie)?.[1] ?? "").split(".")[0] ?? "";
    const [stored] = await sessionsOf(email);
    assert(token.length >= 32 && stored);
    assert.notEqual(stored.token, token);
    assert(!stored.token.includes(token));
    await withDatabase("update identity.session set token = $2 where id = $1", stored.id, token);
    assert.equal(await sessionStatus(cookie), 401, "a token in clear is nobody's");
  });

  test("goes on while it is used, and ends after twelve hours without", async () => {
    const email = await somebody();
    const cookie = await tests.dashboard.signIn(email);
    await idleFor(email, "11 hours 59 minutes");
    assert.equal(await sessionStatus(cookie), 200);
    await idleFor(email, "10 hours");
    assert.equal(await sessionStatus(cookie), 200);
    await idleFor(email, "12 hours 1 minute");
    assert.equal(await sessionStatus(cookie), 401);
    assert.deepEqual(await sessionsOf(email), []);
  });

  test("that was idle for too long is refused on the library's paths too", async () => {
    const email = await somebody();
    const cookie = await tests.dashboard.signIn(email);
    await idleFor(email, "13 hours");
    const answer = await post("change-password", cookie, { currentPassword: PASSWORD, newPassword: "a new password" });
    assert.equal(answer.status, 401);
    await tests.dashboard.signIn(email);
    const other = await tests.dashboard.signIn(email);
    await idleFor(email, "13 hours");
    assert.equal(
      (await tests.dashboard.call("GET", "/auth/passkey/list-user-passkeys", { cookie: other })).status,
      401,
    );
  });

  test("ends when its browser signs in again, whoever signs in", async () => {
    const [email, other] = [await somebody(), await somebody()];
    const first = await tests.dashboard.signIn(email);
    const second = await signIn({ email, password: PASSWORD }, { cookie: first });
    assert.deepEqual([await sessionStatus(first), await sessionStatus(second.cookie)], [401, 200]);
    const third = await signIn({ email: other, password: PASSWORD }, { cookie: second.cookie });
    assert.deepEqual([await sessionStatus(second.cookie), await sessionStatus(third.cookie)], [401, 200]);
    assert.equal((await signIn({ email, password: "wrong" }, { cookie: third.cookie })).status, 401);
    assert.equal(await sessionStatus(third.cookie), 200, "a sign-in that fails ends nothing");
    assert.deepEqual([(await sessionsOf(email)).length, (await sessionsOf(other)).length], [0, 1]);
  });
});
