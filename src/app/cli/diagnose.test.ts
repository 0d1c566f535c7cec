import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import type { ReplicaFacts } from "../../platform/server-facts.ts";
import { diagnose, type Finding, type InstallationFacts } from "./diagnose.ts";

const NOW = instant("2026-11-29T12:00:00Z");
const backedUp = (at: string) => ({ ok: true, told: instant(at) }) as const;
const WELL: InstallationFacts = {
  config: {
    baseUrl: "https://pay.example",
    databaseUrl: null,
    dataDir: "/srv/tefo",
    backupDir: "/backups",
    smtpUrl: "smtp://mail.example",
    trustedProxies: 1,
    demo: false,
    plans: false,
  },
  now: NOW,
  server: {
    version: 180_004,
    durability: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" },
    connections: { max: 200, used: 21 },
    isSuperuser: false,
    now: NOW,
  },
  replica: { ok: true, told: { follows: true, isCopy: true, behindBytes: 0 } },
  disk: { free: 50e9, total: 100e9 },
  mail: { ok: true, told: undefined },
  address: { ok: true, told: undefined },
  certificateUntil: instant("2027-02-01T00:00:00Z"),
  lastBackup: backedUp("2026-11-29T02:00:00Z"),
  lastVerify: { endedAt: instant("2026-11-29T03:00:00Z"), faults: 0 },
  work: { oldestDue: null, failed: 0 },
  endpointsDisabled: 0,
  gatewaysDown: 0,
};
const config = (change: Partial<InstallationFacts["config"]>) => ({ config: { ...WELL.config, ...change } });
const server = (change: Partial<InstallationFacts["server"]>) => ({ server: { ...WELL.server, ...change } });

test("a sound installation has nothing to mend", () => {
  const findings = diagnose(WELL);
  assert.deepEqual(
    findings.filter(({ status }) => status !== "ok"),
    [],
  );
  assert.deepEqual(
    findings.map(({ check }) => check),
    [
      "configuration",
      "database",
      "replica",
      "clock",
      "disk",
      "backups",
      "verify",
      "mail",
      "address",
      "certificate",
      "work",
      "organisations",
    ],
  );
});

const replica = (change: Partial<ReplicaFacts>) => ({
  replica: { ok: true, told: { follows: true, isCopy: true, behindBytes: 0, ...change } } as const,
});

