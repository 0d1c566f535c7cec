import { statfs } from "node:fs/promises";
import { connect } from "node:tls";
import { realTime } from "../../flows/context.ts";
import { calendarDay, type Instant, instant, startOfDay } from "../../kernel/time.ts";
import { allOrganisations } from "../../modules/organisations/store.ts";
import { tasksOf } from "../../modules/overview/store.ts";
import type { Database } from "../../platform/database.ts";
import { workSummary } from "../../platform/due-work.ts";
import { lastResults } from "../../platform/last-results.ts";
import { createMailer } from "../../platform/mailer.ts";
import { readReplicaFacts, readServerFacts } from "../../platform/server-facts.ts";
import { backupPlace } from "../backup-place.ts";
import { lastBackup } from "../backups.ts";
import type { Config } from "../config.ts";
import { columns, type Run } from "./command.ts";
import { answer, withDatabase } from "./database.ts";
import { type Answer, diagnose, type Finding, type InstallationFacts } from "./diagnose.ts";

const ANSWER_MS = 5_000;

const SIGN: Readonly<Record<Finding["status"], string>> = { ok: "ok", warning: "WARNING", failure: "FAILURE" };

/** `doctor`: `{findings: [{check, status, message, advice}], ok}`; exit code 1 when there is a failure. */
export const doctor: Run = (call) =>
  withDatabase(call, async ({ config, db }) => {
    const findings = diagnose(await examine(config, db));
    const ok = findings.every(({ status }) => status !== "failure");
    const rows = findings.flatMap(({ check, status, message, advice }) => [
      [SIGN[status], check, message],
      ...(advice === null ? [] : [["", "", `  ${advice}`]]),
    ]);
    await answer(call, { findings, ok }, columns(rows));
    return ok ? 0 : 1;
  });

/** Looks at an installation: asks the database, the disk, the mail server, and the service at its own address. Changes nothing. */
async function examine(config: Config, db: Database): Promise<InstallationFacts> {
  const { databaseReplicaUrl: replicaUrl, backupDir } = config;
  const [server, now, replica, disk, mail, address, certificateUntil, backup, results, work, tasks] = await Promise.all(
    [
      readServerFacts(db),
      realTime(),
      replicaUrl === null ? null : answered(() => readReplicaFacts(db, replicaUrl)),
      config.databaseUrl === null ? spaceOf(config.dataDir) : null,
      config.smtpUrl === null ? null : answered(() => signsIn(config.smtpUrl)),
      answered(() => isService(config.baseUrl)),
      certificateEnd(config.baseUrl),
      backupDir === null ? null : answered(() => lastBackup(backupPlace(backupDir, config.environment))),
      lastResults(db),
      workSummary(db),
      tasksOfAll(db),
    ],
  );
  const oldestDue = work
    .flatMap((kind) => kind.oldestDue ?? [])
    .reduce<Instant | null>((oldest, due) => (oldest === null || due < oldest ? due : oldest), null);
  return {
    config,
    now,
    server,
    replica,
    disk,
    mail,
    address,
    certificateUntil,
    lastBackup: backup,
    lastVerify: results.find(({ kind }) => kind === "verify") ?? null,
    work: { oldestDue, failed: work.reduce((sum, { failed }) => sum + failed, 0) },
    ...tasks,
  };
}

async function spaceOf(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

async function answered<T>(ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, told: await ask() };
  } catch (error) {
    const { message, cause } = error as Error;
    return { ok: false, error: cause instanceof Error && cause.message ? cause.message : message };
  }
}

async function signsIn(smtpUrl: string | null): Promise<void> {
  const mailer = createMailer(smtpUrl);
  try {
    await mailer.verify();
  } finally {
    mailer.close();
  }
}

async function isService(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" });
  if (!answer.ok) throw new Error(`it answers ${answer.status}`);
}

/** Null without TLS, and when no certificate is shown. One that browsers refuse has an end too. */
function certificateEnd(baseUrl: string): Promise<Instant | null> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "https:") return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: port === "" ? 443 : Number(port),
      servername: hostname,
      rejectUnauthorized: false,
      timeout: ANSWER_MS,
    });
    const end = (until: Instant | null) => {
      socket.destroy();
      resolve(until);
    };
    socket.on("secureConnect", () => end(instant(socket.getPeerCertificate().valid_to)));
    socket.on("error", () => end(null));
    socket.on("timeout", () => end(null));
  });
}

async function tasksOfAll(db: Database): Promise<Pick<InstallationFacts, "endpointsDisabled" | "gatewaysDown">> {
  const counts = { endpoints_disabled: 0, gateways_down: 0 };
  const machineNow = realTime();
  for (const { id } of await allOrganisations(db)) {
    const tasks = await db.read(id, (tx) => tasksOf(tx, { from: startOfDay(calendarDay(machineNow)), machineNow }));
    for (const { kind, count } of tasks) if (kind in counts) counts[kind as keyof typeof counts] += count;
  }
  return { endpointsDisabled: counts.endpoints_disabled, gatewaysDown: counts.gateways_down };
}
