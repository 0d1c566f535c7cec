import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { openDashboard } from "../../../test/support/dashboard.ts";
import { PASSWORD } from "../../../test/support/passwords.ts";
import { setUpSignIn } from "../../../test/support/sign-in.ts";
import { stopClock } from "../../../test/support/still-clock.ts";
import { totp } from "../../../test/support/totp.ts";

const tests = setUpSignIn();
const { somebody, signIn, post, sessionStatus } = tests;

describe("signing in", () => {
  test("sets cookies that scripts cannot read and other sites do not send: the session's, and one that names the device", async () => {
    const email = await somebody();
    const answer = await signIn({ email: email.toUpperCase(), password: PASSWORD });
    assert.equal(answer.status, 200);
    const [session, device, ...others] = [answer.headers["set-cookie"]].flat();
    assert.match(String(session), /^tefo\.session_token=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.match(
      String(device),
      /^tefo\.device_[\w-]{12}=[\w-]{22}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    assert.deepEqual(others, []);
    assert.equal(answer.body["token"], undefined, "the session is the cookie's alone");
    assert.equal(answer.headers["cache-control"], "no-store");
  });

  test("over https sets Secure cookies that no other host can set", async () => {
    const secure = await openDashboard({ baseUrl: "https://pay.example.co.za" });
    await secure.addMember(await secure.addOrganisation(), "a@example.co.za", "owner");
    const body = { email: "a@example.co.za", password: PASSWORD };
    const answer = await secure.call("POST", "/auth/sign-in/email", { body });
    const [session, device] = [answer.headers["set-cookie"]].flat().map(String);
    assert.match(session ?? "", /^__Host-tefo\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(device ?? "", /^__Host-tefo\.device_[\w-]{12}=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const opened = await secure.call("GET", "/session", { cookie: answer.cookie });
    assert.equal(opened.status, 200);
    assert.equal(opened.headers["strict-transport-security"], "max-age=63072000");
    assert.equal(opened.headers["x-content-type-options"], "nosniff", "JSON too");
    await secure.close();
  });

  test("opens the session, which names every organisation with role and permissions", async () => {
    const email = await somebody();
    const other = await tests.dashboard.addOrganisation({ name: "Other", plan: "growth", state: "suspended" });
    await tests.dashboard.addMember(other, email, "owner");
    const answer = await tests.dashboard.call("GET", "/session", { cookie: await tests.dashboard.signIn(email) });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body["user"], {
      id: (await tests.dashboard.identity.findUser(email))?.id,
      email,
      name: email.split("@", 1)[0],
      twoFactor: false,
    });
    const [first, second] = answer.body["organisations"] as Record<string, unknown>[];
    assert.equal(first?.["slug"], "shop");
    assert.equal(first?.["role"], "viewer");
    const [mayRead, mayAll] = [first, second].map((organisation) => (organisation?.["permissions"] ?? []) as string[]);
    assert(mayRead?.length && mayRead.every((permission) => permission.endsWith(":read")));
    assert.equal(second?.["status"], "suspended");
    assert.deepEqual([first?.["readOnly"], second?.["readOnly"], second?.["currency"]], [false, true, "ZAR"]);
    assert.equal((second?.["clock"] as { set: boolean } | undefined)?.set, false);
    assert(mayAll?.includes("members:write"));
    const plan = second?.["plan"] as { name: string; features: string[] } | undefined;
    assert.equal(plan?.name, "growth");
    assert(plan?.features.includes("coupons"));
  });

  const refusals: [string, unknown, Record<string, string>, number, string][] = [
    ["an unknown address", { email: "nobody@example.co.za", password: PASSWORD }, {}, 401, "unauthorized"],
    ["no password", { email: "nobody@example.co.za" }, {}, 400, "invalid_request"],
    ["no address", { email: "nobody", password: PASSWORD }, {}, 400, "invalid_request"],
    [
      "a password beyond every limit",
      { email: "nobody@example.co.za", password: "x".repeat(2000) },
      {},
      400,
      "invalid_request",
    ],
    ["NUL in the password", { email: "nobody@example.co.za", password: "a\0b" }, {}, 400, "invalid_request"],
    ["broken JSON", "{", {}, 400, "invalid_request"],
    ["a list", [], {}, 400, "invalid_request"],
    ["an empty body", "", {}, 400, "invalid_request"],
    [
      "a form",
      "email=a%40b.co&password=x",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "invalid_request",
    ],
    [
      "plain text",
      JSON.stringify({ email: "a@b.co", password: "x" }),
      { "content-type": "text/plain" },
      415,
      "invalid_request",
    ],
    ["a body too large", JSON.stringify({ email: "x".repeat(100_001) }), {}, 413, "invalid_request"],
  ];
  for (const [what, body, headers, status, error] of refusals)
    test(`with ${what} is ${status} ${error}`, async () => {
      const answer = await signIn(body, headers);
      assert.deepEqual([answer.status, answer.body["error"]], [status, error]);
      assert.equal(answer.headers["set-cookie"], undefined);
    });

  test("with a wrong password has the same answer as for an unknown address", async () => {
    const email = await somebody();
    const wrong = await signIn({ email, password: "wrong" });
    const unknown = await signIn({ email: "nobody@example.co.za", password: "wrong" });
    const { requestId } = unknown.body as { requestId?: string };
    assert.deepEqual([wrong.status, { ...wrong.body, requestId }], [unknown.status, unknown.body]);
  });

  test("unknown fields are not passed on", async () => {
    const email = await somebody();
    const answer = await signIn({ email, password: PASSWORD, callbackURL: "http://localhost:8080/x" });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["location"], undefined);
  });
});

describe("what is closed", () => {
  for (const path of ["sign-up/email", "sign-up"])
    test(`${path} is refused: people come by invitation`, async () => {
      const answer = await post(path, "", { email: "new@example.co.za", password: PASSWORD, name: "New" });
      assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
      assert.equal(await tests.dashboard.identity.findUser("new@example.co.za"), null);
    });

  for (const path of [
    "update-user",
    "delete-user",
    "change-email",
    "list-sessions",
    "sign-in/social",
    "ok",
    "__proto__",
    "constructor",
  ])
    test(`${path} is no path`, async () => {
      const answer = await post(path, await tests.dashboard.signIn(await somebody()), {});
      assert.deepEqual([answer.status, answer.body["error"]], [404, "not_found"]);
    });

  test("other methods are 405", async () => {
    const answer = await tests.dashboard.call("GET", "/auth/sign-in/email");
    assert.deepEqual([answer.status, answer.headers["allow"]], [405, "POST"]);
    assert.equal((await tests.dashboard.call("POST", "/session", { body: {} })).status, 405);
  });

  test("a page of another site", async () => {
    const body = { email: await somebody(), password: PASSWORD };
    for (const origin of ["https://evil.example", "null"]) {
      const answer = await signIn(body, { origin });
      assert.deepEqual([answer.status, answer.body["error"]], [403, "permission_required"]);
    }
    assert.equal((await signIn(body, { origin: "http://localhost:8080" })).status, 200);
  });
});

describe("signing out", () => {
  test("ends the session on the server, and says 200 without one", async () => {
    const cookie = await tests.dashboard.signIn(await somebody());
    assert.equal(await sessionStatus(cookie), 200);
    const answer = await post("sign-out", cookie, {});
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["set-cookie"]), /tefo\.session_token=; Max-Age=0/);
    assert.equal(await sessionStatus(cookie), 401);
    assert.equal((await tests.dashboard.call("POST", "/auth/sign-out")).status, 200);
  });

  test("elsewhere leaves this session alone", async () => {
    const email = await somebody();
    const [here, there] = [await tests.dashboard.signIn(email), await tests.dashboard.signIn(email)];
    assert.equal((await post("revoke-other-sessions", here, {})).status, 200);
    assert.deepEqual([await sessionStatus(here), await sessionStatus(there)], [200, 401]);
  });

  test("a changed cookie is not accepted", async () => {
    const cookie = await tests.dashboard.signIn(await somebody());
    assert.equal(await sessionStatus(cookie.replace(/.(?=%3D)/, (last) => (last === "A" ? "E" : "A"))), 401);
    assert.equal(await sessionStatus(""), 401);
    assert.equal(await sessionStatus("tefo.session_token=%00"), 401);
  });
});

