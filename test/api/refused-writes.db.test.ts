import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, type Credentials, openApi, refusal, type StaffCall, type TestApi } from "../support/api.ts";

/* A database that takes no writes: a standby, one that an operator has made read-only, one whose disk is full. */

let api: TestApi;
let shop: ApiMerchant;
let person: Credentials;
let staff: StaffCall;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  person = await shop.addStaff();
  staff = await shop.signIn();
});
after(() => api.close());

const database = () => new URL(api.databaseUrl).pathname.slice(1);
/**
 * Connections are made anew, as a switch to a standby makes them: until the process has noticed, each request may meet
 * one that was lost.
 */
async function endConnections(): Promise<void> {
  await api.query(
    `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = $1 and application_name in ('tefo', 'tefo identity')`,
    database(),
  );
  for (let tries = 0; tries < 40; tries++) {
    const [[, , reasons], { status }] = await Promise.all([readiness(), staff("GET", "/customers")]);
    if (status === 200 && JSON.stringify(reasons) !== '["the database does not answer"]') return;
  }
}
const readiness = async (): Promise<[number, unknown, readonly string[] | undefined]> => {
  const { status, headers, body } = await api.call<{ reasons?: string[] }>("GET", "/health/ready");
  return [status, headers["retry-after"], body.reasons];
};
const READY = [200, undefined, undefined];
const NOT_READY = [503, "2", ["the database takes no writes"]];
const customer = (email: string) => shop.post("/customers", { email, firstName: "Thandi" });

describe("a read-only database", () => {
  before(async () => {
    await api.query(`alter database ${database()} set default_transaction_read_only = on`);
    await endConnections();
  });
  after(async () => {
    await api.query(
      `begin; set transaction read write; alter database ${database()} reset default_transaction_read_only; commit`,
    );
    await endConnections();
  });

  test("answers 503 with Retry-After to clients and staff, and is not ready", async () => {
    const answers = [
      await customer("one@example.com"),
      await staff("PATCH", "/settings", { dueDays: 3 }),
      await api.call("POST", "/dashboard/api/auth/sign-in/email", { body: person }),
    ];
    for (const answer of answers) {
      assert.deepEqual([refusal(answer as never), answer.headers["retry-after"]], [[503, "service_unavailable"], "2"]);
    }
    assert.equal((await staff("GET", "/customers")).status, 200, "staff can read");
    assert.deepEqual(await readiness(), NOT_READY);
  });
});

describe("a full disk", () => {
  test("is 503, and not ready until a write succeeds", async () => {
    assert.deepEqual(await readiness(), READY);
    await api.query(`create function disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await api.query("create trigger full_disk before insert on customers for each row execute function disk_full()");
    await api.query(`revoke temporary on database ${database()} from public`);
    const answer = await customer("two@example.com");
    assert.deepEqual([refusal(answer as never), answer.headers["retry-after"]], [[503, "service_unavailable"], "2"]);
    assert.deepEqual(await readiness(), NOT_READY);
    await api.query("drop trigger full_disk on customers");
    await api.query(`grant temporary on database ${database()} to public`);
    assert.deepEqual(await readiness(), READY);
    assert.equal((await customer("two@example.com")).status, 201);
  });
});
