import { createHash, randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../kernel/errors.ts";
import { type Endpoint, takesKey } from "../endpoint.ts";
import { toApiError } from "../errors.ts";
import { refuseOtherMethods } from "../methods.ts";
import { readBody } from "../mount.ts";
import { writtenDocument } from "../openapi/written.ts";
import { isFromOwnPage } from "../origin.ts";
import {
  agreedVersion,
  CODES,
  checkHeaders,
  Fault,
  faultText,
  type Id,
  type Message,
  messageOf,
  resultText,
  VERSIONS,
} from "./messages.ts";
import {
  type ApiCall,
  apiCallOf,
  isOffered,
  type KeyHolder,
  mayChange,
  type Tool,
  toolsOf,
  WrongArguments,
} from "./tools.ts";

/*
 * The Model Context Protocol by its streamable HTTP transport, without state: what an assistant calls are the endpoints
 * of the client API, by requests to it with the caller's own key, so that key, limits, scopes, plan, Idempotency-Key,
 * audit and request log are those of any other request. The official library is not used: it would install a second
 * HTTP server and more for a handful of messages.
 */

const PATH = "/mcp";
const TOOLS_A_PAGE = 50;
/** How long a client may keep the list of tools. */
const LIST_TTL_MS = 60_000;
/** Headers of the caller's that requests to the API have too. */
const PASSED_ON = ["authorization", "x-forwarded-for", "forwarded", "user-agent", "traceparent", "tracestate"] as const;

/** An answer with its status. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Registers `POST /mcp` over these endpoints. */
export function registerMcp(app: FastifyInstance, endpoints: readonly Endpoint[], version: string): void {
  const document = writtenDocument();
  let known: ReadonlyMap<string, Tool> | null = null;
  const tools = (): ReadonlyMap<string, Tool> => {
    known ??= new Map(toolsOf(endpoints, document()).map((tool) => [tool.name, tool]));
    return known;
  };
  refuseOtherMethods(app, PATH, new Set(["POST"]));
  // What the framework refuses, such as a body beyond all limits, is an answer of the protocol too.
  const errorHandler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
    const { status, message } = toApiError(error);
    return send(reply, status, faultText(null, new Fault(CODES.request, message)), {});
  };
  app.post(PATH, { exposeHeadRoute: false, errorHandler }, async (request, reply) => {
    const { status, text, headers = {} } = await answerOf(callerOf(app, request), tools, version);
    return send(reply, status, text, headers);
  });
}

function send(reply: FastifyReply, status: number, text: string, headers: Readonly<Record<string, string>>) {
  reply.code(status).headers({ "cache-control": "no-store", ...headers });
  return text === "" ? reply.send() : reply.type("application/json; charset=utf-8").send(text);
}

/** What the API answered. */
interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

/** Who sends a request to `/mcp`, in whose name requests to the API are made. */
interface Caller {
  readonly request: FastifyRequest;
  header(name: string): string | undefined;
  call(call: ApiCall): Promise<ApiAnswer>;
  /** Who the key belongs to. Throws Fault, with the API's status, when it is refused. */
  identify(): Promise<KeyHolder>;
}

function callerOf(app: FastifyInstance, request: FastifyRequest): Caller {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(",") : value;
  };
  const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (header(name) ? [[name, header(name)] as const] : [])));
  const call: Caller["call"] = async ({ method, url, body, idempotencyKey }) => {
    const { statusCode, payload, headers } = await app.inject({
      method: method as "GET",
      url,
      remoteAddress: request.socket.remoteAddress ?? "unknown",
      headers: {
        ...passed,
        ...(body === null ? {} : { "content-type": "application/json" }),
        // Headers hold bytes.
        ...(idempotencyKey === null ? {} : { "idempotency-key": Buffer.from(idempotencyKey).toString("latin1") }),
      },
      ...(body === null ? {} : { payload: body }),
    });
    const headerOf = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
    return { status: statusCode, text: payload, header: headerOf };
  };
  return {
    request,
    header,
    call,
    async identify() {
      const answer = await call({ method: "GET", url: "/api/v1/me", body: null, idempotencyKey: null });
      if (answer.status === 200) return JSON.parse(answer.text) as KeyHolder;
      throw refusedBy(answer);
    },
  };
}

const messageIn = (text: string): string => String((JSON.parse(text) as { message?: unknown }).message);

