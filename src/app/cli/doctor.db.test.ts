import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { tefo } from "../../../test/support/processes.ts";
import { generateMasterKey } from "../../platform/secrets.ts";
import type { Finding } from "./diagnose.ts";

interface Told {
  readonly findings: readonly Finding[];
  readonly ok: boolean;
}

test("doctor looks at what is there: the database, a mail server that refuses, a service that does not answer", async () => {
  const { url } = await cloneDatabase();
  const env = { DATABASE_URL: url, SECRET_KEY: generateMasterKey(), BASE_URL: "http://localhost:1" };
  const told = await tefo(env, "doctor", "--json");
  const { findings, ok } = told.json<Told>();
  // The server of the tests is fast, not safe; and there may be nothing else.
  const failed = findings.filter((finding) => finding.status === "failure" && finding.check !== "database");
  assert.deepEqual(failed, []);
  assert.equal(told.code, ok ? 0 : 1);
  const status = (check: string) => findings.find((finding) => finding.check === check)?.status;
  assert.deepEqual([status("clock"), status("work")], ["ok", "ok"], told.out);
  assert.deepEqual([status("mail"), status("address"), status("backups")], ["warning", "warning", undefined]);

  const refused = await tefo({ ...env, SMTP_URL: "smtp://127.0.0.1:1" }, "doctor");
  assert.equal(refused.code, 1);
  assert.match(refused.out, /FAILURE +mail +the mail server refuses: .*ECONNREFUSED.*\n +Check SMTP_URL/);
});
