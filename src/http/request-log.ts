import { AsyncResource } from "node:async_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { realTime } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { ApiKeyId, OrganisationId } from "../kernel/ids.ts";
import { type CalendarDay, calendarDay, type Instant } from "../kernel/time.ts";
import { markUsed } from "../modules/api-keys/store.ts";
import { addressKept, Waiting } from "../modules/request-log/rules/entries.ts";
import { BODY_BYTES_MAX, CUT, type Masked, masked, maskedRefusal } from "../modules/request-log/rules/masking.ts";
import { deleteOverflow, insertRequests, type RequestOf } from "../modules/request-log/store.ts";
import type { RequestId, RequestWithBodies } from "../modules/request-log/types.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The API key of the request; null until it is known, and for other requests. */
    caller: ApiCaller | null;
  }
}

/** The organisation and the key of a request of the client API. */
export interface ApiCaller {
  readonly organisation: OrganisationId;
  readonly keyId: ApiKeyId;
  readonly keyPrefix: string;
  /** By the machine's clock. */
  readonly receivedAt: Instant;
  /** Whether the endpoint accepts an Idempotency-Key. */
  readonly takesKey: boolean;
}

/**
 * The number of requests that are written at once; how long they wait when there are fewer; and how many may wait, for
 * one organisation and in all (decisions.md#request-log-outside-the-request).
 */
const TOGETHER = 50;
const WAIT_MS = 1_000;
const MOST = { ofOne: 500, ofAll: 5_000 };
/** After this many requests of an organisation its oldest ones are checked for deletion. */
const WRITTEN_BETWEEN_LOOKS = 50_000;

/**
 * Writes a row for each request with an API key from now on, at most a second later and many at once, by separate
 * statements: a request does not wait for it, and is not affected when it fails. Waiting rows are lost when the process
 * is killed. `end` writes them; call it when no request is running any longer.
 */
export function logRequests(app: FastifyInstance, services: Pick<Services, "db" | "log">): { end(): Promise<void> } {
  const waiting = new Waiting<OrganisationId, RequestWithBodies>(MOST);
  /** Answers that are refusals. */
  const refusals = new WeakMap<FastifyRequest, string>();
  const uses = usesOfKeys(services);
  const overflow = overflowOf(services);
  /** The write that is running. */
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.caller && reply.statusCode >= 400 && typeof payload === "string") refusals.set(request, payload);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { caller } = request;
    if (caller) {
      waiting.add(caller.organisation, rowOf(request, reply, caller, refusals.get(request) ?? null));
      plan();
    }
    done();
  });

  function plan(): void {
    if (writing) return;
    if (waiting.count >= TOGETHER) begin();
    else timer ??= setTimeout(begin, WAIT_MS).unref();
  }

  // Not bound to a request: the rows of many requests do not belong to the trace of one.
  const begin = AsyncResource.bind(() => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing ??= write().finally(() => {
      writing = null;
      if (waiting.count > 0) plan();
    });
  });

  async function write(): Promise<void> {
    const { items, left } = waiting.take();
    if (left > 0)
      services.log.warn({ requests: left }, "requests are not in the request log: there were too many at once");
    const requests = [...items].flatMap(([organisation, some]) => some.map((one): RequestOf => [organisation, one]));
    try {
      for (let at = 0; at < requests.length; at += TOGETHER)
        await insertRequests(services.db, requests.slice(at, at + TOGETHER));
      for (const [organisation, some] of items) {
        await uses.note(organisation, some);
        await overflow.look(organisation, some.length);
      }
    } catch (error) {
      services.log.warn({ err: error, requests: requests.length }, "requests are not in the request log");
    }
  }

  return {
    async end() {
      while (writing) await writing;
      await write();
    },
  };
}

/** Notes the days on which keys were used, once a day for each key and process. */
function usesOfKeys({ db }: Pick<Services, "db">) {
  /** The days that this process has noted. */
  const noted = new Map<ApiKeyId, CalendarDay>();
  return {
    async note(organisation: OrganisationId, requests: readonly RequestWithBodies[]): Promise<void> {
      const day = calendarDay(requests.at(-1)?.at ?? realTime());
      const keys = [...new Set(requests.map(({ keyId }) => keyId))].filter((keyId) => noted.get(keyId) !== day);
      if (keys.length === 0) return;
      await db.transaction(organisation, async (tx) => markUsed(tx, keys, day));
      for (const keyId of keys) noted.set(keyId, day);
    },
  };
}

/** Deletes an organisation's oldest requests, after it has made many. */
function overflowOf({ db }: Pick<Services, "db">) {
  const written = new Map<OrganisationId, number>();
  return {
    async look(organisation: OrganisationId, added: number): Promise<void> {
      const count = (written.get(organisation) ?? 0) + added;
      written.set(organisation, count % WRITTEN_BETWEEN_LOOKS);
      if (count >= WRITTEN_BETWEEN_LOOKS) await db.transaction(organisation, async (tx) => deleteOverflow(tx));
    },
  };
}

function rowOf(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: ApiCaller,
  refusal: string | null,
): RequestWithBodies {
  const error = refusal === null ? null : codeOf(refusal);
  return {
    id: request.id as RequestId,
    at: caller.receivedAt,
    method: request.method,
    ...addressKept(request.url),
    status: reply.statusCode,
    error,
    durationMs: Math.round(reply.elapsedTime),
    keyId: caller.keyId,
    keyPrefix: caller.keyPrefix,
    idempotency: idempotencyOf(request, caller, { error, replayed: reply.hasHeader("idempotent-replayed") }),
    ...bodiesOf(request, refusal),
  };
}

/** How much is read of a body that was accepted: texts are shown shorter than they are. */
const BYTES_READ_MAX = 8 * BODY_BYTES_MAX;

function bodiesOf(
  { body, query, headers }: FastifyRequest,
  refusal: string | null,
): Pick<RequestWithBodies, "requestBody" | "responseBody"> {
  const isRefused = refusal !== null;
  const isJson = /json/i.test(headers["content-type"] ?? "json");
  const sent = isJson && Buffer.isBuffer(body) && body.length > 0 ? maskedStart(body, isRefused) : null;
  const asked = isRefused
    ? Object.values(query as Record<string, unknown>)
        .flat()
        .map(String)
    : [];
  return {
    requestBody: sent?.text ?? null,
    responseBody: isRefused ? maskedRefusal(refusal, [...(sent?.hidden ?? []), ...asked]) : null,
  };
}

/** A body is read as far as it is kept, one that is refused wholly: the refusal may say what is in it. */
function maskedStart(body: Buffer, isRefused: boolean): Masked {
  const end = isRefused ? body.length : Math.min(body.length, BYTES_READ_MAX);
  const { text, hidden } = masked(body.toString("utf8", 0, end), isRefused);
  return { text: end < body.length && !text.endsWith(CUT) ? text + CUT : text, hidden };
}

function idempotencyOf(
  request: FastifyRequest,
  { takesKey }: ApiCaller,
  { error, replayed }: { readonly error: string | null; readonly replayed: boolean },
): RequestWithBodies["idempotency"] {
  if (!takesKey || !request.headers["idempotency-key"]) return null;
  if (replayed) return "replayed";
  return error === "idempotency_conflict" ? "conflict" : "first";
}

/** The error code in the API's answer. */
function codeOf(answer: string): string | null {
  try {
    const { error } = JSON.parse(answer) as { error?: unknown };
    return typeof error === "string" ? error : null;
  } catch {
    return null;
  }
}
