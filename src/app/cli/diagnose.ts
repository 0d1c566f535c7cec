import { counted } from "../../kernel/text.ts";
import { DAY_SECONDS, type Instant, secondsBetween } from "../../kernel/time.ts";
import type { ReplicaFacts, ServerFacts } from "../../platform/server-facts.ts";
import type { Config } from "../config.ts";

/** What an installation looks like from inside. */
export interface InstallationFacts {
  readonly config: Pick<
    Config,
    "baseUrl" | "databaseUrl" | "dataDir" | "backupDir" | "smtpUrl" | "trustedProxies" | "demo" | "plans"
  >;
  /** Of this machine, read beside that of PostgreSQL. */
  readonly now: Instant;
  readonly server: ServerFacts;
  /** Of DATABASE_REPLICA_URL; null: none is set. */
  readonly replica: Answer<ReplicaFacts> | null;
  /** Of the disk that DATA_DIR is on, in bytes; null with a database of one's own. */
  readonly disk: { readonly free: number; readonly total: number } | null;
  /** Null: mail is not sent. */
  readonly mail: Answer<void> | null;
  /** The service at BASE_URL. */
  readonly address: Answer<void>;
  /** When the certificate of BASE_URL ends; null without TLS, or when nothing answers. */
  readonly certificateUntil: Instant | null;
  /** When the last backup at BACKUP_DIR was made, null when there is none; null without BACKUP_DIR. */
  readonly lastBackup: Answer<Instant | null> | null;
  /** The last whole `verify`; null when it never ran. */
  readonly lastVerify: { readonly endedAt: Instant; readonly faults: number } | null;
  readonly work: { readonly oldestDue: Instant | null; readonly failed: number };
  /** Over all organisations. */
  readonly endpointsDisabled: number;
  readonly gatewaysDown: number;
}

/** What something told when it was asked, or why it did not answer. */
export type Answer<T> = { readonly ok: true; readonly told: T } | { readonly ok: false; readonly error: string };

/** One thing that was looked at. `advice` says what to do; null when all is well. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  readonly advice: string | null;
}

const [MIN_VERSION, GB] = [150_000, 1e9];
const CONNECTIONS_A_PROCESS = 21;
const BEHIND_BYTES = 16e6;
const [DRIFT_WARNING_MS, DRIFT_FAILURE_MS] = [2_000, 30_000];
const [LATE_SECONDS, CERTIFICATE_DAYS, VERIFY_DAYS] = [600, 21, 7];

const ok = (check: string, message: string): Finding => ({ check, status: "ok", message, advice: null });
const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
});
const failure = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "failure",
  message,
  advice,
});

/** What is well and what is not, with what to do, in the order in which an operator would look. */
export const diagnose = (facts: InstallationFacts): Finding[] => [
  ...ofConfiguration(facts),
  ...ofServer(facts),
  ...ofReplica(facts),
  ofClock(facts),
  ...ofDisk(facts),
  ...ofBackups(facts),
  ofVerify(facts),
  ofMail(facts),
  ...ofAddress(facts),
  ofWork(facts),
  ...ofOrganisations(facts),
];

function ofConfiguration({ config: { baseUrl, trustedProxies, demo, plans } }: InstallationFacts): Finding[] {
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(baseUrl);
  const found: Finding[] = [];
  if (baseUrl.startsWith("http:") && !isLocal)
    found.push(
      failure(
        "configuration",
        `BASE_URL ${baseUrl} is not https: passwords, keys and pay pages travel unprotected`,
        "Put a proxy with TLS in front, and set BASE_URL to its https address.",
      ),
    );
  if (baseUrl.startsWith("https:") && trustedProxies === 0)
    found.push(
      warning(
        "configuration",
        "TRUSTED_PROXIES is 0: behind a proxy all callers have one address, and share its rate limits",
        "Set TRUSTED_PROXIES to the number of proxies in front; 1 for one.",
      ),
    );
  if (demo && !isLocal)
    found.push(warning("configuration", "the demo organisation is made at the first start", "Set DEMO=0."));
  if (found.length === 0) found.push(ok("configuration", `${baseUrl}, plans ${plans ? "on" : "off"}`));
  return found;
}

