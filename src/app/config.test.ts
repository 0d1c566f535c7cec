import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { type Config, readConfig } from "./config.ts";

const DATABASE = { DATABASE_URL: "postgres://me@db.example/tefo", SECRET_KEY: "k" };

type Environment = Record<string, string>;
const ACCEPTED: [string, Environment, Partial<Config>][] = [
  [
    "nothing set",
    {},
    {
      port: 8080,
      host: "127.0.0.1",
      baseUrl: "http://localhost:8080",
      databaseUrl: null,
      databaseReplicaUrl: null,
      checkLocks: "warn",
      dataDir: resolve(".data"),
      process: "all",
      secretKey: null,
      previousSecretKeys: [],
      smtpUrl: null,
      trustedProxies: 0,
      ipRateLimit: 600,
      demo: true,
      logLevel: "info",
      tracesEndpoint: null,
    },
  ],
  ["a port moves the base URL", { PORT: "9000" }, { port: 9000, baseUrl: "http://localhost:9000" }],
  [
    "a base URL stays, less its slash",
    { PORT: "9000", BASE_URL: "https://pay.example/" },
    { baseUrl: "https://pay.example" },
  ],
  [
    "spaces and empty text are nothing",
    { PORT: " ", SMTP_URL: "", HOST: " 0.0.0.0 " },
    { port: 8080, smtpUrl: null, host: "0.0.0.0" },
  ],
  ["locks checked", { CHECK_LOCKS: "fail" }, { checkLocks: "fail" }],
  ["a server of its own, where locks are not checked", DATABASE, { checkLocks: "off" }],
  [
    "a read replica",
    { ...DATABASE, DATABASE_REPLICA_URL: "postgresql://me@replica.example/tefo" },
    { databaseReplicaUrl: "postgresql://me@replica.example/tefo" },
  ],
  ["previous keys", { SECRET_KEY_PREVIOUS: "a, b,," }, { previousSecretKeys: ["a", "b"] }],
  ["a gateway's stand-in, and one that is not set", { GATEWAY_URL_OZOW: "http://[::1]:9", GATEWAY_URL_YOCO: "" }, {}],
  ["daily backups", { BACKUP_DIR: "/backups" }, { backupDir: "/backups" }],
  ["daily backups to a bucket", { BACKUP_DIR: "s3://my-bucket/tefo" }, { backupDir: "s3://my-bucket/tefo" }],
  ["no demo", { DEMO: "0" }, { demo: false }],
  ["webhooks to this machine, on one machine", {}, { loopbackWebhooks: true }],
  ["none where others reach it", { BASE_URL: "https://pay.example" }, { loopbackWebhooks: false }],
  ["none beside a database of its own", DATABASE, { loopbackWebhooks: false }],
  ["webhooks to this machine by choice", { ...DATABASE, LOOPBACK_WEBHOOKS: "1" }, { loopbackWebhooks: true }],
  ["none by choice", { LOOPBACK_WEBHOOKS: "0" }, { loopbackWebhooks: false }],
  [
    "a process of its own",
    { PROCESS: "worker", ...DATABASE },
    { process: "worker", databaseUrl: DATABASE.DATABASE_URL },
  ],
];
for (const [name, environment, expected] of ACCEPTED)
  test(`configuration: ${name}`, () => {
    const config = readConfig(environment);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(config[key as keyof Config], value, key);
  });

const REFUSED: [string, Environment, RegExp][] = [
  ["a port that is no number", { PORT: "http" }, /^PORT must be a whole number from 0 to 65535\.$/],
  ["backups of a database of one's own", { ...DATABASE, BACKUP_DIR: "/b" }, /^BACKUP_DIR is for the embedded/],
  [
    "a bucket without a name",
    { BACKUP_DIR: "s3:///tefo" },
    /^BACKUP_DIR must be the path of a folder, or look like s3:/,
  ],
  ["a port beyond the last", { PORT: "65536" }, /^PORT must/],
  ["a base URL without a scheme", { BASE_URL: "pay.example" }, /^BASE_URL must be an http or https URL/],
  ...[
    "https://",
    "https:///pay",
    "https://a b",
    "https://pay.example/shop",
    "https://pay.example?a=b",
    "https://pay.example#a",
  ].map((url): [string, Environment, RegExp] => [`the base URL ${url}`, { BASE_URL: url }, /^BASE_URL must be/]),
  ["a base URL with a password", { BASE_URL: "https://me:pw@pay.example" }, /^BASE_URL must be/],
  ["another database", { DATABASE_URL: "mysql://x", SECRET_KEY: "k" }, /^DATABASE_URL must look like postgres:/],
  ["a database whose password ends its URL", { DATABASE_URL: "postgres://me:a/b@db/tefo" }, /^DATABASE_URL must look/],
  [
    "a replica of nothing",
    { DATABASE_REPLICA_URL: "postgres://me@r/tefo" },
    /^DATABASE_REPLICA_URL names a replica of/,
  ],
  ["a replica that is no URL", { ...DATABASE, DATABASE_REPLICA_URL: "r:5432" }, /^DATABASE_REPLICA_URL must look like/],
  ["a gateway that is no URL", { GATEWAY_URL_PAYFAST: "localhost:9000" }, /^GATEWAY_URL_PAYFAST must be an http/],
  [
    "a source that is no address",
    { GATEWAY_SOURCES_PAYFAST: "10.0.0.1, payfast.co.za" },
    /^GATEWAY_SOURCES_PAYFAST must be addr/,
  ],
  ["a database without a key", { DATABASE_URL: DATABASE.DATABASE_URL }, /^SECRET_KEY is required with DATABASE_URL/],
  [
    "a collector that is no URL",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    /^OTEL_EXPORTER_OTLP_ENDPOINT must/,
  ],
  ["an unknown process", { PROCESS: "web" }, /^PROCESS must be one of all, api, worker\.$/],
  ["a demo that is neither", { DEMO: "yes" }, /^DEMO must be one of 0, 1\.$/],
  ["webhooks to this machine that are neither", { LOOPBACK_WEBHOOKS: "no" }, /^LOOPBACK_WEBHOOKS must be one of 0, 1/],
  ["proxies below none", { TRUSTED_PROXIES: "-1" }, /^TRUSTED_PROXIES must/],
  ["no requests at all", { IP_RATE_LIMIT: "0" }, /^IP_RATE_LIMIT must/],
  ["an unknown level", { LOG_LEVEL: "loud" }, /^LOG_LEVEL must be one of/],
];
for (const [name, environment, message] of REFUSED)
  test(`configuration refuses ${name}`, () => assert.throws(() => readConfig(environment), { message }));
