import type { WebhookHandler } from "./handler.ts";

/*
 * Handlers in the form that frameworks take. Their own types are not imported: only what is used of them is named here.
 */

/** What is used of a request of Node's http, and of Express, whose `body` holds the bytes if a parser has read them. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

/** What is used of a response of Node's http, and of Express. */
export interface NodeResponse {
  writeHead(status: number): unknown;
  end(text?: string): unknown;
}

/** What is used of a Fastify instance, whose own types have too many forms to be named here. */
export interface FastifyLike {
  addContentTypeParser(type: never, options: never, parser: never): unknown;
  post(path: never, handler: never): unknown;
}

interface FastifyRequest {
  readonly body: Uint8Array;
  readonly headers: NodeRequest["headers"];
}

interface FastifyReply {
  code(status: number): { send(payload?: string): unknown };
}

const PARSED =
  "the webhook's body was parsed before its signature could be verified: mount express.raw({ type: 'application/json' }) on this route";

/** For `createServer` of Node's http. Deliveries are taken at any path: choose it before. */
export const forNode =
  (handler: WebhookHandler) =>
  async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, message } = await handler.receive(await rawBody(request), request.headers);
    response.writeHead(status);
    response.end(message);
  };

/** For Express: `app.post("/tefo", forExpress(handler))`, before `express.json()`, or with `express.raw` on the route. */
export const forExpress =
  (handler: WebhookHandler) =>
  (request: NodeRequest, response: NodeResponse, next: (error: unknown) => void): void => {
    forNode(handler)(request, response).catch(next);
  };

/** For Fastify, as a plug-in with a parser of its own: `app.register(forFastify(handler, "/tefo"))`. */
export const forFastify =
  (handler: WebhookHandler, path = "/") =>
  async (app: FastifyLike): Promise<void> => {
    const parser = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body);
    app.addContentTypeParser("application/json" as never, { parseAs: "buffer" } as never, parser as never);
    const route = async (request: FastifyRequest, reply: FastifyReply) => {
      const { status, message } = await handler.receive(request.body, request.headers);
      return reply.code(status).send(message);
    };
    app.post(path as never, route as never);
  };

/** For Hono: `app.post("/tefo", forHono(handler))`. */
export const forHono =
  (handler: WebhookHandler) =>
  (context: { readonly req: { readonly raw: Request } }): Promise<Response> =>
    handler.fetch(context.req.raw);

/** For a route handler of Next, and whatever else takes a Request: `export const POST = forNext(handler)`. */
export const forNext =
  (handler: WebhookHandler) =>
  (request: Request): Promise<Response> =>
    handler.fetch(request);

async function rawBody(request: NodeRequest): Promise<Uint8Array | string> {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null) throw new TypeError(PARSED);
  const chunks: number[] = [];
  for await (const chunk of request) chunks.push(...(chunk as Uint8Array));
  return Uint8Array.from(chunks);
}
