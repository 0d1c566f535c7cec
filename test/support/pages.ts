import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import pg from "pg";
import { freePort } from "../../src/app/listen.ts";
import { EXTENSIONS, registerPages } from "../../src/catalogue.ts";
import { type Ctx, contextFor, SYSTEM } from "../../src/flows/context.ts";
import { createGatewayAccount } from "../../src/flows/gateways/save-account.ts";
import { hostedUrl } from "../../src/flows/hosted-links.ts";
import { createPaymentLink } from "../../src/flows/payment-links/create-payment-link.ts";
import type { Services } from "../../src/flows/services.ts";
import { gatewayHttp } from "../../src/gateways/http.ts";
import { registerLogoRoute } from "../../src/http/logo.ts";
import { registerNotifications } from "../../src/http/notifications.ts";
import { registerAssets } from "../../src/http/pages/site.ts";
import { registerSandboxApi } from "../../src/http/sandbox-gateway/routes.ts";
import { createServer as createOurServer } from "../../src/http/server.ts";
import { replaceAllowedOrigins } from "../../src/modules/allowed-return-urls/store.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { findOrganisation, insertOrganisation } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { PAY_PAGE } from "../../src/modules/payment-links/declarations.ts";
import { PaymentLinkCreate } from "../../src/modules/payment-links/schema.ts";
import type { PaymentLink } from "../../src/modules/payment-links/types.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets, generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "./database.ts";
import { newOrganisation } from "./organisation.ts";
import { fileReader, renderer } from "./threads.ts";

/** An answer to a browser. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Target of a redirect; empty without one. */
  readonly location: string;
  /** The main heading, as text. */
  readonly heading: string;
}

/** Form fields in order, or a raw body. */
export type Posted = Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string | Buffer;

/** The hosted pages, notifications and the sandbox gateway on a real listener, over a database of its own. */
export interface TestPages {
  readonly baseUrl: string;
  readonly services: Services;
  /** Sets the sandbox gateway's URL; null: this listener. */
  setGatewayUrl(url: string | null): void;
  setMail(enabled: boolean): void;
  addMerchant(facts?: Partial<Organisation>): Promise<PageMerchant>;
  /**
   * `path` from the root, or a whole URL of this service. Follows no redirect. Each request has a new client address,
   * unless `x-forwarded-for` gives one.
   */
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  post(path: string, body: Posted, headers?: Record<string, string>): Promise<PageAnswer>;
  request(method: string, path: string, headers?: Record<string, string>, body?: string | Buffer): Promise<PageAnswer>;
  /** Chooses an outcome on the sandbox gateway's page; answers the URL of the redirect. */
  choose(gatewayPath: string, outcome: string): Promise<string>;
  /** The payment's status; undefined without a payment. */
  statusOf(reference: string): Promise<string | undefined>;
  /** Queries as the superuser, who sees the rows of every organisation. */
  query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** A sandbox organisation with an account at the sandbox gateway. */
export interface PageMerchant {
  readonly organisation: Organisation;
  readonly gateway: GatewayAccount;
  /** The context of the organisation, with its clock, as they are now. */
  ctx(): Promise<Ctx>;
  addGateway(body: { type: string; name?: string; credentials?: Record<string, string> }): Promise<GatewayAccount>;
  /** A body of `POST /payment-links`; `url` is its page's path. */
  addLink(body?: Record<string, unknown>): Promise<{ link: PaymentLink; path: string }>;
  /** Starts a payment on the page; answers its reference and the path of the gateway's page. */
  start(path: string): Promise<{ reference: string; gatewayPath: string }>;
}

/** Opened in a `before` hook; close it in `after`. */
export async function openPages(): Promise<TestPages> {
  const { url } = await cloneDatabase();
  const log = createLog("silent");
  // BASE_URL is known before the server is built.
  const port = await freePort("127.0.0.1");
  const baseUrl = `http://127.0.0.1:${port}`;
  const state = { gatewayUrl: null as string | null, mail: false };
  const services: Services = {
    db: openDatabase(url, { connections: 10 }),
    secrets: createSecrets({ current: generateMasterKey(), previous: [] }),
    log,
    baseUrl,
    loopbackWebhooks: true,
    plans: false,
    get mailEnabled() {
      return state.mail;
    },
    extensions: EXTENSIONS,
    gatewayUrl: ({ simulated }) => (simulated ? (state.gatewayUrl ?? baseUrl) : null),
    gatewayHttp,
    gatewaySources: () => null,
    renderer,
    fileReader,
    runDue: async () => ({}),
  };
  const pages = createOurServer(log, baseUrl);
  register(pages, services);
  await pages.listen({ host: "127.0.0.1", port });
  const admin = new pg.Pool({ connectionString: url, max: 1 });
  const request: TestPages["request"] = (method, path, headers, body) => call(baseUrl, method, path, headers, body);
  const get: TestPages["get"] = (path, headers) => request("GET", path, headers);
  return {
    baseUrl,
    services,
    setGatewayUrl: (to) => {
      state.gatewayUrl = to;
    },
    setMail: (enabled) => {
      state.mail = enabled;
    },
    addMerchant: (facts) => addMerchant(services, facts ?? {}, { get, post }),
    get,
    post,
    request,
    choose: async (gatewayPath, outcome) => {
      const { status, location } = await post(gatewayPath, { outcome });
      if (status !== 303) throw new Error(`the gateway did not take ${outcome}: ${status}`);
      return location;
    },
    statusOf: async (reference) => {
      const { rows } = await admin.query("select status from transactions where reference = $1", [reference]);
      return rows[0]?.status;
    },
    query: async (sql, ...values) => (await admin.query(sql, values)).rows,
    close: async () => {
      await admin.end();
      await pages.close();
      await services.db.close();
    },
  };

  function post(path: string, body: Posted, headers: Record<string, string> = {}): Promise<PageAnswer> {
    const form =
      typeof body === "string" || Buffer.isBuffer(body) ? body : new URLSearchParams(fieldsOf(body)).toString();
    return request("POST", path, { "content-type": "application/x-www-form-urlencoded", ...headers }, form);
  }
}

function register(pages: ReturnType<typeof createOurServer>, services: Services): void {
  const options = { trustedProxies: 1, ipRateLimit: 50 };
  registerAssets(pages);
  registerLogoRoute(pages, services);
  registerPages(pages, services, options);
  registerSandboxApi(pages, services);
  registerNotifications(pages, services, options);
}

const fieldsOf = (body: Exclude<Posted, string | Buffer>): [string, string][] =>
  (Array.isArray(body) ? body : Object.entries(body)).map(([name, value]) => [name, value]);

async function call(
  baseUrl: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | Buffer | null = null,
): Promise<PageAnswer> {
  const response = await fetch(path.startsWith("/") ? baseUrl + path : path, {
    method,
    redirect: "manual",
    headers: { "x-forwarded-for": `10.${[...randomBytes(3)].join(".")}`, "sec-fetch-site": "same-origin", ...headers },
    body: typeof body === "string" || body === null ? body : new Uint8Array(body),
  });
  const text = await response.text();
  const [, heading = ""] = /<h1[^>]*>(.*?)<\/h1>/s.exec(text) ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    location: response.headers.get("location") ?? "",
    heading: heading.replace(/<[^>]*>/g, ""),
  };
}

