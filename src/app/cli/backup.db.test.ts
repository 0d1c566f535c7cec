import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BUCKET_KEY, openBucketServer, REGION } from "../../../test/support/bucket-server.ts";
import { eventually, serve, tefo, temporaryFolder } from "../../../test/support/processes.ts";
import { freePort } from "../listen.ts";

interface Made {
  readonly file: string;
  readonly bytes: number;
  readonly removed: readonly string[];
}

const onlyBackup = async (folder: string): Promise<string | undefined> =>
  (await readdir(folder).catch(() => [])).find((name) => name.endsWith(".age"));

/** A service over an embedded database that is backed up each day, and an API key. */
async function started(t: TestContext) {
  const home = await temporaryFolder(t);
  const [dataDir, backups] = [join(home, "data"), join(home, "backups")];
  const env = { DATA_DIR: dataDir, DEMO: "0", PORT: String(await freePort("127.0.0.1")), IP_RATE_LIMIT: "100000" };
  const created = await tefo(env, "org", "create", "--name", "A", "--slug", "a", "--json");
  const { apiKey } = created.json<{ apiKey: string }>();
  await tefo(env, "org", "update", "a", "--rate-limit", "100000");
  const service = serve(t, { ...env, BACKUP_DIR: backups });
  await service.says(/"msg":"ready"/);
  const addCustomer = async (name: string) => {
    const answer = await fetch(`http://127.0.0.1:${env.PORT}/api/v1/customers`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ firstName: name, email: `${name}@example.co.za` }),
    });
    assert.equal(answer.status, 201, await answer.text());
  };
  return { home, dataDir, backups, env, apiKey, service, addCustomer };
}

