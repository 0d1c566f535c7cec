import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { EXTENSIONS } from "../../src/catalogue.ts";
import type { Services } from "../../src/flows/services.ts";
import { gatewayHttp } from "../../src/gateways/http.ts";
import { registerAccountRoutes } from "../../src/http/dashboard/account.ts";
import { registerAuthRoutes } from "../../src/http/dashboard/auth.ts";
import { registerInvitationRoutes } from "../../src/http/dashboard/invitations.ts";
import { registerOrganisationRoutes } from "../../src/http/dashboard/organisations.ts";
import { dashboardApi } from "../../src/http/dashboard-api.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { mountEndpoints } from "../../src/http/mount.ts";
import { memberEndpoints } from "../../src/http/resources/members.ts";
import { createServer } from "../../src/http/server.ts";
import { insertMember } from "../../src/modules/members/store.ts";
import type { Role } from "../../src/modules/members/types.ts";
import { insertOrganisation } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { type Identity, openIdentity } from "../../src/platform/identity.ts";
import { createLog } from "../../src/platform/log.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import { createSecrets, generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { newOrganisation } from "./organisation.ts";
import { PASSWORD, PASSWORD_COST } from "./passwords.ts";
import { fileReader, renderer } from "./threads.ts";

/** Parts of a request beside method and path. */
export interface Sent {
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The client's address; default: a new one each time, so that tests do not share rate limits. */
  readonly from?: string;
}

/** An answer with its JSON parsed. */
export interface Answered {
  readonly status: number;
  /** The text of the body. */
  readonly text: string;
  /** Empty for a file. */
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  /** Cookies of the answer, as a browser would send them back. */
  readonly cookie: string;
}

/** The dashboard's API over a database of its own. */
export interface TestDashboard {
  readonly databaseUrl: string;
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly identity: Identity;
  /** Mails that identity sent: address and text. */
  readonly mails: { to: string; text: string }[];
  addOrganisation(facts?: Partial<Organisation>): Promise<Organisation>;
  /** A person who can sign in with `PASSWORD`, and their membership. Answers the member's id. */
  addMember(organisation: Organisation, email: string, role: Role): Promise<string>;
  call(method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE", path: string, sent?: Sent): Promise<Answered>;
  /** Answers the cookie; throws when refused. */
  signIn(email: string, password?: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens it as `app/compose.ts` does, without the worker. `endpoints` are mounted in addition to those of members. */
export async function openDashboard(
  options: { baseUrl?: string; mail?: boolean; endpoints?: readonly Endpoint[] } = {},
): Promise<TestDashboard> {
  const { url } = await cloneDatabase();
  const baseUrl = options.baseUrl ?? "http://localhost:8080";
  const log = createLog("silent");
  const secrets = createSecrets({ current: generateMasterKey(), previous: [] });
  const db = openDatabase(url, { connections: 6 });
  const mails: { to: string; text: string }[] = [];
  const services: Services = {
    db,
    secrets,
    log,
    baseUrl,
    mailEnabled: false,
    loopbackWebhooks: true,
    plans: false,
    extensions: EXTENSIONS,
    gatewayUrl: () => null,
    gatewayHttp,
    gatewaySources: () => null,
    renderer,
    fileReader,
    runDue: async () => ({}),
  };
  const identity = openIdentity({
    databaseUrl: url,
    baseUrl,
    secrets: secrets.deriveAll("identity"),
    secureCookies: baseUrl.startsWith("https:"),
    passwordCost: PASSWORD_COST,
    log,
    mail: options.mail === false ? null : async (to, _subject, text) => void mails.push({ to, text }),
  });
  const app = createServer(log, baseUrl);
  const proxies = { trustedProxies: 0 };
  registerAuthRoutes(app, identity, services, proxies);
  registerInvitationRoutes(app, identity, services, proxies);
  registerOrganisationRoutes(app, identity, services, proxies);
  registerAccountRoutes(app, identity, services, proxies);
  mountEndpoints(
    app,
    dashboardApi(services, identity, proxies),
    [...memberEndpoints, ...(options.endpoints ?? [])],
    services,
  );
  const call = caller(app);
  return {
    databaseUrl: url,
    app,
    services,
    identity,
    mails,
    addOrganisation: (facts) => addOrganisation(services, facts ?? {}),
    addMember: (organisation, email, role) => addMember(services, identity, organisation, { email, role }),
    call,
    signIn: async (email, password = PASSWORD) => {
      const answer = await call("POST", "/auth/sign-in/email", { body: { email, password } });
      if (answer.status !== 200)
        throw new Error(`sign-in of ${email}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.cookie;
    },
    close: async () => {
      await app.close();
      await identity.close();
      await db.close();
    },
  };
}

/** Below `/dashboard/api`. */
function caller(app: FastifyInstance): TestDashboard["call"] {
  return async (method, path, { cookie, body, headers, from } = {}) => {
    const response = await app.inject({
      method,
      url: `/dashboard/api${path}`,
      remoteAddress: from ?? `10.${[...randomBytes(3)].join(".")}`,
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: response.statusCode,
      text: response.payload,
      body: "content-disposition" in response.headers ? {} : (JSON.parse(response.payload) as Record<string, unknown>),
      headers: response.headers,
      cookie: response.cookies
        .filter(({ value }) => value !== "")
        .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
        .join("; "),
    };
  };
}

async function addOrganisation(services: Services, facts: Partial<Organisation>): Promise<Organisation> {
  const organisation = newOrganisation(services.secrets, { plan: "starter", sandbox: false, ...facts });
  await services.db.transaction(organisation.id, async (tx) => insertOrganisation(tx, organisation));
  return organisation;
}

async function addMember(
  services: Services,
  identity: Identity,
  organisation: Organisation,
  { email, role }: { email: string; role: Role },
): Promise<string> {
  const name = email.split("@", 1)[0] ?? email;
  const userId = await identity.createUser({ email, name, password: PASSWORD });
  const id = newId("mem");
  await services.db.transaction(organisation.id, (tx) =>
    insertMember(tx, { id, userId, email, name, role, createdAt: machineNow() }),
  );
  return id;
}
