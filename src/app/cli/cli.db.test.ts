import assert from "node:assert/strict";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../../test/support/database.ts";
import { makePaidOrganisation, openServices } from "../../../test/support/paid-organisation.ts";
import { tefo, temporaryFolder } from "../../../test/support/processes.ts";
import { SEALED_COLUMNS } from "../../catalogue.ts";
import { clockOf } from "../../flows/context.ts";
import { organisationBySlug } from "../../modules/organisations/store.ts";
import { findEmbeddedPostgres } from "../../platform/embedded-postgres.ts";
import { createSecrets, generateMasterKey } from "../../platform/secrets.ts";

async function query(url: string, sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

interface Organisation {
  readonly id: string;
  readonly slug: string;
  readonly plan: string;
  readonly status: string;
  readonly sandbox: boolean;
  readonly trialEndsAt: string | null;
  readonly limits: Record<string, number>;
  readonly rateLimit: number | null;
}
interface Created {
  readonly organisation: Organisation;
  readonly owner: { readonly email: string; readonly password: string | null };
  readonly apiKey: string;
}

describe("the operator's command line", () => {
  let env: Record<string, string> = {};
  let url = "";
  before(async () => {
    ({ url } = await cloneDatabase());
    env = { DATABASE_URL: url, SECRET_KEY: generateMasterKey() };
  });
  const create = (slug: string, ...more: string[]) =>
    tefo(env, "org", "create", "--name", `The ${slug}`, "--slug", slug, "--plan", "growth", "--json", ...more);

  test("org create makes an organisation, its owner and a key, and says so once", async () => {
    const made = await create("first", "--sandbox");
    assert.deepEqual([made.code, made.err], [0, ""]);
    const { organisation, owner, apiKey } = made.json<Created>();
    assert.match(organisation.id, /^org_/);
    const { slug, plan, status, sandbox } = organisation;
    assert.deepEqual(
      { slug, plan, status, sandbox },
      { slug: "first", plan: "growth", status: "active", sandbox: true },
    );
    assert.equal(organisation.trialEndsAt, null);
    const tried = (await create("tried", "--trial-days", "30")).json<Created>().organisation;
    const days = (Date.parse(tried.trialEndsAt ?? "") - Date.now()) / 86_400_000;
    assert.equal(tried.status, "trial");
    assert.ok(days > 29.9 && days <= 30, `the trial lasts ${days} days`);
    const plain = await tefo(env, "org", "create", "--name", "Plain", "--slug", "plain", "--json");
    assert.equal(plain.json<Created>().organisation.plan, "enterprise");
    assert.equal(owner.email, "owner@first.example");
    assert.match(owner.password ?? "", /^.{20}$/);
    assert.match(apiKey, /^tefo_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
    const [member] = await query(url, "select email, role from members where organisation_id = $1", organisation.id);
    assert.deepEqual(member, { email: "owner@first.example", role: "owner" });
    const [key] = await query(url, "select permissions from api_keys where organisation_id = $1", organisation.id);
    assert.deepEqual(key, { permissions: [] });
    const audit = await query(
      url,
      "select actor_kind, action, after::text from audit_log where organisation_id = $1",
      organisation.id,
    );
    assert.deepEqual(
      audit.map(({ actor_kind, action }) => [actor_kind, action]),
      [["operator", "org create"]],
    );
    assert.ok(!String(audit[0]?.["after"]).includes("sealed"), "no secret in the audit log");
  });

  test("org create refuses a slug that is taken or cannot be one", async () => {
    assert.equal((await create("taken")).code, 0);
    const again = await create("taken");
    assert.deepEqual([again.code, again.json<{ error: string }>().error], [1, "invalid_request"]);
    assert.match(again.err, /^Another organisation has the slug taken\. Choose another\.\n$/);
    for (const slug of ["Upper", "-a", "a-", "a b", "", "x".repeat(64)]) {
      const refused = await create(slug);
      assert.deepEqual([refused.code, refused.json<{ error: string }>().error], [2, "usage"], slug);
    }
  });

  test("two who want one slug at once: one gets it", async () => {
    const codes = (await Promise.all([create("race"), create("race")])).map(({ code }) => code);
    assert.deepEqual(codes.toSorted(), [0, 1]);
  });

  test("an owner of several organisations keeps their password", async () => {
    const owner = ["--owner-email", "Thandi@Example.com", "--owner-password", "rooibos-1"];
    assert.deepEqual((await create("one", ...owner)).json<Created>().owner, {
      email: "thandi@example.com",
      password: "rooibos-1",
    });
    assert.deepEqual((await create("two", ...owner)).json<Created>().owner, {
      email: "thandi@example.com",
      password: "rooibos-1",
    });
    const without = await create("three", "--owner-email", "thandi@example.com");
    assert.deepEqual(without.json<Created>().owner, { email: "thandi@example.com", password: null });
    const other = await create("four", "--owner-email", "thandi@example.com", "--owner-password", "honeybush-2");
    assert.equal(other.code, 1);
    assert.match(other.err, /signs in with another password/);
    assert.deepEqual(await query(url, "select id from organisations where slug = 'four'"), []);
  });

  test("org update, show and list", async () => {
    await create("shop", "--trial-days", "0");
    const show = async () => (await tefo(env, "org", "show", "shop", "--json")).json<Organisation>();
    assert.equal((await show()).status, "expired");
    const update = async (...args: string[]) => {
      const result = await tefo(env, "org", "update", "shop", "--json", ...args);
      assert.equal(result.code, 0, result.err);
      assert.deepEqual(await show(), result.json());
      return result.json<Organisation>();
    };
    assert.equal(
      (await update("--trial-ends-at", "2099-01-01T00:00:00+02:00")).trialEndsAt,
      "2098-12-31T22:00:00.000Z",
    );
    assert.equal((await show()).status, "trial");
    assert.equal((await update("--status", "suspended")).status, "suspended");
    const active = await update("--status", "active", "--plan", "business");
    assert.deepEqual([active.status, active.plan, active.trialEndsAt], ["active", "business", null]);
    assert.equal((await update("--trial-ends-at", "2099-01-01T00:00:00Z")).status, "trial", "as the operator says");
    const both = await tefo(
      env,
      "org",
      "update",
      "shop",
      "--trial-ends-at",
      "2099-01-01T00:00:00Z",
      "--status",
      "active",
    );
    assert.equal(both.code, 1);
    assert.match(both.err, /only one that is active or on trial gets the end of a trial/);
    assert.equal((await update("--status", "active")).trialEndsAt, null);
    const limited = await update("--limit", "customers=5", "--limit", "monthlyTransactions=0", "--rate-limit", "7");
    assert.deepEqual([limited.limits, limited.rateLimit], [{ customers: 5, monthlyTransactions: 0 }, 7]);
    const back = await update("--limit", "customers=plan", "--rate-limit", "default");
    assert.deepEqual([back.limits, back.rateLimit], [{ monthlyTransactions: 0 }, null]);
    assert.equal((await update("--status", "cancelled")).status, "cancelled");
    const list = (await tefo(env, "org", "list", "--json")).json<{ data: Organisation[] }>();
    assert.ok(list.data.some(({ slug, status }) => slug === "shop" && status === "cancelled"));
    const words = await tefo(env, "org", "list");
    assert.match(words.out, /^SLUG +PLAN +STATUS +MONEY +NAME\n[\s\S]*\nshop +business +cancelled +live +The shop\n/m);
    for (const command of ["show", "update"]) {
      const nobody = await tefo(
        env,
        "org",
        command,
        "nobody",
        ...(command === "update" ? ["--plan", "growth"] : []),
        "--json",
      );
      assert.deepEqual(
        [nobody.code, nobody.json()],
        [1, { error: "not_found", message: "No such organisation: nobody." }],
      );
    }
  });

  test("key create and key revoke", async () => {
    await create("keys");
    const made = await tefo(env, "key", "create", "--org", "keys", "--permission", "charge_saved_cards", "--json");
    const { id, key, permissions } = made.json<{ id: string; key: string; permissions: string[] }>();
    assert.deepEqual([made.code, permissions], [0, ["charge_saved_cards"]]);
    assert.match(key, /^tefo_/);
    const [stored] = await query(url, "select permissions, revoked_at from api_keys where id = $1", id);
    assert.deepEqual(stored, { permissions: ["charge_saved_cards"], revoked_at: null });
    const revoked = (await tefo(env, "key", "revoke", id, "--json")).json<{ id: string; revokedAt: string }>();
    assert.equal(revoked.id, id);
    assert.deepEqual((await tefo(env, "key", "revoke", id, "--json")).json(), revoked, "again, the same");
    const audit = await query(url, "select action from audit_log where subject = $1 order by id", id);
    assert.deepEqual(
      audit.map(({ action }) => action),
      ["key create", "key revoke"],
    );
    const unknown = await tefo(env, "key", "revoke", "key_nothing", "--json");
    assert.deepEqual([unknown.code, unknown.json<{ error: string }>().error], [1, "not_found"]);
    assert.equal((await tefo(env, "key", "create", "--org", "nobody")).code, 1);
  });

  test("commands that open no secret work without SECRET_KEY, those that do say what is missing", async () => {
    const { SECRET_KEY: _, ...keyless } = env;
    assert.equal((await tefo(keyless, "org", "list", "--json")).code, 0);
    assert.equal((await tefo(keyless, "verify", "--json")).code, 0);
    const refused = await tefo(keyless, "secrets", "rotate", "--json");
    assert.equal(refused.code, 1);
    assert.match(refused.json<{ message: string }>().message, /^SECRET_KEY is required/);
  });

  test("a database that is not there is one clear line", async () => {
    const result = await tefo({ ...env, DATABASE_URL: "postgres://me@127.0.0.1:1/none" }, "org", "list");
    assert.equal(result.code, 1);
    assert.match(
      result.err,
      /^The database none at 127\.0\.0\.1:1 cannot be used: .*Check DATABASE_URL, and that PostgreSQL runs there\.\n$/,
    );
  });
});

test("migrate brings an empty database up to date, and is safe to run by two at once", async () => {
  const { url } = await cloneDatabase();
  const server = new URL(url);
  server.pathname = "/postgres";
  const name = `${new URL(url).pathname.slice(1)}_empty`;
  await query(server.href, `create database ${name}`);
  try {
    const empty = new URL(url);
    empty.pathname = `/${name}`;
    const env = { DATABASE_URL: empty.href };
    const both = await Promise.all([tefo(env, "migrate", "--json"), tefo(env, "migrate", "--json")]);
    const applied = both.map((one) => one.json<{ applied: string[] }>().applied);
    assert.ok(applied.flat().includes("0001-baseline"));
    assert.equal(new Set(applied.flat()).size, applied.flat().length, "each by one of them");
    assert.equal((await tefo(env, "migrate")).out, "The database is up to date.\n");
    assert.deepEqual((await tefo(env, "jobs", "--json")).json(), {
      depth: 0,
      due: 0,
      running: 0,
      failed: 0,
      oldestDue: null,
      kinds: [],
    });
  } finally {
    await query(server.href, `drop database ${name} with (force)`);
  }
});

test("jobs, verify and secrets rotate over an organisation in which much has happened", async () => {
  const { url } = await cloneDatabase();
  const [oldKey, newKey] = [generateMasterKey(), generateMasterKey()];
  const services = openServices(url, oldKey);
  try {
    const ctx = await makePaidOrganisation(services);
    const before = { DATABASE_URL: url, SECRET_KEY: oldKey };
    const jobs = (await tefo(before, "jobs", "--json")).json<{
      depth: number;
      failed: number;
      kinds: { kind: string; depth: number }[];
    }>();
    assert.ok(jobs.depth > 3 && jobs.failed === 0);
    assert.ok(jobs.kinds.some(({ kind, depth }) => kind === "payment.check" && depth === 1));

    assert.match((await tefo(before, "verify")).out, /^\d+ rows checked: everything holds\.\n$/);
    await query(url, "update customers set standing = 'owing'");
    const found = await tefo(before, "verify", "--org", "paid", "--json");
    const { ok, checked, faults } = found.json<{ ok: boolean; checked: number; faults: Record<string, string>[] }>();
    assert.deepEqual([found.code, ok, faults.length], [1, false, 2]);
    assert.ok(checked > 30);
    const { id: _, ...fault } = faults[0] ?? {};
    assert.deepEqual(fault, {
      organisation: "paid",
      table: "customers",
      rule: "standing",
      expected: "good",
      found: "owing",
    });
    assert.match((await tefo(before, "verify")).out, /paid {2}customers cus_\w+ {2}standing: owing instead of good\n/);
    assert.equal((await tefo(before, "verify", "--org", "nobody")).code, 1);

    await query(url, "alter table customers rename to away");
    const cut = await tefo(before, "verify", "--json");
    const reply = cut.json<{ ok: boolean; checked: number; faults: unknown[]; error: string; message: string }>();
    assert.deepEqual([cut.code, reply.ok, reply.faults, reply.error], [1, false, [], "failed"]);
    assert.match(cut.err, /customers/);
    assert.ok(reply.checked > 0 && cut.err.includes(reply.message));
    await query(url, "alter table away rename to customers");

    const alone = await tefo({ DATABASE_URL: url, SECRET_KEY: newKey }, "secrets", "rotate", "--json");
    const unopened = alone.json<{ resealed: number; unopened: { message: string }[] }>();
    assert.deepEqual([alone.code, unopened.resealed], [1, 0]);
    assert.match(unopened.unopened[0]?.message ?? "", /neither SECRET_KEY nor one of SECRET_KEY_PREVIOUS/);

    const stranger = { DATABASE_URL: url, SECRET_KEY: newKey };
    const sealing = await tefo(stranger, "org", "create", "--name", "A", "--slug", "a", "--plan", "growth", "--json");
    assert.equal(sealing.code, 1);
    assert.match(sealing.json<{ message: string }>().message, /^SECRET_KEY opens nothing in this database/);

    const after = { DATABASE_URL: url, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };
    const rotated = (await tefo(after, "secrets", "rotate", "--json")).json<{
      keyId: string;
      columns: Record<string, number>;
    }>();
    assert.equal(rotated.columns["organisations.token_key_sealed"], 1);
    assert.equal(rotated.columns["gateway_accounts.credentials_sealed"], 1);
    assert.equal(rotated.columns["webhook_endpoints.secret_sealed"], 1);
    const again = (await tefo(after, "secrets", "rotate", "--json")).json<{ resealed: number }>();
    assert.equal(again.resealed, 0);
    const organisation = await organisationBySlug(services.db, "paid");
    assert.ok(organisation && clockOf(organisation));
    const opened = createSecrets({ current: newKey, previous: [] }).open(organisation.tokenKeySealed, {
      organisation: organisation.id,
      column: "organisations.token_key",
    });
    const context = { organisation: organisation.id, column: "organisations.token_key" };
    assert.equal(opened, services.secrets.open(ctx.organisation.tokenKeySealed, context), "the same secret as before");
  } finally {
    await services.db.close();
  }
});

test("every sealed column is in the list that is rotated", async () => {
  const { url } = await cloneDatabase();
  const columns = await query(
    url,
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed'
        and table_name not in (select inhrelid::regclass::text from pg_inherits) order by 1`,
  );
  assert.deepEqual(
    SEALED_COLUMNS.map(({ column }) => column).toSorted(),
    columns.map(({ name }) => name),
  );
});

test("without DATABASE_URL the embedded database is started for the command and stopped after it", async (t) => {
  const dataDir = await temporaryFolder(t);
  const env = { DATA_DIR: dataDir };
  const made = await tefo(env, "org", "create", "--name", "E", "--slug", "embedded", "--plan", "starter", "--json");
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, /^Creating the database in /);
  assert.equal(made.json<Created>().organisation.slug, "embedded");
  assert.equal(await findEmbeddedPostgres(dataDir), null);
  assert.equal((await stat(join(dataDir, "secret.key"))).mode & 0o777, 0o600);
  const list = await Promise.all([1, 2, 3].map(() => tefo(env, "org", "list", "--json")));
  for (const { code, out, err } of list) assert.deepEqual([code, JSON.parse(out).data.length, err], [0, 1, ""]);
  assert.equal(await findEmbeddedPostgres(dataDir), null);
  await rm(join(dataDir, "secret.key"));
  const keyless = await tefo(env, "org", "list");
  assert.equal(keyless.code, 1);
  assert.match(keyless.err, /secret\.key is missing: what was encrypted with it cannot be read/);
});