test("a backup of a running database holds all that was acknowledged before, and restores into another folder", async (t) => {
  const { home, dataDir, backups, env, apiKey, service, addCustomer } = await started(t);
  await eventually("a first backup is made at the start", async () => (await onlyBackup(backups)) !== undefined);

  for (let at = 0; at < 20; at++) await addCustomer(`before${at}`);
  let writing = true;
  const load = (async () => {
    for (let at = 0; writing; at++) await addCustomer(`during${at}`);
  })();
  const to = join(home, "mine");
  const made = await tefo(env, "backup", "--to", to, "--json");
  writing = false;
  await load;
  assert.equal(made.code, 0, made.err);
  const { file, bytes, removed } = made.json<Made>();
  assert.deepEqual([await readdir(to), removed], [[file.slice(to.length + 1)], []]);
  const { size, mode } = await stat(file);
  assert.deepEqual([size, mode & 0o777], [bytes, 0o600]);
  assert.match((await readFile(file)).toString("latin1"), /^age-encryption\.org\/v1\n/);

  const verify = await tefo(env, "verify", "--json");
  assert.equal(verify.code, 0, verify.err);
  const metrics = await (await fetch(`http://127.0.0.1:${env.PORT}/metrics`)).text();
  for (const kind of ["backup", "verify"]) {
    const [, at] =
      new RegExp(`^tefo_last_result_timestamp_seconds\\{kind="${kind}"\\} (\\S+)$`, "m").exec(metrics) ?? [];
    assert.ok(Math.abs(Number(at) - Date.now() / 1000) < 300, `${kind}: ${at}`);
  }
  assert.match(metrics, /^tefo_verify_faults 0$/m);

  const checked = await tefo(env, "restore", file, "--check", "--json");
  assert.deepEqual([checked.code, checked.json<{ ok: boolean }>().ok], [0, true], checked.err);
  assert.ok(checked.json<{ checked: number }>().checked >= 20);

  const other = { ...env, DATA_DIR: join(home, "other"), PORT: String(await freePort("127.0.0.1")) };
  const keyless = await tefo(other, "restore", file);
  assert.deepEqual([keyless.code, keyless.out], [1, ""]);
  assert.match(keyless.err, /Set SECRET_KEY to the key of the backup, or put its secret\.key into /);
  await mkdir(other.DATA_DIR, { recursive: true });
  await copyFile(join(dataDir, "secret.key"), join(other.DATA_DIR, "secret.key"));
  await writeFile(join(other.DATA_DIR, "postgres.password"), "of a restore that was interrupted");
  const restored = await tefo(other, "restore", file, "--json");
  assert.deepEqual([restored.code, restored.json<{ dataDir: string }>().dataDir], [0, other.DATA_DIR], restored.err);
  const verified = await tefo(other, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
  const second = serve(t, other);
  await second.says(/"msg":"ready"/);
  const found = await fetch(`http://127.0.0.1:${other.PORT}/api/v1/customers?q=before&limit=100`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { data } = (await found.json()) as { data: { firstName: string }[] };
  assert.deepEqual(
    new Set(data.map(({ firstName }) => firstName)),
    new Set(Array.from({ length: 20 }, (_, at) => `before${at}`)),
  );
  const again = await tefo(other, "restore", file);
  assert.match(again.err, /has a database\. Move it away first/);

  service.child.kill("SIGTERM");
  assert.equal(await service.ended(), 0, service.output());
  assert.doesNotMatch(service.output(), /"level":"(error|fatal)"/);
});

test("a backup that was changed, cut off, or made with another key is refused, and leaves nothing behind", async (t) => {
  const home = await temporaryFolder(t);
  const env = { DATA_DIR: join(home, "data"), DEMO: "0" };
  await tefo(env, "org", "create", "--name", "A", "--slug", "a");
  const to = join(home, "to");
  await mkdir(to);
  await writeFile(join(to, "tefo-2026-01-01T020000Z.age.partial"), "of a process that was killed");
  const made = await tefo(env, "backup", "--to", to, "--json");
  assert.equal(made.code, 0, made.err);
  const { file } = made.json<Made>();
  assert.deepEqual(await readdir(to), [file.slice(to.length + 1)]);
  const key = (await readFile(join(env.DATA_DIR, "secret.key"), "utf8")).trim();
  const bytes = await readFile(file);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  const CASES: [name: string, content: Buffer, key: string, message: RegExp][] = [
    ["changed", changed, key, /./],
    ["cut off", bytes.subarray(0, bytes.length - 70_000), key, /./],
    ["cut off at its beginning", bytes.subarray(0, 20), key, /cannot be opened with this SECRET_KEY, or is no backup/],
    ["of another key", bytes, Buffer.alloc(32, 7).toString("base64"), /cannot be opened with this SECRET_KEY/],
    [
      "no backup",
      Buffer.from("PK\u0003\u0004".repeat(100)),
      key,
      /cannot be opened with this SECRET_KEY, or is no backup/,
    ],
  ];
  for (const [name, content, secretKey, message] of CASES) {
    const bad = join(home, "bad.age");
    await writeFile(bad, content);
    const dataDir = join(home, "other");
    const refused = await tefo({ DATA_DIR: dataDir, SECRET_KEY: secretKey }, "restore", bad);
    assert.deepEqual([refused.code, refused.out], [1, ""], name);
    assert.match(refused.err, message, name);
    assert.deepEqual(await readdir(dataDir), [], `${name}: ${refused.err}`);
  }
  const missing = await tefo({ DATA_DIR: join(home, "other"), SECRET_KEY: key }, "restore", join(home, "none.age"));
  assert.match(missing.err, /none\.age/);
});

test("a database of one's own is backed up by its own means, and the commands say so", async () => {
  const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", SECRET_KEY: Buffer.alloc(32).toString("base64") };
  const restored = await tefo(env, "restore", "some.age");
  assert.match(restored.err, /unset DATABASE_URL/);
  const served = await tefo({ ...env, BACKUP_DIR: "/backups" }, "backup");
  assert.match(served.err, /BACKUP_DIR is for the embedded database/);
});

test("a bucket keeps backups as a folder does: made each day, by hand, pruned, restored, looked at by doctor", async (t) => {
  const server = await openBucketServer("shop");
  t.after(server.close);
  const home = await temporaryFolder(t);
  const key = {
    AWS_ACCESS_KEY_ID: BUCKET_KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: BUCKET_KEY.secretAccessKey,
    AWS_SESSION_TOKEN: BUCKET_KEY.sessionToken,
    AWS_REGION: REGION,
  };
  const env = { DATA_DIR: join(home, "data"), DEMO: "0", ...key };
  await tefo(env, "org", "create", "--name", "A", "--slug", "a");
  const port = String(await freePort("127.0.0.1"));
  const daily = { ...env, BACKUP_DIR: "s3://shop/daily", AWS_ENDPOINT_URL_S3: server.url };
  const service = serve(t, { ...daily, PORT: port });
  await eventually("a first backup is made at the start", async () => server.objects.size === 1);
  assert.match(String([...server.objects.keys()]), /^daily\/tefo-\S+Z\.age$/);
  const { findings } = (await tefo(daily, "doctor", "--json")).json<{
    findings: { check: string; status: string; message: string }[];
  }>();
  const about = findings.find(({ check }) => check === "backups");
  assert.deepEqual([about?.status, about?.message], ["ok", "the last backup is 0 hours old"]);

  for (let day = 10; day < 30; day++) server.objects.set(`mine/tefo-2026-01-${day}T020000Z.age`, Buffer.from("old"));
  const to = ["--to", "s3://shop/mine", "--endpoint", server.url];
  const made = await tefo(env, "backup", ...to, "--prune", "--json");
  assert.equal(made.code, 0, made.err);
  const { file, bytes, removed } = made.json<Made>();
  assert.match(file, /^s3:\/\/shop\/mine\/tefo-\S+Z\.age$/);
  const stored = server.objects.get(file.slice("s3://shop/".length));
  assert.deepEqual([stored?.length, removed.length], [bytes, 7]);
  assert.match(stored?.toString("latin1") ?? "", /^age-encryption\.org\/v1\n/);

  const secret = (await readFile(join(env.DATA_DIR, "secret.key"), "utf8")).trim();
  const other = { ...key, DATA_DIR: join(home, "other"), SECRET_KEY: secret, AWS_ENDPOINT_URL: server.url };
  const checked = await tefo(other, "restore", file, "--check", "--json");
  assert.deepEqual([checked.code, checked.json<{ ok: boolean }>().ok], [0, true], checked.err);
  server.objects.set("mine/cut.age", stored?.subarray(0, stored.length - 70_000) ?? Buffer.alloc(0));
  const cut = await tefo(other, "restore", "s3://shop/mine/cut.age");
  assert.deepEqual([cut.code, await readdir(other.DATA_DIR)], [1, []], cut.err);
  const missing = await tefo(other, "restore", "s3://shop/mine/none.age");
  assert.match(missing.err, /read s3:\/\/shop\/mine\/none\.age: .* 404 NoSuchKey/);
  const keyless = await tefo({ ...env, AWS_ACCESS_KEY_ID: "" }, "backup", ...to);
  assert.match(keyless.err, /AWS_ACCESS_KEY_ID is required with s3:\/\/shop\/mine/);
  const wrong = await tefo({ ...env, AWS_SECRET_ACCESS_KEY: "x" }, "backup", ...to);
  assert.match(wrong.err, /403 SignatureDoesNotMatch/);
  service.child.kill("SIGTERM");
  assert.equal(await service.ended(), 0, service.output());
});