describe("passwords", () => {
  test("a change needs the old one, ends every other session and gives this one a new cookie", async () => {
    const email = await somebody();
    const [here, there] = [await tests.dashboard.signIn(email), await tests.dashboard.signIn(email)];
    const wrong = await post("change-password", here, { currentPassword: "wrong", newPassword: "a new password" });
    assert.deepEqual([wrong.status, wrong.body["message"]], [400, "The password is wrong."]);
    const short = await post("change-password", here, { currentPassword: PASSWORD, newPassword: "too short" });
    assert.equal(short.status, 400);
    const changed = await post("change-password", here, { currentPassword: PASSWORD, newPassword: "a new password" });
    assert.equal(changed.status, 200);
    assert.deepEqual([await sessionStatus(there), await sessionStatus(changed.cookie)], [401, 200]);
    await assert.rejects(tests.dashboard.signIn(email));
    await tests.dashboard.signIn(email, "a new password");
  });

  test("a forgotten one is set anew by a mailed link, once, and every session ends", async () => {
    const email = await somebody();
    const cookie = await tests.dashboard.signIn(email);
    assert.equal((await post("request-password-reset", "", { email })).status, 200);
    const mail = tests.dashboard.mails.find(({ to }) => to === email);
    const token = /http:\/\/localhost:8080\/dashboard\/reset-password\/(\S+)$/m.exec(mail?.text ?? "")?.[1];
    assert(token, "the mail holds a link that ends in the token");
    const client = new pg.Client({ connectionString: tests.dashboard.databaseUrl });
    await client.connect();
    const { rows } = await client.query("select from identity.verification where identifier like $1", [`%${token}%`]);
    await client.end();
    assert.equal(rows.length, 0, "the database knows the token's hash only");
    assert.equal((await post("reset-password", "", { token, newPassword: "short" })).status, 400);
    assert.equal((await post("reset-password", "", { token, newPassword: "a new password" })).status, 200);
    assert.equal(await sessionStatus(cookie), 401);
    await tests.dashboard.signIn(email, "a new password");
    const again = await post("reset-password", "", { token, newPassword: "another password" });
    assert.deepEqual([again.status, again.body["error"]], [400, "invalid_request"]);
  });

  test("a reset does not reveal which addresses are known, and sends three mails an hour", async (t) => {
    stopClock(t);
    const email = await somebody();
    const known = await post("request-password-reset", "", { email });
    const unknown = await post("request-password-reset", "", { email: "nobody@example.co.za" });
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    const more = [1, 2, 3].map(() => post("request-password-reset", "", { email }));
    assert.deepEqual((await Promise.all(more)).map(({ status }) => status).sort(), [200, 200, 429]);
    assert.equal(tests.dashboard.mails.filter(({ to }) => to === email).length, 3);
  });

  test("without mail there is no reset, and it says so", async () => {
    const silent = await openDashboard({ mail: false });
    const answer = await silent.call("POST", "/auth/request-password-reset", { body: { email: "a@example.co.za" } });
    assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"]);
    assert.match(String(answer.body["message"]), /sends no mail/);
    await silent.close();
  });
});