/** The form token in the page. */
export const formTokenIn = ({ text }: PageAnswer): string =>
  /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? "none";

/** The cookies that an answer sets, as the browser sends them back. */
export const cookiesSetBy = ({ headers }: PageAnswer): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");

/** Presses the button on the page of a sign-in link; the answer has the session's cookie in `set-cookie`. */
export async function pressSignIn(pages: Pick<TestPages, "get" | "post">, path: string): Promise<PageAnswer> {
  const page = await pages.get(path);
  const form = { action: "sign_in", formToken: formTokenIn(page) };
  return pages.post(path, form, { origin: "null", cookie: cookiesSetBy(page) });
}

async function addMerchant(
  services: Services,
  facts: Partial<Organisation>,
  { get, post }: Pick<TestPages, "get" | "post">,
): Promise<PageMerchant> {
  const organisation = newOrganisation(services.secrets, { name: "Karoo Books", ...facts });
  const { id } = organisation;
  await services.db.transaction(id, async (tx) => {
    insertOrganisation(tx, organisation);
    replaceAllowedOrigins(tx, ["https://shop.example", "http://localhost:9999"]);
  });
  const ctx = async (): Promise<Ctx> =>
    contextFor(services, (await services.db.read(id, findOrganisation)) ?? organisation, SYSTEM, null);
  const addGateway: PageMerchant["addGateway"] = async (body) => {
    const now = await ctx();
    return services.db.transaction(id, (tx) => createGatewayAccount(tx, now, { ...body }));
  };
  const gateway = await addGateway({ type: "sandbox", name: "Sandbox Pay" });
  return {
    organisation,
    gateway,
    ctx,
    addGateway,
    addLink: async (body = {}) => {
      const now = await ctx();
      const parsed = PaymentLinkCreate.parse({ title: "Order 1042", amount: 1234.5, ...body });
      const link = await services.db.transaction(id, (tx) => createPaymentLink(tx, now, parsed));
      return { link, path: new URL(hostedUrl({ ...services, organisation }, PAY_PAGE, link.id)).pathname };
    },
    start: async (path) => {
      const formToken = formTokenIn(await get(path));
      const { status, location, text } = await post(path, { gateway: gateway.id, formToken });
      if (status !== 303) throw new Error(`the payment did not start: ${status} ${text.slice(0, 2000)}`);
      const gatewayPath = new URL(location).pathname;
      const [row] = await services.db.read(
        id,
        (tx) => tx.sql<{ reference: string }>`
        select reference from transactions where organisation_id = ${id} order by id desc limit 1`,
      );
      return { reference: row?.reference ?? "", gatewayPath };
    },
  };
}

/** A server instead of the sandbox gateway, until the test ends. */
export async function standIn(t: TestContext, pages: TestPages, answer: RequestListener): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    pages.setGatewayUrl(null);
  });
  pages.setGatewayUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
