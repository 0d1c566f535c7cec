import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { contextFor, SYSTEM } from "../src/flows/context.ts";
import { createGatewayAccount } from "../src/flows/gateways/save-account.ts";
import { createOrganisation } from "../src/flows/organisations/create-organisation.ts";
import { changeOrganisation } from "../src/flows/organisations/update-organisation.ts";
import { openDatabase } from "../src/platform/database.ts";
import { startEmbeddedPostgres } from "../src/platform/embedded-postgres.ts";
import { Extensions } from "../src/platform/extension-point.ts";
import { machineNow } from "../src/platform/machine-clock.ts";
import { migrate } from "../src/platform/migrations.ts";
import { newId } from "../src/platform/new-id.ts";
import { createSecrets, generateMasterKey } from "../src/platform/secrets.ts";
import { asSuperuser } from "../test/support/postgres.ts";
import {
  apiKey,
  LINKS_WHEN_EMPTY,
  ORGANISATIONS,
  organisationId,
  slug,
  sqlLinkId,
  sqlOrganisationId,
} from "./names.ts";

/** A PostgreSQL of its own in a temporary folder, with the service's own settings: a commit is on disk before it is answered. */
export interface BenchServer {
  /** SECRET_KEY of every process that uses it. */
  readonly secretKey: string;
  readonly version: string;
  /** The URL of a database of this name, made on first use: migrated, with the organisations and their first links. */
  database(name: string): Promise<string>;
  /** The URL of a new, empty database. */
  emptyDatabase(name: string): Promise<string>;
  /** Adds to each organisation the links numbered `from` to `to - 1`, with their audit rows, and vacuums. */
  fill(url: string, from: number, to: number): Promise<void>;
  /** The rows of a statement, as superuser. */
  query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]>;
  /** Stops PostgreSQL and removes everything. */
  stop(): Promise<void>;
}

/** Statements are counted where a measurement asks for it, because the count itself takes time. */
const SETTINGS = { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track": "none" };
const CONNECTIONS = 8;
/** Requests a minute: high enough that the limit is never reached. */
const NO_LIMIT = 100_000_000;

export async function openBenchServer(): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "tefo-bench-"));
  const secretKey = generateMasterKey();
  const superuserPassword = randomBytes(24).toString("hex");
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, superuserPassword, settings: SETTINGS });
  const superuserUrl = asSuperuser(server.url, superuserPassword);
  const urls = new Map<string, Promise<string>>();
  const [about] = await query<{ version: string }>(superuserUrl, "select current_setting('server_version') as version");
  return {
    secretKey,
    version: about?.version ?? "",
    database(name) {
      const known = urls.get(name) ?? make(superuserUrl, name, secretKey);
      urls.set(name, known);
      return known;
    },
    emptyDatabase: (name) => create(superuserUrl, name),
    fill,
    query,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function create(serverUrl: string, name: string): Promise<string> {
  const url = new URL(serverUrl);
  if (url.pathname !== `/${name}`) await query(serverUrl, `create database ${name}`);
  url.pathname = `/${name}`;
  return url.href;
}

async function make(serverUrl: string, name: string, secretKey: string): Promise<string> {
  const url = await create(serverUrl, name);
  await migrate(url);
  await makeOrganisations(url, secretKey);
  await fill(url, 0, LINKS_WHEN_EMPTY);
  return url;
}

/** Creates the organisations by the flows, so that rows are as the service writes them. */
async function makeOrganisations(url: string, secretKey: string): Promise<void> {
  const services = {
    db: openDatabase(url, { connections: CONNECTIONS }),
    secrets: createSecrets({ current: secretKey, previous: [] }),
  };
  let made = 0;
  const work = async () => {
    while (made < ORGANISATIONS) {
      const number = ++made;
      const order = {
        id: organisationId(number),
        slug: slug(number),
        name: `Bench ${number}`,
        plan: "enterprise",
        sandbox: true,
        trialDays: 30,
        owner: { id: `bench-${number}`, email: `owner-${number}@bench.example`, name: "Owner" },
        apiKey: apiKey(number),
      } as const;
      await createOrganisation(services, { actor: SYSTEM, now: machineNow() }, order, async (tx, organisation) => {
        await createGatewayAccount(
          tx,
          contextFor(
            {
              ...services,
              baseUrl: "http://localhost",
              mailEnabled: false,
              loopbackWebhooks: true,
              extensions: new Extensions([]),
            },
            organisation,
            SYSTEM,
          ),
          { type: "sandbox" },
        );
        await changeOrganisation(tx, SYSTEM, { status: "active", rateLimit: NO_LIMIT });
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  } finally {
    await services.db.close();
  }
}

async function fill(url: string, from: number, to: number): Promise<void> {
  const numbers = `generate_series(${from}, ${to - 1}) link, generate_series(1, ${ORGANISATIONS}) org`;
  const [organisation, link] = [sqlOrganisationId("org"), sqlLinkId("org", "link")];
  const aud = newId("aud").slice(0, 14);
  await query(
    url,
    `insert into payment_links (organisation_id, id, title, amount_cents, currency, external_reference, metadata, single_use, created_at)
     select ${organisation}, ${link}, 'Order ' || link, 14950, 'ZAR', 'order-' || link, '{"cart":"abc"}', true, now() from ${numbers};
     insert into audit_log (organisation_id, id, at, actor_kind, actor_id, ip, request_id, action, subject, after)
     select ${organisation}, '${aud}' || lpad((link::bigint * ${ORGANISATIONS} + org)::text, 16, '0'), now(), 'key', 'key_' || repeat('0', 26),
       '127.0.0.1', 'req_' || repeat('0', 26), 'POST /payment-links', ${link}, jsonb_build_object('id', ${link}, 'title', 'Order ' || link,
       'amount', 149.5, 'currency', 'ZAR', 'metadata', '{"cart":"abc"}'::jsonb, 'singleUse', true, 'active', true) from ${numbers};`,
  );
  // Only the filled tables: a table with statistics of zero rows gets plans that scan it, and these are kept while it grows.
  await query(url, "vacuum analyze organisations, api_keys, gateway_accounts, payment_links, audit_log");
  await query(url, "checkpoint");
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo bench" });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A random text for a unique slug or e-mail address. */
export const unique = (): string => randomBytes(6).toString("hex");
