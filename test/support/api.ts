import { randomBytes } from "node:crypto";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import pg from "pg";
import { openService, type Service } from "../../src/app/compose.ts";
import { readConfig } from "../../src/app/config.ts";
import { type Ctx, contextFor, SYSTEM } from "../../src/flows/context.ts";
import { createGatewayAccount } from "../../src/flows/gateways/save-account.ts";
import type { Services } from "../../src/flows/services.ts";
import { newApiKey, UNLIMITED } from "../../src/modules/api-keys/rules.ts";
import { insertApiKey } from "../../src/modules/api-keys/store.ts";
import type { KeyLimits } from "../../src/modules/api-keys/types.ts";
import type { GatewayAccountCreateBody } from "../../src/modules/gateway-accounts/schema.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { insertMember } from "../../src/modules/members/store.ts";
import type { RoleId } from "../../src/modules/members/types.ts";
import { findOrganisation, insertOrganisation } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Identity } from "../../src/platform/identity.ts";
import { createLog } from "../../src/platform/log.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { checkAnswer } from "./declared-answers.ts";
import { newOrganisation } from "./organisation.ts";
import { PASSWORD, PASSWORD_COST } from "./passwords.ts";

/** Parts of a request beside method and path. */
export interface Sent {
  /** Sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown;
  /** Instead of the merchant's key; null: no key. */
  readonly key?: string | null;
  /** A value replaces the default header, undefined removes it. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's address; default: a new one each time, so that tests do not share rate limits. */
  readonly from?: string;
}

/** An answer, as text and parsed. */
export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
}

/** The body of every refusal (interface 7). */
export interface Refusal {
  readonly error: string;
  readonly message: string;
  readonly issues?: readonly {
    readonly origin: string;
    readonly code: string;
    readonly path: readonly unknown[];
    readonly message: string;
  }[];
}

/** A process that serves the APIs over its own database, without the worker. */
export interface TestApi {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly services: Services;
  /** For another process over the same database: `openApi(api.environment)`. */
  readonly environment: Readonly<Record<"DATABASE_URL" | "SECRET_KEY", string>>;
  /** An organisation that may do everything, with an API key: sandbox, plan business, a very high rate limit. */
  addMerchant(facts?: Partial<Organisation>): Promise<ApiMerchant>;
  /** A request without a key; `path` from the root. */
  call<Body>(method: string, path: string, sent?: Sent): Promise<Answer<Body>>;
  /** Runs as the superuser, which sees the rows of every organisation. */
  query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** One organisation; requests are sent with its key. */
export interface ApiMerchant {
  readonly organisation: Organisation;
  readonly key: string;
  readonly keyId: string;
  /** Below `/api/v1`. */
  call<Body = Record<string, unknown>>(method: string, path: string, sent?: Sent): Promise<Answer<Body>>;
  post<Body = Record<string, unknown>>(path: string, body: unknown, sent?: Sent): Promise<Answer<Body>>;
  get<Body = Record<string, unknown>>(path: string, sent?: Sent): Promise<Answer<Body>>;
  addKey(permissions?: readonly string[], limits?: Partial<KeyLimits>): Promise<{ id: string; key: string }>;
  /** Default: the sandbox gateway in ZAR. */
  addGateway(body?: Partial<GatewayAccountCreateBody>): Promise<GatewayAccount>;
  /** A member of staff, with what they sign in with. */
  addStaff(role?: RoleId): Promise<Credentials>;
  /** A member of staff, signed in: calls below `/dashboard/api`. */
  signIn(role?: RoleId): Promise<StaffCall>;
  /** Changes columns of the organisation directly. */
  change(columns: Readonly<Record<string, unknown>>): Promise<void>;
  /** The context of the organisation, with its clock, as they are now. */
  ctx(): Promise<Ctx>;
}

/** What a member of staff signs in with. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** A call as a member of staff. */
export type StaffCall = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Sent["headers"],
) => Promise<Answer<Body>>;

/** What a process logs and answers, as it comes. */
export interface Observer {
  logged(line: string): void;
  answered(path: string, text: string): void;
}

/** Opens `app/compose.ts` on a port of its own; with an observer, which is told everything that is logged. */
export async function openApi(
  environment: Readonly<Record<string, string>> = {},
  observer?: Observer,
): Promise<TestApi> {
  const url = environment["DATABASE_URL"] ?? (await cloneDatabase()).url;
  const shared = { DATABASE_URL: url, SECRET_KEY: environment["SECRET_KEY"] ?? generateMasterKey() };
  const service = await openService(
    readConfig({
      PORT: "0",
      ...shared,
      PROCESS: "api",
      DEMO: "0",
      LOG_LEVEL: "silent",
      TRUSTED_PROXIES: "1",
      LOOPBACK_WEBHOOKS: "1",
      ...environment,
    }),
    observer
      ? createLog("trace", { write: (line) => observer.logged(line) })
      : createLog(environment["LOG_LEVEL"] ?? "silent"),
    () => {},
    { passwordCost: PASSWORD_COST },
  );
  const { services, identity } = service;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const superuser = new pg.Pool({ connectionString: url, max: 2, application_name: "tefo test" });
  superuser.on("error", () => {});
  const query = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await superuser.query<Row>(sql, values)).rows;
  const call = caller(new URL(services.baseUrl), agent, observer);
  return {
    baseUrl: services.baseUrl,
    databaseUrl: url,
    services,
    environment: shared,
    addMerchant: (facts = {}) => addMerchant({ services, identity, call, query }, facts),
    call,
    query,
    close: () => close(service, agent, superuser),
  };
}

