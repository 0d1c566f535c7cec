import { resolve } from "node:path";
import { isSource } from "../gateways/sources.ts";
import { isBucket, isPlace, PLACE_RULE } from "./bucket-url.ts";

/** The environment of interface 11.1, parsed once. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Only for a worker: port of `/health` and `/metrics`. Null: no listener, so that it can share an api's environment. */
  readonly healthPort: number | null;
  /** {base_url}, without a slash at the end. */
  readonly baseUrl: string;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** A read replica of that database. Null: none. */
  readonly databaseReplicaUrl: string | null;
  /** What happens when a transaction locks out of order (`domain/locks.ts`): nothing, a line in the log, or its failure. */
  readonly checkLocks: "off" | "warn" | "fail";
  readonly dataDir: string;
  readonly process: "all" | "api" | "worker";
  /** Null: generated into `dataDir` (embedded only). */
  readonly secretKey: string | null;
  readonly previousSecretKeys: readonly string[];
  /** The folder or the bucket (`s3://…`) to which the embedded database is backed up each day. Null: none. */
  readonly backupDir: string | null;
  readonly smtpUrl: string | null;
  readonly trustedProxies: number;
  readonly ipRateLimit: number;
  readonly demo: boolean;
  readonly logLevel: string;
  readonly metricsToken: string | null;
  /** Whether webhooks of sandbox organisations may go to this machine itself (interface 13.3). */
  readonly loopbackWebhooks: boolean;
  /** Whether this service is run for others: organisations that people create themselves are on trial. */
  readonly plans: boolean;
  /** URL that spans are sent to by OTLP; null: none. */
  readonly tracesEndpoint: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/]/.test(text) && URL.canParse(text);

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** Where the database is, and its replica. */
function readDatabase(
  value: (name: string) => string | null,
  fail: (name: string, rule: string) => never,
): Pick<Config, "databaseUrl" | "databaseReplicaUrl"> {
  const databaseUrl = value("DATABASE_URL");
  const databaseReplicaUrl = value("DATABASE_REPLICA_URL");
  for (const [name, url] of Object.entries({ DATABASE_URL: databaseUrl, DATABASE_REPLICA_URL: databaseReplicaUrl }))
    if (url !== null && !(/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)))
      fail(
        name,
        "must look like postgres://user:password@host:5432/database, with / @ # and the like in the password percent-encoded",
      );
  if (databaseReplicaUrl !== null && databaseUrl === null)
    fail("DATABASE_REPLICA_URL", "names a replica of the database in DATABASE_URL, which is not set");
  return { databaseUrl, databaseReplicaUrl };
}

/** Throws an Error that names the variable and says what it must be. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const value = (name: string): string | null => environment[name]?.trim() || null;
  const fail = (name: string, rule: string): never => {
    throw new Error(`${name} ${rule}.`);
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const text = value(name);
    if (text === null) return fallback;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : fail(name, `must be a whole number from ${min} to ${max}`);
  };
  const oneOf = <T extends string>(name: string, choices: readonly T[], fallback: T): T => {
    const text = value(name) ?? fallback;
    return choices.find((choice) => choice === text) ?? fail(name, `must be one of ${choices.join(", ")}`);
  };
  const port = whole("PORT", 8080, 0, 65_535);
  const baseUrl = (value("BASE_URL") ?? `http://localhost:${port}`).replace(/\/+$/, "");
  if (!isHttpUrl(baseUrl) || !/^\w+:\/\/[^/\\?#@]+$/.test(baseUrl))
    fail("BASE_URL", "must be an http or https URL with nothing behind its host and port, such as https://pay.example");
  const { databaseUrl, databaseReplicaUrl } = readDatabase(value, fail);
  const backupDir = value("BACKUP_DIR");
  if (backupDir !== null && !isPlace(backupDir)) fail("BACKUP_DIR", PLACE_RULE);
  if (databaseUrl !== null && backupDir !== null)
    fail("BACKUP_DIR", "is for the embedded database: a PostgreSQL of your own is backed up by its own means");
  const secretKey = value("SECRET_KEY");
  const tracesEndpoint = value("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (tracesEndpoint !== null && !isHttpUrl(tracesEndpoint))
    fail("OTEL_EXPORTER_OTLP_ENDPOINT", "must be the http or https URL of a collector");
  if (databaseUrl !== null && secretKey === null)
    fail("SECRET_KEY", "is required with DATABASE_URL: 32 bytes in base64, for example from `openssl rand -base64 32`");
  for (const name of Object.keys(environment))
    if (name.startsWith("GATEWAY_URL_") && !isHttpUrl(value(name) ?? "http://unset"))
      fail(name, "must be an http or https URL");
  for (const name of Object.keys(environment))
    if (name.startsWith("GATEWAY_SOURCES_") && !(value(name) ?? "any").split(",").every((one) => isSource(one.trim())))
      fail(name, "must be addresses and ranges with commas between them, such as 197.97.145.144/28, or any");
  return {
    port,
    host: value("HOST") ?? "127.0.0.1",
    healthPort: value("HEALTH_PORT") === null ? null : whole("HEALTH_PORT", 0, 1, 65_535),
    baseUrl,
    databaseUrl,
    databaseReplicaUrl,
    checkLocks: oneOf("CHECK_LOCKS", ["off", "warn", "fail"], databaseUrl === null ? "warn" : "off"),
    dataDir: resolve(value("DATA_DIR") ?? ".data"),
    process: oneOf("PROCESS", ["all", "api", "worker"], "all"),
    secretKey,
    previousSecretKeys: (value("SECRET_KEY_PREVIOUS") ?? "")
      .split(",")
      .map((key) => key.trim())
      .filter(Boolean),
    backupDir: backupDir === null || isBucket(backupDir) ? backupDir : resolve(backupDir),
    smtpUrl: value("SMTP_URL"),
    trustedProxies: whole("TRUSTED_PROXIES", 0, 0, 20),
    ipRateLimit: whole("IP_RATE_LIMIT", 600, 1, 100_000_000),
    demo: oneOf("DEMO", ["0", "1"], "1") === "1",
    logLevel: oneOf("LOG_LEVEL", LOG_LEVELS, "info"),
    metricsToken: value("METRICS_TOKEN"),
    // Whoever founds a sandbox organisation sees what answers there, so on a server that others reach the operator decides.
    plans: oneOf("PLANS", ["off", "on"], "off") === "on",
    loopbackWebhooks:
      oneOf("LOOPBACK_WEBHOOKS", ["0", "1"], databaseUrl === null && baseUrl.startsWith("http:") ? "1" : "0") === "1",
    tracesEndpoint,
    environment,
  };
}