const ROWS: [
  what: string,
  change: Partial<InstallationFacts>,
  check: string,
  status: Finding["status"] | "absent",
  message: RegExp,
][] = [
  ["plain http on a host", config({ baseUrl: "http://pay.example" }), "configuration", "failure", /is not https/],
  ["plain http on this machine", config({ baseUrl: "http://localhost:8080" }), "configuration", "ok", /./],
  ["https without a proxy", config({ trustedProxies: 0 }), "configuration", "warning", /TRUSTED_PROXIES is 0/],
  ["a demo on a host", config({ demo: true }), "configuration", "warning", /demo/],
  ["a demo on this machine", config({ demo: true, baseUrl: "http://localhost:1" }), "configuration", "ok", /./],
  ["no replica", { replica: null }, "replica", "absent", /./],
  ["a replica that is away", { replica: { ok: false, error: "ECONNREFUSED" } }, "replica", "warning", /ECONNREFUSED/],
  ["a replica that was promoted", replica({ follows: false }), "replica", "warning", /follows no primary/],
  ["a replica of another database", replica({ isCopy: false }), "replica", "failure", /another database/],
  ["a replica that is late", replica({ behindBytes: 17e6 }), "replica", "warning", /17 MB of changes behind/],
  ["a replica that is nearly there", replica({ behindBytes: 1e6 }), "replica", "ok", /1 MB/],
  ["an old PostgreSQL", server({ version: 140_011 }), "database", "failure", /14\.11 is too old/],
  [
    "no fsync",
    server({ durability: { ...WELL.server.durability, fsync: "off" } }),
    "database",
    "failure",
    /^fsync is off/,
  ],
  [
    "commits that do not wait",
    server({ durability: { ...WELL.server.durability, synchronous_commit: "off" } }),
    "database",
    "failure",
    /^synchronous_commit is off/,
  ],
  ["few connections left", server({ connections: { max: 100, used: 80 } }), "database", "warning", /80 of 100/],
  ["just enough of them", server({ connections: { max: 100, used: 79 } }), "database", "ok", /79 of 100/],
  ["a superuser", server({ isSuperuser: true }), "database", "warning", /superuser/],
  ["clocks 2 s apart", server({ now: instant("2026-11-29T12:00:02Z") }), "clock", "ok", /2000 ms/],
  ["clocks 3 s apart", server({ now: instant("2026-11-29T11:59:57Z") }), "clock", "warning", /3000 ms/],
  ["clocks 31 s apart", server({ now: instant("2026-11-29T12:00:31Z") }), "clock", "failure", /31000 ms/],
  ["a disk that fills", { disk: { free: 4e9, total: 9e10 } }, "disk", "warning", /4 of 90 GB/],
  ["a full disk", { disk: { free: 9e8, total: 9e10 } }, "disk", "failure", /0 of 90 GB/],
  ["a disk of others", { disk: null }, "disk", "absent", /./],
  [
    "no backups wished",
    { ...config({ backupDir: null }), lastBackup: null },
    "backups",
    "warning",
    /BACKUP_DIR is not set/,
  ],
  ["a bucket that refuses", { lastBackup: { ok: false, error: "403" } }, "backups", "failure", /cannot be read: 403/],
  ["no backup made", { lastBackup: { ok: true, told: null } }, "backups", "failure", /holds no backup/],
  ["an old backup", { lastBackup: backedUp("2026-11-27T11:00:00Z") }, "backups", "failure", /49 hours old/],
  ["a backup of two days", { lastBackup: backedUp("2026-11-27T12:00:00Z") }, "backups", "ok", /48 hours old/],
  ["a database of one's own", config({ databaseUrl: "postgres://db/tefo" }), "backups", "absent", /./],
  ["books never verified", { lastVerify: null }, "verify", "warning", /never verified/],
  [
    "books that differ",
    { lastVerify: { endedAt: instant("2026-11-29T03:00:00Z"), faults: 2 } },
    "verify",
    "failure",
    /0 days ago, found 2 faults/,
  ],
  [
    "books verified a week ago",
    { lastVerify: { endedAt: instant("2026-11-22T11:00:00Z"), faults: 0 } },
    "verify",
    "ok",
    /7 days/,
  ],
  [
    "books verified long ago",
    { lastVerify: { endedAt: instant("2026-11-21T11:00:00Z"), faults: 0 } },
    "verify",
    "warning",
    /8 days/,
  ],
  ["no mail", { ...config({ smtpUrl: null }), mail: null }, "mail", "warning", /not sent/],
  ["a mail server that refuses", { mail: { ok: false, error: "535 no" } }, "mail", "failure", /535 no/],
  ["nothing at BASE_URL", { address: { ok: false, error: "refused" } }, "address", "warning", /refused/],
  [
    "a certificate that ends",
    { certificateUntil: instant("2026-12-20T11:00:00Z") },
    "certificate",
    "warning",
    /20 days/,
  ],
  ["no certificate", { certificateUntil: null }, "certificate", "absent", /./],
  ["work that failed", { work: { oldestDue: null, failed: 1 } }, "work", "failure", /^1 piece of/],
  ["late work", { work: { oldestDue: instant("2026-11-29T11:49:00Z"), failed: 0 } }, "work", "failure", /11 minutes/],
  ["work in time", { work: { oldestDue: instant("2026-11-29T11:50:00Z"), failed: 0 } }, "work", "ok", /up to date/],
  ["a webhook endpoint off", { endpointsDisabled: 1 }, "webhooks", "warning", /^1 webhook endpoint /],
  ["gateways down", { gatewaysDown: 2 }, "gateways", "warning", /^2 gateways /],
];
for (const [what, change, check, status, message] of ROWS)
  test(`${what}: ${check} ${status}`, () => {
    const found = diagnose({ ...WELL, ...change }).filter((finding) => finding.check === check);
    if (status === "absent") return assert.deepEqual(found, []);
    assert.equal(found.length, 1);
    assert.equal(found[0]?.status, status);
    assert.match(String(found[0]?.message), message);
    assert.equal(found[0]?.advice === null, status === "ok", "advice stands where something is to be done");
  });