describe("the second factor", () => {
  /** Enables two-factor sign-in; returns the authenticator's URI and the backup codes. */
  async function enable(email: string): Promise<{ uri: string; codes: string[] }> {
    const cookie = await tests.dashboard.signIn(email);
    const enabled = await post("two-factor/enable", cookie, { password: PASSWORD });
    assert.equal(enabled.status, 200);
    const uri = String(enabled.body["totpURI"]);
    assert.equal((await post("two-factor/verify-totp", cookie, { code: totp(uri) })).status, 200);
    return { uri, codes: enabled.body["backupCodes"] as string[] };
  }

  /** Signs in by password only; returns the cookie of the challenge, which is not a session. */
  async function challenge(email: string): Promise<string> {
    const answer = await signIn({ email, password: PASSWORD });
    assert.equal(answer.status, 200);
    assert.equal(answer.body["twoFactorRedirect"], true);
    assert.equal(await sessionStatus(answer.cookie), 401, "the password alone opens nothing");
    return answer.cookie;
  }

  test("is asked for after the password; a code of the authenticator opens the session", async () => {
    const email = await somebody();
    const { uri } = await enable(email);
    const pending = await challenge(email);
    const wrong = await post("two-factor/verify-totp", pending, { code: "000000" });
    assert.deepEqual([wrong.status, wrong.body["error"]], [401, "unauthorized"]);
    const opened = await post("two-factor/verify-totp", pending, { code: totp(uri) });
    assert.equal(opened.status, 200);
    const session = await tests.dashboard.call("GET", "/session", { cookie: opened.cookie });
    assert.equal((session.body["user"] as Record<string, unknown>)["twoFactor"], true);
    const again = await post("two-factor/verify-totp", pending, { code: totp(uri) });
    assert.equal(again.status, 401, "a challenge is answered once");
  });

  test("a code opens one session, and the other is none", async () => {
    const email = await somebody();
    const { uri } = await enable(email);
    const [first, second] = [await challenge(email), await challenge(email)];
    const code = totp(uri);
    assert.equal((await post("two-factor/verify-totp", first, { code })).status, 200);
    const again = await post("two-factor/verify-totp", second, { code });
    assert.deepEqual([again.status, again.body["error"]], [401, "unauthorized"]);
    assert.equal(again.headers["set-cookie"], undefined);
    const client = new pg.Client({ connectionString: tests.dashboard.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      'select s.id from identity.session s join identity."user" u on u.id = s.user_id where u.email = $1',
      [email],
    );
    await client.end();
    assert.equal(rows.length, 2, "the session that turned it on, and the one the code opened");
  });

  test("a backup code works once", async () => {
    const email = await somebody();
    const { codes } = await enable(email);
    const code = codes[0] ?? "";
    assert.equal((await post("two-factor/verify-backup-code", await challenge(email), { code })).status, 200);
    assert.equal((await post("two-factor/verify-backup-code", await challenge(email), { code })).status, 401);
  });

  test("is guessed at five times a challenge, and ten times in all", async (t) => {
    stopClock(t);
    const email = await somebody();
    const { uri } = await enable(email);
    const wrong = async (pending: string) => (await post("two-factor/verify-totp", pending, { code: "123" })).status;
    for (let round = 0; round < 2; round++) {
      const pending = await challenge(email);
      for (let i = 0; i < 5; i++) assert.equal(await wrong(pending), 401);
    }
    const locked = await post("two-factor/verify-totp", await challenge(email), { code: totp(uri) });
    assert.deepEqual([locked.status, locked.body["error"]], [429, "rate_limited"]);
    assert(Number(locked.headers["retry-after"]) > 0);
  });

  test("a trusted device is asked for the password alone", async () => {
    const email = await somebody();
    const { uri } = await enable(email);
    const opened = await post("two-factor/verify-totp", await challenge(email), { code: totp(uri), trustDevice: true });
    const device = opened.cookie
      .split("; ")
      .filter((cookie) => cookie.includes("trust_device"))
      .join("; ");
    const later = await tests.dashboard.call("POST", "/auth/sign-in/email", {
      cookie: device,
      body: { email, password: PASSWORD },
    });
    assert.equal(await sessionStatus(later.cookie), 200);
  });

  test("a code opens one session, also beside the cookie of a session that has ended", async () => {
    const email = await somebody();
    const { uri } = await enable(email);
    const ended = (await post("two-factor/verify-totp", await challenge(email), { code: totp(uri) })).cookie;
    await post("sign-out", ended, {});
    const code = totp(uri, 1);
    const [first, second] = [`${ended}; ${await challenge(email)}`, `${ended}; ${await challenge(email)}`];
    const opened = await post("two-factor/verify-totp", first, { code });
    assert.equal(opened.status, 200);
    const cookies = [opened.headers["set-cookie"]].flat().map(String);
    assert.equal(cookies.filter((cookie) => cookie.startsWith("tefo.session_token=")).length, 1);
    assert.ok(
      cookies.some((cookie) => cookie.startsWith("tefo.device_")),
      "the browser is remembered",
    );
    const again = await post("two-factor/verify-totp", second, { code });
    assert.deepEqual([again.status, again.body["error"]], [401, "unauthorized"]);
  });

  test("a new password and a new second factor end trusted devices and reset links", async () => {
    const NEW = "another good passphrase";
    const reset = async (email: string) => {
      await post("request-password-reset", "", { email });
      const mail = tests.dashboard.mails.findLast(({ to }) => to === email);
      return /reset-password\/(\S+)/.exec(mail?.text ?? "")?.[1] ?? assert.fail();
    };
    type Change = (email: string, cookie: string, uri: string) => Promise<string>;
    const changes: Record<string, Change> = {
      "a reset": async (email) => {
        const answer = await post("reset-password", "", { token: await reset(email), newPassword: NEW });
        assert.equal(answer.status, 200);
        return NEW;
      },
      "a change": async (_email, cookie) => {
        const answer = await post("change-password", cookie, { currentPassword: PASSWORD, newPassword: NEW });
        assert.equal(answer.status, 200);
        return NEW;
      },
      "a new enrolment": async (email, cookie) => {
        assert.equal((await post("two-factor/disable", cookie, { password: PASSWORD })).status, 200);
        await enable(email);
        return PASSWORD;
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      const email = await somebody();
      const { uri } = await enable(email);
      const body = { code: totp(uri), trustDevice: true };
      const opened = await post("two-factor/verify-totp", await challenge(email), body);
      const [session, device] = ["session_token", "trust_device"].map((part) =>
        opened.cookie.split("; ").find((cookie) => cookie.includes(part)),
      );
      const link = await reset(email);
      const password = await change(email, String(session), uri);
      const later = await tests.dashboard.call("POST", "/auth/sign-in/email", {
        cookie: String(device),
        body: { email, password },
      });
      assert.deepEqual([later.status, later.body["twoFactorRedirect"]], [200, true], name);
      const old = await post("reset-password", "", { token: link, newPassword: "yet another passphrase" });
      assert.equal(old.status, 400, `${name}: an earlier reset link`);
    }
  });

  test("is turned off with the password", async () => {
    const email = await somebody();
    const { uri } = await enable(email);
    const { cookie } = await post("two-factor/verify-totp", await challenge(email), { code: totp(uri) });
    assert.equal((await post("two-factor/disable", cookie, { password: "wrong" })).status, 400);
    assert.equal((await post("two-factor/disable", cookie, { password: PASSWORD })).status, 200);
    assert.equal(await sessionStatus(await tests.dashboard.signIn(email)), 200);
  });
});
