import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { totp } from "../../test/support/totp.ts";
import { ApiError } from "../kernel/errors.ts";
import { type Identity, openIdentity } from "./identity.ts";
import { createLog } from "./log.ts";
import { migrate } from "./migrations.ts";
import { createSecrets, generateMasterKey } from "./secrets.ts";

const PASSWORD = "correct horse battery";
const keys = [generateMasterKey(), generateMasterKey()] as const;
let url: string;
let identity: Identity;
let admin: pg.Client;

const open = (databaseUrl: string, [current, ...previous]: readonly string[]): Identity =>
  openIdentity({
    databaseUrl,
    baseUrl: "http://localhost:8080",
    secrets: createSecrets({ current: current ?? "", previous }).deriveAll("identity"),
    secureCookies: false,
    log: createLog("silent"),
    mail: null,
  });

const post = (path: string, body: unknown, cookie = ""): Request =>
  new Request(`http://localhost:8080/dashboard/api/auth/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");

const signIn = async (email: string, by = identity): Promise<string> => {
  const response = await by.handle(post("sign-in/email", { email, password: PASSWORD }));
  assert.equal(response.status, 200);
  return cookiesOf(response);
};

before(async () => {
  ({ url } = await cloneDatabase());
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  identity = open(url, [keys[0]]);
});
after(async () => {
  await identity.close();
  await admin.end();
});

test("creating a user twice answers the same id and keeps the password", async () => {
  const id = await identity.createUser({ email: "Thandi@Example.co.za", name: "Thandi", password: PASSWORD });
  assert.equal(
    await identity.createUser({ email: "thandi@example.co.za", name: "Other", password: "another password" }),
    id,
  );
  assert.deepEqual(await identity.findUser(" THANDI@example.co.za "), {
    id,
    email: "thandi@example.co.za",
    name: "Thandi",
  });
  assert.equal(await identity.findUser("nobody@example.co.za"), null);
  const session = await identity.session(new Headers({ cookie: await signIn("thandi@example.co.za") }));
  assert.deepEqual(session, {
    ...session,
    userId: id,
    email: "thandi@example.co.za",
    name: "Thandi",
    twoFactor: false,
  });
});

test("a user created by many calls at once is one user", async () => {
  const user = { email: "race@example.co.za", name: "Race", password: PASSWORD };
  const ids = await Promise.all(Array.from({ length: 6 }, () => identity.createUser(user)));
  assert.equal(new Set(ids).size, 1);
  const { rows } = await admin.query("select user_id from identity.account where user_id = $1", [ids[0]]);
  assert.equal(rows.length, 1);
});

test("signing in keeps no session of the person that has expired", async () => {
  const id = await identity.createUser({ email: "old@example.co.za", name: "Old", password: PASSWORD });
  await signIn("old@example.co.za");
  await admin.query("update identity.session set expires_at = '2020-01-01' where user_id = $1", [id]);
  await signIn("old@example.co.za");
  const { rows } = await admin.query("select expires_at from identity.session where user_id = $1", [id]);
  assert.equal(rows.length, 1);
});

test("when the key rotates, sessions end and second factors go on; resealed, they need the old key no more", async () => {
  const email = "rotating@example.co.za";
  await identity.createUser({ email, name: "Rotating", password: PASSWORD });
  const cookie = await signIn(email);
  const enabled = await identity.handle(post("two-factor/enable", { password: PASSWORD }, cookie));
  const { totpURI: uri, backupCodes } = (await enabled.json()) as { totpURI: string; backupCodes: string[] };
  assert.equal((await identity.handle(post("two-factor/verify-totp", { code: totp(uri) }, cookie))).status, 200);

  const rotated = open(url, [keys[1], keys[0]]);
  assert.equal(await rotated.session(new Headers({ cookie })), null);
  assert.equal(
    (await rotated.handle(post("two-factor/verify-totp", { code: totp(uri) }, await signIn(email, rotated)))).status,
    200,
  );
  assert.equal(await rotated.reseal(), 1);
  assert.equal(await rotated.reseal(), 0);
  await rotated.close();

  const later = open(url, [keys[1]]);
  const [code] = backupCodes;
  assert.equal(
    (await later.handle(post("two-factor/verify-totp", { code: totp(uri) }, await signIn(email, later)))).status,
    200,
  );
  assert.equal(
    (await later.handle(post("two-factor/verify-backup-code", { code }, await signIn(email, later)))).status,
    200,
  );
  await later.close();
});

test("its role sees the schema identity and nothing else, and the service's role sees nothing of it", async () => {
  const as = async (role: string, statement: string) => {
    await admin.query("begin");
    try {
      await admin.query(`set local role ${role}`);
      return await admin.query(statement).then(
        () => "allowed",
        (error: pg.DatabaseError) => error.code,
      );
    } finally {
      await admin.query("rollback");
    }
  };
  assert.equal(await as("tefo_identity", 'select from identity."user"'), "allowed");
  assert.equal(await as("tefo_identity", "select from public.customers"), "42501");
  assert.equal(await as("tefo_identity", "select from public.all_organisations()"), "42501");
  assert.equal(await as("tefo_identity", "create table identity.x (id text)"), "42501");
  assert.equal(await as("tefo_app", 'select from identity."user"'), "42501");
  assert.equal(await as("tefo_gate", "select from identity.session"), "42501");
  assert.equal(await as("tefo_app", "select from public.all_organisations()"), "allowed");
});

test("a lost connection does not end the process", async () => {
  const cookie = await signIn("thandi@example.co.za");
  const { rowCount } = await admin.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tefo identity' and datname = current_database()",
  );
  assert(rowCount && rowCount > 0, "there was a connection to cut");
  // A query on the lost connection may fail before it is known to be lost.
  const session = async () => identity.session(new Headers({ cookie })).catch(() => null);
  let found = await session();
  for (let tries = 0; found === null && tries < 100; tries++) found = await session();
  assert.equal(found?.email, "thandi@example.co.za");
});

test("without a database the answer is 503", async () => {
  const nowhere = open("postgres://me:me@127.0.0.1:1/none", [keys[0]]);
  const cookie = await signIn("thandi@example.co.za");
  const refused = (error: unknown) => error instanceof ApiError && error.code === "service_unavailable";
  await assert.rejects(nowhere.session(new Headers({ cookie })), refused);
  await assert.rejects(
    nowhere.handle(post("sign-in/email", { email: "a@example.co.za", password: PASSWORD })),
    refused,
  );
  assert.equal(await nowhere.session(new Headers()), null);
  await nowhere.close();
});

test("migrating again applies nothing", async () => {
  assert.deepEqual(await migrate(url), []);
});