function ofServer({ server }: InstallationFacts): Finding[] {
  const { version, durability, connections, isSuperuser } = server;
  const name = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  const found: Finding[] = [];
  if (version < MIN_VERSION) found.push(failure("database", `${name} is too old`, "Use PostgreSQL 15 or later."));
  for (const [setting, value] of Object.entries(durability))
    if (value === "off")
      found.push(
        failure(
          "database",
          `${setting} is off: payments that were acknowledged are lost when the server crashes`,
          `Set ${setting} = on in postgresql.conf, and reload it.`,
        ),
      );
  if (connections.max - connections.used < CONNECTIONS_A_PROCESS)
    found.push(
      warning(
        "database",
        `${connections.used} of ${connections.max} connections are in use, and a process needs up to ${CONNECTIONS_A_PROCESS}`,
        "Raise max_connections, or run fewer processes.",
      ),
    );
  if (isSuperuser)
    found.push(
      warning(
        "database",
        "the role of DATABASE_URL is a superuser, which row level security does not bind",
        "Use a role that owns its database only, as the configuration page shows.",
      ),
    );
  if (found.length === 0)
    found.push(ok("database", `${name}, ${connections.used} of ${connections.max} connections in use`));
  return found;
}

function ofReplica({ replica }: InstallationFacts): Finding[] {
  if (!replica) return [];
  const primaryAnswers = "Meanwhile the primary answers all reads.";
  if (!replica.ok)
    return [
      warning("replica", `it does not answer: ${replica.error}`, `Check DATABASE_REPLICA_URL. ${primaryAnswers}`),
    ];
  const { follows, isCopy, behindBytes } = replica.told;
  if (!isCopy)
    return [
      failure(
        "replica",
        "DATABASE_REPLICA_URL leads to another database than a copy of DATABASE_URL's",
        "Set it to a standby of the primary that DATABASE_URL leads to.",
      ),
    ];
  if (!follows)
    return [
      warning(
        "replica",
        "the server of DATABASE_REPLICA_URL follows no primary",
        `Set it to a standby, which that server is no more. ${primaryAnswers}`,
      ),
    ];
  const message = `the replica is ${Math.ceil(behindBytes / 1e6)} MB of changes behind`;
  return [
    behindBytes > BEHIND_BYTES
      ? warning("replica", message, `Look at its load, its disk and its network. ${primaryAnswers}`)
      : ok("replica", message),
  ];
}

function ofClock({ now, server }: InstallationFacts): Finding {
  const drift = Math.abs(Math.round(secondsBetween(now, server.now) * 1000));
  const message = `this machine and the database differ by ${drift} ms`;
  const advice = "Run a time service (NTP) on both machines.";
  if (drift > DRIFT_FAILURE_MS) return failure("clock", message, advice);
  return drift > DRIFT_WARNING_MS ? warning("clock", message, advice) : ok("clock", message);
}

function ofDisk({ disk, config: { dataDir } }: InstallationFacts): Finding[] {
  if (!disk) return [];
  const message = `${Math.floor(disk.free / GB)} of ${Math.floor(disk.total / GB)} GB are free for ${dataDir}`;
  const advice = "Free some space, or move DATA_DIR to another disk: PostgreSQL stops when it is full.";
  if (disk.free < GB) return [failure("disk", message, advice)];
  return [disk.free < 5 * GB ? warning("disk", message, advice) : ok("disk", message)];
}

