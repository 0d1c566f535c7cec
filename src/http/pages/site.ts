import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../flows/context.ts";
import type { Services } from "../../flows/services.ts";
import { ADAPTERS } from "../../gateways/registry.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { isStorable } from "../../kernel/text.ts";
import type { Html } from "../../templates/html.ts";
import { findAsset } from "../../templates/pages/assets/assets.ts";
import { errorPage, notFoundPage, rateLimitedPage, unreadablePage } from "../../templates/pages/messages.ts";
import { clientAddress } from "../client-address.ts";
import { toApiError } from "../errors.ts";
import { refuseOtherMethods } from "../methods.ts";
import { acceptForms } from "../server.ts";
import { acceptUploads } from "../uploads.ts";
import { createFormTokens, type Form, readForm } from "./form.ts";
import { pageHeaders } from "./headers.ts";

export interface PageOptions {
  /** Interface 11.1, TRUSTED_PROXIES. */
  readonly trustedProxies: number;
}

/** Mounts the hosted pages of a resource. */
export type RegisterPages = (app: FastifyInstance, services: Services, options: PageOptions) => void;

/** A rendered page. */
export interface PageAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly html: Html;
  readonly sandbox: boolean;
  /** Whether the URL itself is the permission. */
  readonly capability: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further origins that the page's form may redirect to. */
  readonly formOrigins?: readonly string[];
}

/** The common functions of the routes of hosted pages. */
export interface Site {
  readonly services: Services;
  /** The payer as the actor of the request, with the client's address. */
  payer(request: FastifyRequest): Actor & { readonly ip: string };
  /** The token for the form on the page with this name. */
  formToken(page: string): string;
  /** The form that was posted to the page with this name; `body` is parsed already. */
  form(request: FastifyRequest, page: string, body: unknown): Form;
  send(reply: FastifyReply, page: PageAnswer): FastifyReply;
  /** Redirects with 303 to another site, or to a path on the host name that the payer used. */
  goTo(reply: FastifyReply, url: string): FastifyReply;
}

/** Creates the functions once for each group of pages; their only state is keys. */
export function createSite(services: Services, options: PageOptions): Site {
  const tokens = createFormTokens(services.secrets);
  const formOrigins = ownFormOrigins(services);
  return {
    services,
    payer: (request) => ({ kind: "payer", id: null, name: null, ip: clientAddress(request, options.trustedProxies) }),
    formToken: tokens.issue,
    form: (request, page, body) => readForm(request, tokens, page, { body, baseUrl: services.baseUrl }),
    send: (reply, { status = 200, html, sandbox, capability, headers = {}, formOrigins: more = [] }) =>
      reply
        .code(status)
        .headers({ ...pageHeaders({ sandbox, capability, formOrigins: [...formOrigins, ...more] }), ...headers })
        .send(html.toString()),
    goTo: (reply, url) =>
      reply
        .code(303)
        .headers({
          ...pageHeaders({ sandbox: false, capability: true }),
          // A gateway may leave letters unescaped that a header cannot hold.
          Location: url.startsWith("/") ? url : new URL(url).href,
        })
        .send(),
  };
}

/**
 * Origins for `form-action` beside https: that of BASE_URL, since a page may be opened under another host name, and
 * those of gateways' stand-ins.
 */
const ownFormOrigins = (services: Services): string[] =>
  [services.baseUrl, ...ADAPTERS.filter(({ simulated }) => !simulated).map((adapter) => services.gatewayUrl(adapter))]
    .filter((url) => url?.startsWith("http://"))
    .map((url) => new URL(url ?? "").origin);

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** One path of a page with its methods; any other method gets 405. */
export interface PageRoute {
  readonly url: string;
  /** Whether its GET changes nothing, so that HEAD is served too: software that checks links sends it. */
  readonly safe?: true;
  readonly get?: Answer;
  readonly post?: Answer;
  /** Whether its form sends a file: `post` reads it with `readUpload`. */
  readonly takesFile?: true;
}

/**
 * Mounts pages below `prefix`, in a scope where forms are parsed and every response is a page, including errors and
 * unknown paths.
 */
export function mountPages(app: FastifyInstance, site: Site, prefix: string, routes: readonly PageRoute[]): void {
  app.register(
    async (scope) => {
      acceptForms(scope);
      if (routes.some(({ takesFile }) => takesFile)) acceptUploads(scope);
      scope.setErrorHandler((error, request, reply) => sendFault(site, error, request, reply));
      // No record has an id, and no page a query, that the database cannot store.
      scope.addHook("preHandler", async ({ params, query }) => {
        const texts = [params, query]
          .flatMap((part) => Object.values(part as Record<string, string | string[]>))
          .flat();
        if (!texts.every(isStorable)) throw noSuchPage();
      });
      scope.setNotFoundHandler((request, reply) => sendFault(site, noSuchPage(), request, reply));
      for (const { url, safe = false, get, post } of routes) {
        if (get) scope.route({ method: "GET", url, exposeHeadRoute: safe, handler: get });
        if (post) scope.route({ method: "POST", url, handler: post });
        const known = [...(get ? ["GET"] : []), ...(get && safe ? ["HEAD"] : []), ...(post ? ["POST"] : [])];
        refuseOtherMethods(scope, url, new Set(known));
      }
    },
    { prefix },
  );
}

/** The error 404 for an unknown URL. Unknown and altered URLs have the same message (interface 15.4). */
export const noSuchPage = (): ApiError => new ApiError("not_found", 404, "No such page.");

function sendFault(site: Site, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers } = toApiError(error);
  if (status >= 500) request.log.error({ err: error }, "page failed");
  return site.send(reply, {
    status,
    headers,
    html: faultPage(status, headers, request.id),
    sandbox: false,
    capability: true,
  });
}

function faultPage(status: number, headers: Readonly<Record<string, string>>, requestId: string): Html {
  if (status === 404) return notFoundPage();
  if (status === 429) return rateLimitedPage(null, Number(headers["retry-after"] ?? 60));
  if (status >= 500) return errorPage(status === 503 ? 503 : 500, requestId);
  return unreadablePage();
}

/** Registers `GET /assets/<file>`: styles, script, icons and merchants' colours of the hosted pages. */
export function registerAssets(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>("/assets/:file", async (request, reply) => {
    const asset = findAsset(request.params.file);
    if (!asset) throw notFound("file");
    reply.headers(asset.headers);
    return takesGzip(request.headers["accept-encoding"])
      ? reply.header("Content-Encoding", "gzip").send(asset.gzip)
      : reply.send(asset.body);
  });
}

const takesGzip = (accepted: string | string[] | undefined): boolean =>
  String(accepted ?? "")
    .split(",")
    .some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