/** A refusal of the API as a fault of the whole request: the key, a limit or the plan. */
function refusedBy(answer: ApiAnswer): Fault {
  const headers = ["www-authenticate", "retry-after"].flatMap((name) => {
    const value = answer.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Fault(answer.status >= 500 ? CODES.internal : CODES.request, messageIn(answer.text), {
    status: answer.status,
    data: JSON.parse(answer.text),
    headers: Object.fromEntries(headers),
  });
}

/** Answers a request. A stranger is told of the key and of limits before what is wrong with the message. */
async function answerOf(caller: Caller, tools: () => ReadonlyMap<string, Tool>, version: string): Promise<Answer> {
  let id: Id | null = null;
  try {
    const message = await readMessage(caller);
    if (message === null || message.id === null) return { status: 202, text: "" };
    id = message.id;
    const { result, headers = {} } = await resultOf(caller, { ...message, id }, tools, version);
    return { status: 200, text: resultText(message, result), headers };
  } catch (error) {
    const fault = error instanceof Fault ? error : unexpected(caller, error);
    return { status: fault.status, text: faultText(id, fault), headers: fault.headers };
  }
}

async function readMessage(caller: Caller): Promise<Message | null> {
  if (!isFromOwnPage(caller.request, caller.request.server.baseUrl))
    throw new Fault(CODES.request, "This request comes from a page of another site.", { status: 403 });
  try {
    const message = messageOf(readBody(caller.request));
    if (message) checkHeaders(message, (name) => caller.header(name));
    return message;
  } catch (error) {
    await caller.identify();
    if (error instanceof ApiError)
      throw new Fault(error.status === 400 ? CODES.parse : CODES.request, error.message, { status: error.status });
    throw error;
  }
}

function unexpected({ request }: Caller, error: unknown): Fault {
  const { status, message } = toApiError(error);
  if (status >= 500) request.log.error({ err: error }, "request failed");
  return new Fault(CODES.internal, message, { status });
}

type Request = Message & { readonly id: Id };

interface Result {
  readonly result: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function resultOf(
  caller: Caller,
  message: Request,
  tools: () => ReadonlyMap<string, Tool>,
  version: string,
): Promise<Result> {
  const { method, params } = message;
  if (method === "tools/call") return { result: await callTool(caller, message, tools()) };
  const holder = await caller.identify();
  const about = { capabilities: { tools: {} }, instructions: instructionsFor(holder) };
  const serverInfo = { name: "tefo", title: "Tefo", version };
  switch (method) {
    case "initialize":
      return {
        result: { protocolVersion: agreedVersion(params["protocolVersion"]), serverInfo, ...about },
        // Nothing is kept under it: it distinguishes the calls of one session from those of another.
        headers: { "mcp-session-id": randomUUID() },
      };
    case "server/discover":
      return {
        result: {
          supportedVersions: VERSIONS,
          ...about,
          _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
          ttlMs: LIST_TTL_MS,
          cacheScope: "private",
        },
      };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: listTools([...tools().values()], holder, params["cursor"]) };
    default:
      throw new Fault(CODES.method, `There is no method ${method.slice(0, 100)}.`, {
        status: message.version === null ? 200 : 404,
      });
  }
}

const instructionsFor = (holder: KeyHolder): string =>
  `Payments and billing of ${holder.organisation.name}, by the Tefo API. ${
    mayChange(holder)
      ? "It is a sandbox: no money is real, and tools may change things."
      : "Its money is real: tools only read."
  } Amounts are in major units of their currency. Lists are read on with startingAfter, which is nextCursor of the page before.`;

function listTools(tools: readonly Tool[], holder: KeyHolder, cursor: unknown): object {
  const offered = tools.filter((tool) => isOffered(tool, holder));
  const after = cursor === undefined ? -1 : offered.findIndex(({ name }) => name === cursor);
  if (cursor !== undefined && after < 0) throw new Fault(CODES.params, "There is no such cursor.", { status: 200 });
  const page = offered.slice(after + 1, after + 1 + TOOLS_A_PAGE);
  const last = page.at(-1)?.name;
  return {
    tools: page.map(({ shown }) => shown),
    ...(last !== undefined && last !== offered.at(-1)?.name ? { nextCursor: last } : {}),
    ttlMs: LIST_TTL_MS,
    cacheScope: "private",
  };
}

/** What a tool answers: texts, and whether it was refused. */
const said = (isError: boolean, ...texts: readonly string[]): object => ({
  content: texts.map((text) => ({ type: "text", text })),
  isError,
});

async function callTool(caller: Caller, message: Request, tools: ReadonlyMap<string, Tool>): Promise<object> {
  const { name, arguments: given = {} } = message.params;
  const tool = typeof name === "string" ? tools.get(name) : undefined;
  if (!tool) {
    await caller.identify();
    throw new Fault(CODES.params, `There is no tool ${String(name).slice(0, 100)}.`, { status: 200 });
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    await caller.identify();
    throw new Fault(CODES.params, "The arguments of a tool are an object.", { status: 200 });
  }
  if (!tool.onlyReads && !mayChange(await caller.identify()))
    return said(
      true,
      `${tool.name} changes something, and the money of this organisation is real: its tools only read.`,
    );
  let call: ApiCall;
  try {
    call = apiCallOf(tool, given as Record<string, unknown>);
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    await caller.identify();
    return said(true, error.message);
  }
  const idempotencyKey = call.idempotencyKey ?? keyOf(caller, message, tool);
  return answered(await caller.call({ ...call, idempotencyKey }));
}

/** The answer of the API as a tool's. A key that is refused is a fault of the whole request. */
function answered(answer: ApiAnswer): object {
  if (answer.status === 401) throw refusedBy(answer);
  const retryAfter = answer.header("retry-after");
  const warnings = answer.header("tefo-warnings");
  return said(
    answer.status >= 400,
    answer.text,
    ...(retryAfter === undefined ? [] : [`Wait ${retryAfter} seconds before you try again.`]),
    ...(warnings === undefined ? [] : [`Ignored: ${warnings}`]),
    ...(answer.header("idempotent-replayed") === undefined
      ? []
      : ["This call was made before, and nothing was done again: another idempotencyKey makes it another call."]),
  );
}

/** The Idempotency-Key of a call that names none: the same message, sent again by the same session, is the same call. */
function keyOf(caller: Caller, { id, params }: Request, { endpoint }: Tool): string | null {
  if (!takesKey(endpoint)) return null;
  const session = caller.header("mcp-session-id") ?? "";
  const call = JSON.stringify([session, id, params["name"], params["arguments"]]);
  return `mcp-${createHash("sha256").update(call).digest("hex")}`;
}