async function close(service: Service, agent: Agent, superuser: pg.Pool): Promise<void> {
  agent.destroy();
  await service.stop();
  await superuser.end();
}

function caller(base: URL, agent: Agent, observer?: Observer): TestApi["call"] {
  return async <Body>(method: string, path: string, { body, headers = {}, key, from }: Sent = {}) => {
    // Bytes, since Node writes the headers in UTF-8 when the body is text.
    const payload =
      body === undefined || body instanceof Uint8Array
        ? body
        : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const all = {
      "x-forwarded-for": from ?? `10.${[...randomBytes(3)].join(".")}`,
      ...(typeof key === "string" ? { authorization: `Bearer ${key}` } : {}),
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(payload.byteLength) }),
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const { promise, resolve, reject } = Promise.withResolvers<Answer<Body>>();
    const outgoing = request(
      { host: "127.0.0.1", port: base.port, method, path, agent, headers: Object.fromEntries(sent) },
      (incoming) => {
        text(incoming)
          .then(async (answer) => {
            observer?.answered(path, answer);
            const [status, parsed] = [incoming.statusCode ?? 0, jsonOf(answer)];
            await checkAnswer(method, path, { status, text: answer, body: parsed });
            resolve({ status, headers: incoming.headers, text: answer, body: parsed as Body });
          })
          .catch(reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(payload);
    return promise;
  };
}

/** The parsed JSON; undefined for other answers, such as pages. */
function jsonOf(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

interface Opened extends Pick<TestApi, "services" | "call" | "query"> {
  readonly identity: Identity;
}

async function addMerchant(opened: Opened, facts: Partial<Organisation>): Promise<ApiMerchant> {
  const { services, call: send, query } = opened;
  const organisation = newOrganisation(services.secrets, { rateLimit: 1_000_000, ...facts });
  const { id } = organisation;
  await services.db.transaction(id, async (tx) => insertOrganisation(tx, organisation));
  const addKey: ApiMerchant["addKey"] = async (permissions = [], limits = {}) => {
    const { key, prefix, secretHash } = newApiKey();
    const keyId = newId("key");
    await services.db.transaction(id, async (tx) =>
      insertApiKey(
        tx,
        { ...UNLIMITED, id: keyId, prefix, name: "test", permissions, createdAt: machineNow(), ...limits },
        secretHash,
      ),
    );
    return { id: keyId, key };
  };
  const { key, id: keyId } = await addKey();
  const call = <Body>(method: string, path: string, sent: Sent = {}) =>
    send<Body>(method, `/api/v1${path}`, { key, ...sent });
  const ctx = async () => {
    const current = await services.db.read(id, findOrganisation);
    if (!current) throw new Error("no such organisation");
    return contextFor(services, current, SYSTEM);
  };
  return {
    organisation,
    key,
    keyId,
    call,
    post: (path, body, sent) => call("POST", path, { ...sent, body }),
    get: (path, sent) => call("GET", path, sent),
    addKey,
    ctx,
    addGateway: async (body = {}) => {
      const context = await ctx();
      return services.db.transaction(id, (tx) => createGatewayAccount(tx, context, { type: "sandbox", ...body }));
    },
    addStaff: (role = "owner") => addStaff(opened, organisation, role),
    signIn: async (role = "owner") => signIn(opened, await addStaff(opened, organisation, role)),
    change: async (columns) => {
      const names = Object.keys(columns);
      const set = names.map((name, index) => `${name} = $${index + 2}`).join(", ");
      await query(`update organisations set ${set} where id = $1`, id, ...Object.values(columns));
    },
  };
}

async function addStaff(
  { services, identity }: Opened,
  organisation: Organisation,
  role: RoleId,
): Promise<Credentials> {
  const email = `${role}.${randomBytes(4).toString("hex")}@${organisation.slug}.example`;
  const userId = await identity.createUser({ email, name: role, password: PASSWORD });
  await services.db.transaction(organisation.id, (tx) =>
    insertMember(tx, { id: newId("mem"), userId, email, name: role, role, createdAt: machineNow() }),
  );
  return { email, password: PASSWORD };
}

/** Calls of a member of staff, who signs in here. */
export async function signIn({ call }: Pick<Opened, "call">, credentials: Credentials): Promise<StaffCall> {
  const entered = await call("POST", "/dashboard/api/auth/sign-in/email", { body: credentials });
  const cookie = (entered.headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ");
  if (cookie === "") throw new Error(`sign-in: ${entered.status} ${entered.text}`);
  return (method, path, body, headers = {}) =>
    call(method, `/dashboard/api${path}`, { body, headers: { ...headers, cookie } });
}

/** Paths of the issues of a refusal, joined by dots. */
export const issuePaths = ({ body }: Answer<Refusal>): string[] =>
  (body.issues ?? []).map(({ path }) => path.join("."));

/** Status and error code of an answer. */
export const refusal = ({ status, body }: Answer<Refusal>): [number, string] => [status, body.error];