function ofBackups({ config: { databaseUrl, backupDir }, lastBackup, now }: InstallationFacts): Finding[] {
  if (databaseUrl !== null) return [];
  if (backupDir === null || lastBackup === null)
    return [
      warning(
        "backups",
        "BACKUP_DIR is not set: nothing backs the database up by itself",
        "Set BACKUP_DIR to a folder on another disk, or to a bucket.",
      ),
    ];
  if (!lastBackup.ok)
    return [
      failure(
        "backups",
        `${backupDir} cannot be read: ${lastBackup.error}`,
        "Check BACKUP_DIR, and the AWS_… variables of a bucket.",
      ),
    ];
  const hours = lastBackup.told && Math.floor(secondsBetween(lastBackup.told, now) / 3600);
  if (hours === null)
    return [failure("backups", `${backupDir} holds no backup`, "Run `tefo backup`, and read the log of the service.")];
  const message = `the last backup is ${counted(hours, "hour")} old`;
  return [
    hours > 48
      ? failure("backups", message, "Read the log of the service: each failed backup is an error in it.")
      : ok("backups", message),
  ];
}

function ofVerify({ lastVerify, now }: InstallationFacts): Finding {
  if (!lastVerify)
    return warning("verify", "the books were never verified", "Run `tefo verify` now, and by a timer each night.");
  const { endedAt, faults } = lastVerify;
  const days = Math.floor(secondsBetween(endedAt, now) / DAY_SECONDS);
  const message = `the last verify, ${counted(days, "day")} ago, found ${counted(faults, "fault")}`;
  if (faults > 0)
    return failure("verify", message, "Run `tefo verify`, and go through what it lists by the page about it.");
  return days > VERIFY_DAYS
    ? warning("verify", message, "Run `tefo verify` by a timer each night.")
    : ok("verify", message);
}

function ofMail({ mail, config: { smtpUrl } }: InstallationFacts): Finding {
  if (smtpUrl === null || mail === null)
    return warning("mail", "SMTP_URL is not set: mail is recorded, and not sent", "Set SMTP_URL to your mail server.");
  return mail.ok
    ? ok("mail", "the mail server accepts the sign-in")
    : failure("mail", `the mail server refuses: ${mail.error}`, "Check SMTP_URL: host, port, user and password.");
}

function ofAddress({ address, certificateUntil, now, config: { baseUrl } }: InstallationFacts): Finding[] {
  if (!address.ok)
    return [
      warning(
        "address",
        `the service does not answer at ${baseUrl}: ${address.error}`,
        "Start it, and check the name, the proxy and the certificate of BASE_URL.",
      ),
    ];
  const found = [ok("address", `the service answers at ${baseUrl}`)];
  if (certificateUntil === null) return found;
  const days = Math.floor(secondsBetween(now, certificateUntil) / DAY_SECONDS);
  const message = `the certificate holds for ${counted(days, "day")}`;
  const advice = "Renew it: payers' browsers refuse the pages once it has expired.";
  return [...found, days < CERTIFICATE_DAYS ? warning("certificate", message, advice) : ok("certificate", message)];
}

function ofWork({ work: { oldestDue, failed }, now }: InstallationFacts): Finding {
  const seconds = oldestDue === null ? 0 : Math.floor(secondsBetween(oldestDue, now));
  if (failed > 0)
    return failure(
      "work",
      `${counted(failed, "piece")} of background work failed and wait for a person`,
      "Run `tefo jobs`, and read their errors in the log.",
    );
  return seconds > LATE_SECONDS
    ? failure(
        "work",
        `the oldest work has been due for ${counted(Math.floor(seconds / 60), "minute")}`,
        "Run a process with PROCESS=worker or all, and read its log.",
      )
    : ok("work", "background work is up to date");
}

function ofOrganisations({ endpointsDisabled, gatewaysDown }: InstallationFacts): Finding[] {
  const found: Finding[] = [];
  if (endpointsDisabled > 0)
    found.push(
      warning(
        "webhooks",
        `${counted(endpointsDisabled, "webhook endpoint")} switched off after failing for days`,
        "Their organisations see them under Developers, Webhooks, and can replay what they missed.",
      ),
    );
  if (gatewaysDown > 0)
    found.push(
      warning(
        "gateways",
        `${counted(gatewaysDown, "gateway")} without a clear answer at present`,
        "Look at the gateway's status page, and at the way out of this network.",
      ),
    );
  return found.length > 0
    ? found
    : [ok("organisations", "no webhook endpoint is switched off, and each gateway answers")];
}
