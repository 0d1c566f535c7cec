import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PASSWORD } from "../../../test/support/passwords.ts";
import { setUpSignIn } from "../../../test/support/sign-in.ts";
import { stopClockForAll } from "../../../test/support/still-clock.ts";

const tests = setUpSignIn();
const { somebody, signIn, post } = tests;
stopClockForAll();

describe("failures", () => {
  const from = (address: string, email: string, password: string, cookie = "") =>
    tests.dashboard.call("POST", "/auth/sign-in/email", { from: address, cookie, body: { email, password } });

  test("of one account from one network are ten in a quarter of an hour, however many come at once; then even the right password waits", async () => {
    const email = await somebody();
    const network = (n: number) => `2001:db8:1:1::${n.toString(16)}`;
    const tries = await Promise.all(Array.from({ length: 16 }, (_, n) => from(network(n), email, "wrong")));
    const statuses = tries.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), ...Array<number>(6).fill(429)]);
    const locked = await from(network(99), ` ${email.toUpperCase()}`, PASSWORD);
    assert.deepEqual([locked.status, locked.body["error"]], [429, "rate_limited"]);
    const wait = Number(locked.headers["retry-after"]);
    assert(wait > 0 && wait <= 900, `Retry-After ${wait}`);
    assert.equal(
      (await signIn({ email: await somebody(), password: PASSWORD })).status,
      200,
      "others are not locked out",
    );
    assert.equal((await from("192.0.2.77", email, PASSWORD)).status, 200, "nor is this one elsewhere");
  });

  test("of others do not block a device on which the owner has signed in before, even in the attacker's own network", async () => {
    const email = await somebody();
    const { cookie } = await signIn({ email, password: PASSWORD });
    for (let i = 0; i < 12; i++) await from("192.0.2.80", email, "wrong");
    assert.equal((await from("192.0.2.80", email, PASSWORD)).status, 429);
    assert.equal((await from("192.0.2.80", email, PASSWORD, cookie)).status, 200);
  });

  test("of one account from networks together are thirty; known devices go on", async () => {
    const email = await somebody();
    const { cookie } = await signIn({ email, password: PASSWORD });
    const guesses = await Promise.all(Array.from({ length: 34 }, () => signIn({ email, password: "wrong" })));
    const statuses = guesses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array<number>(30).fill(401), ...Array<number>(4).fill(429)]);
    assert.equal((await signIn({ email, password: PASSWORD })).status, 429);
    assert.equal((await signIn({ email, password: PASSWORD }, { cookie })).status, 200);
  });

  test("refused for one network are no failures of the account: one attacker cannot use up what all may guess", async () => {
    const email = await somebody();
    for (let i = 0; i < 40; i++) await from("192.0.2.81", email, "wrong");
    assert.equal((await from("192.0.2.82", email, PASSWORD)).status, 200);
  });

  test("on a known device are ten too, and its cookie is valid for its owner only", async () => {
    const [email, other] = [await somebody(), await somebody()];
    const { cookie } = await signIn({ email, password: PASSWORD });
    for (let i = 0; i < 10; i++) assert.equal((await signIn({ email, password: "wrong" }, { cookie })).status, 401);
    assert.equal((await signIn({ email, password: PASSWORD }, { cookie })).status, 429);
    assert.equal((await signIn({ email, password: PASSWORD })).status, 200, "elsewhere the owner goes on");

    const name = /tefo\.device_[\w-]+/.exec((await signIn({ email: other, password: PASSWORD })).cookie)?.[0];
    const value = /tefo\.device_[\w-]+=([^;]+)/.exec(cookie)?.[1];
    assert(name && value);
    for (let i = 0; i < 10; i++) await from("192.0.2.83", other, "wrong");
    for (const forged of [`${name}=${value}`, `${name}=${value.replace(/^./, "_")}`, `${name}=x.y`, `${name}=`])
      assert.equal((await from("192.0.2.83", other, PASSWORD, forged)).status, 429, forged);
  });

  test("end with a success, and successes are never counted", async () => {
    const email = await somebody();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++) assert.equal((await signIn({ email, password: "wrong" })).status, 401);
      for (let i = 0; i < 3; i++) assert.equal((await signIn({ email, password: PASSWORD })).status, 200);
    }
  });

  test("are counted for passwords asked for within a session, too", async () => {
    const email = await somebody();
    const cookie = await tests.dashboard.signIn(email);
    const guess = () => post("change-password", cookie, { currentPassword: "wrong", newPassword: "a new password" });
    for (let i = 0; i < 10; i++) assert.equal((await guess()).status, 400);
    assert.equal((await guess()).status, 429);
  });

  test("from one address are a hundred, and those of a locked account are not the address's", async () => {
    const from = "192.0.2.7";
    const guess = async (email: string) =>
      (await tests.dashboard.call("POST", "/auth/sign-in/email", { from, body: { email, password: "x" } })).status;
    for (let i = 0; i < 15; i++) assert.equal(await guess("locked@example.co.za"), i < 10 ? 401 : 429);
    for (let i = 0; i < 90; i++) assert.equal(await guess(`a${i}@example.co.za`), 401);
    assert.equal(await guess("b@example.co.za"), 429);
  });
});
