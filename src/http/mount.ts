import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { z } from "zod";
import { lockAsGathered } from "../domain/locks.ts";
import { type Ctx, realTime } from "../flows/context.ts";
import { currentSettings } from "../flows/organisations/settings.ts";
import type { Services } from "../flows/services.ts";
import { assert } from "../kernel/assert.ts";
import { ApiError, invalid, invalidField, notFound } from "../kernel/errors.ts";
import type { MemberId } from "../kernel/ids.ts";
import { JSON_DEPTH_MAX, jsonDepth, parseJson } from "../kernel/json.ts";
import { fromRand } from "../kernel/money.ts";
import { nearest } from "../kernel/nearest.ts";
import type { Feature } from "../kernel/plans.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import { type Instant, secondsBetween } from "../kernel/time.ts";
import { recordAudit } from "../modules/audit-log/store.ts";
import type { HeldRole, Permission } from "../modules/members/rules.ts";
import type { Tx } from "../platform/database.ts";
import type { Answer } from "./answer.ts";
import {
  type Audience,
  type Call,
  changesNothing,
  type DownloadEndpoint,
  type Endpoint,
  expandsOf,
  type GatewayEndpoint,
  type ImportEndpoint,
  isEdit,
  type ReadEndpoint,
  type Reply,
  type UploadEndpoint,
  type WriteEndpoint,
} from "./endpoint.ts";
import { BODY_CHARACTERS_MAX, parse, tooLarge, unsupportedType } from "./errors.ts";
import { EXPAND, type Expansions, expandedBody, expansionsOf, kindsIn } from "./expand/expand.ts";
import { sendFile } from "./files.ts";
import { type Claim, readIdempotencyKey, refusalOf, withStoredReply } from "./idempotency.ts";
import { refuseOtherMethods } from "./methods.ts";
import { partOpened, requireAsOpened } from "./opened.ts";
import { partOrder } from "./sorted.ts";
import { type UnknownField, unknownFields, unknownFieldWords } from "./unknown-fields.ts";
import { acceptUploads, type Upload, uploadedForm, withUpload } from "./uploads.ts";

/** A request that has passed the first guards of its API. */
export interface Admitted extends Admission {
  /** When it arrived, by the machine's clock. */
  readonly receivedAt: Instant;
}

/** What the first guards of an API have read about a request. */
interface Admission {
  readonly ctx: Ctx;
  /** The headers of every answer to it, including refusals (interface 8). */
  readonly headers: Readonly<Record<string, string>>;
  /** The member of staff, in the dashboard's API; undefined in the client API. */
  readonly member?: { readonly id: MemberId; readonly role: HeldRole };
  /** When the member last signed in; undefined in the client API. */
  readonly signedInAt?: Instant;
  /** Whether unknown fields of bodies are refused, for a key that is strict. */
  readonly strict?: boolean;
  /** Called before the body is read. Throws 403 `plan_restricted`. */
  checkPlan(): void;
  /** Called after the Idempotency-Key is read. Throws 403 `account_restricted` or `permission_required`. */
  checkOrganisation(): void;
  /**
   * Called for records that an answer shows beside those that the endpoint is about. Throws 403 `permission_required` for a caller who may
   * not read them, or `plan_restricted`.
   */
  checkReading(permission: Permission, feature?: Feature): void;
}

/** An API that serves endpoints: the client API, with keys, or the dashboard's, with sessions. */
export interface Api {
  readonly prefix: string;
  /** The audiences of its endpoints; endpoints of others are not mounted in it. */
  readonly audiences: readonly Audience[];
  admit(request: FastifyRequest, endpoint: Endpoint): Promise<Admission>;
}

/** How long a sign-in counts as a proof of identity, in seconds, for changes that move large amounts. */
const PROOF_SECONDS = 300;

/**
 * Mounts the endpoints of an API's audiences in it. Other methods of their paths get 405. Refusals have the order of
 * interface 7.4.
 */
export function mountEndpoints(app: FastifyInstance, api: Api, offered: readonly Endpoint[], services: Services): void {
  const endpoints = offered.filter(({ audience }) => api.audiences.includes(audience));
  const reading = withReplica(services);
  const paths = new Map<string, Set<string>>();
  app.knownPaths.push(...endpoints.map(({ method, base, path }) => ({ method, path: (base ?? api.prefix) + path })));
  for (const endpoint of endpoints) {
    const url = urlOf(api, endpoint);
    const known = paths.get(url);
    if (known) known.add(endpoint.method);
    else paths.set(url, new Set<string>([endpoint.method]));
    if (!takesFile(endpoint)) app.route(routeOf(api, endpoint, changesNothing(endpoint) ? reading : services));
  }
  app.register(async (scope) => {
    acceptUploads(scope);
    for (const endpoint of endpoints) if (takesFile(endpoint)) scope.route(routeOf(api, endpoint, services));
  });
  for (const [url, known] of paths) refuseOtherMethods(app, url, known);
}

/** Services whose reads the replica answers, where there is one (decisions.md#reads-from-a-replica). */
const withReplica = (services: Services): Services =>
  services.db.replica ? { ...services, db: { ...services.db, read: services.db.replica.read } } : services;

const urlOf = (api: Api, { base, path }: Endpoint): string =>
  (base ?? api.prefix) + path.replaceAll(/\{(\w+)\}/g, ":$1");

const routeOf = (api: Api, endpoint: Endpoint, services: Services): RouteOptions => ({
  method: endpoint.method,
  url: urlOf(api, endpoint),
  exposeHeadRoute: false,
  // A character has up to four bytes.
  ...(bodyMaxOf(endpoint) > BODY_CHARACTERS_MAX ? { bodyLimit: 4 * bodyMaxOf(endpoint) } : {}),
  onRequest: async (request, reply) => {
    const receivedAt = realTime();
    const admitted = await api.admit(request, endpoint);
    request.admitted = { ...admitted, receivedAt };
    reply.headers(admitted.headers);
    admitted.checkPlan();
  },
  handler: async (request, reply) => {
    const { admitted } = request;
    assert(admitted, "a request was admitted before its handler runs");
    const arrived: Arrived = { request, reply, admitted, services };
    return endpoint.kind === "download"
      ? sendFile(reply, await endpoint.download(callOf(endpoint, arrived, endpoint.body && readBody(request))))
      : send(reply, await answerOf(endpoint, arrived));
  },
});

/** An admitted request, with what answers it. */
interface Arrived {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly admitted: Admitted;
  readonly services: Services;
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...answer.headers })
    .send(answer.pieces ? Readable.from(answer.pieces, { objectMode: false }) : answer.text);
}

async function answerOf(endpoint: Exclude<Endpoint, DownloadEndpoint>, arrived: Arrived): Promise<Answer> {
  if (takesFile(endpoint)) return answerFile(endpoint, arrived);
  // A body is checked even when the endpoint does not use one.
  const raw = readBody(arrived.request, lengthOf(endpoint, arrived.admitted));
  warnOfUnknown(endpoint, raw, arrived);
  if (endpoint.kind === "write") return answerWrite(endpoint, arrived, raw);
  if (endpoint.kind === "gateway") return answerByGateway(endpoint, arrived, raw);
  const call = callOf(endpoint, arrived, raw);
  if (endpoint.kind === "run") return toAnswer(await endpoint.run(call));
  return answerRead(endpoint, call, expansionsAsked(endpoint, arrived));
}

/** Answers a read, with the related records that the request names. */
async function answerRead(endpoint: ReadEndpoint, call: AnyCall, expansions: Expansions): Promise<Answer> {
  const { ctx, services } = call;
  return services.db.read(ctx.organisation.id, async (tx) => {
    const reply = await endpoint.handle(call, tx);
    if (expansions.size === 0) return toAnswer(reply);
    return toAnswer({ ...reply, body: await expandedBody(tx, ctx, reply.body, expansions) });
  });
}

/** What a request wants to see expanded. Throws 400 for an unknown relation, 403 for records that the caller may not read. */
function expansionsAsked(endpoint: ReadEndpoint, { request, admitted }: Arrived): Expansions {
  if (!endpoint.expands) return new Map();
  const expansions = expansionsOf(endpoint.expands, (request.query as Record<string, unknown>)[EXPAND]);
  for (const { permission, feature } of kindsIn(expansions)) admitted.checkReading(permission, feature);
  return expansions;
}

/** Names the fields of a body that are ignored, in the header `Tefo-Warnings` (interface 4.1). */
function warnOfUnknown(endpoint: Endpoint, raw: unknown, { admitted, reply }: Arrived): void {
  if (admitted.member || admitted.strict) return;
  const ignored = ignoredBy(endpoint, raw);
  if (ignored.length > 0) reply.header("tefo-warnings", ignored.map(unknownFieldWords).join("; "));
}

function answerFile(endpoint: FileEndpoint, arrived: Arrived): Promise<Answer> {
  const { request, admitted, services } = arrived;
  return withUpload(request, endpoint.upload, { of: admitted.ctx.organisation.id, payer: false }, async (upload) => {
    const call = fileCallOf(endpoint, arrived, upload);
    return endpoint.kind === "import" ? toAnswer(await endpoint.run(call)) : performUpload(endpoint, call, services);
  });
}

async function answerWrite(endpoint: WriteEndpoint, arrived: Arrived, raw: unknown): Promise<Answer> {
  const { request, admitted, services } = arrived;
  const key = endpoint.idempotent ? readIdempotencyKey(request) : null;
  const prepare = () => callOf(endpoint, arrived, raw);
  if (endpoint.preview && isDryRun(raw)) return preview(endpoint.preview, prepare(), services);
  if (endpoint.moves) await requireProof(endpoint.moves, prepare, arrived);
  if (!key) return performWrite(endpoint, prepare(), services, null);
  return withStoredReply(services, admitted.ctx, key, {
    begin: (claim) => performWrite(endpoint, prepare(), services, claim),
  });
}

async function answerByGateway(endpoint: GatewayEndpoint, arrived: Arrived, raw: unknown): Promise<Answer> {
  const { request, admitted, services } = arrived;
  const key = endpoint.idempotent ? readIdempotencyKey(request) : null;
  const prepare = () => callOf(endpoint, arrived, raw);
  if (endpoint.moves) await requireProof(endpoint.moves, prepare, arrived);
  if (!key) return performSteps(endpoint, prepare(), services, null);
  return withStoredReply(services, admitted.ctx, key, {
    begin: (claim) => performSteps(endpoint, prepare(), services, claim),
    resume: (claim, intent) =>
      finish(endpoint, inputOf(endpoint, arrived, raw), services, claim, { intent, again: true }),
  });
}

/** The largest length of a body: the basis of an edit may be as long as the body itself. */
const lengthOf = (endpoint: Endpoint, { member }: Admitted): number =>
  isEdit(endpoint) && member ? 2 * BODY_CHARACTERS_MAX : bodyMaxOf(endpoint);

const bodyMaxOf = (endpoint: Endpoint): number => ("bodyMax" in endpoint && endpoint.bodyMax) || BODY_CHARACTERS_MAX;

const isDryRun = (raw: unknown): boolean =>
  typeof raw === "object" && raw !== null && "dryRun" in raw && raw.dryRun === true;

type AnyCall = Call<unknown, unknown, unknown>;

/** An endpoint that accepts a file instead of JSON. */
type FileEndpoint = UploadEndpoint | ImportEndpoint;

const takesFile = (endpoint: Endpoint): endpoint is FileEndpoint =>
  endpoint.kind === "upload" || endpoint.kind === "import";

/** Runs the last guards, then parses the request. */
function callOf(endpoint: Endpoint, arrived: Arrived, raw: unknown): AnyCall {
  arrived.admitted.checkOrganisation();
  return inputOf(endpoint, arrived, raw);
}

/**
 * Parses the request by the endpoint's schemas, without the last guards: a resumed intent passed them when it was
 * recorded.
 */
function inputOf(endpoint: Endpoint, arrived: Arrived, given: unknown): AnyCall {
  const { raw, opened } = arrived.admitted.member ? partOpened(endpoint, given) : { raw: given };
  const query = queryOf(endpoint, arrived);
  if (arrived.admitted.strict) refuseUnknown(ignoredBy(endpoint, raw));
  const body = endpoint.body && parse(endpoint.body, raw, "body");
  return { ...factsOf(arrived), query, body, ...(opened && { opened }) };
}

/** The fields of a body that the endpoint ignores. */
const ignoredBy = (endpoint: Endpoint, raw: unknown): UnknownField[] =>
  endpoint.body ? unknownFields(endpoint.body, raw) : [];

/** Throws 400 for the first of some unknown fields, for a key that is strict (interface 4.1). */
function refuseUnknown([first]: readonly UnknownField[]): void {
  if (!first) return;
  const words = unknownFieldWords(first);
  throw invalidField(
    first.path,
    `${words.charAt(0).toUpperCase()}${words.slice(1)}. This API key refuses unknown fields.`,
  );
}

/** Like `callOf`, with the sent file as the body. */
function fileCallOf(endpoint: FileEndpoint, arrived: Arrived, upload: Upload) {
  arrived.admitted.checkOrganisation();
  const query = queryOf(endpoint, arrived);
  const body = uploadedForm(upload, endpoint.upload);
  return { ...factsOf(arrived), query, body };
}

function queryOf(endpoint: Endpoint, { request, admitted }: Arrived): unknown {
  const declared = endpoint.query instanceof z.ZodObject ? Object.keys(endpoint.query.shape) : [];
  const sorts = admitted.member ? endpoint.sorts : undefined;
  const known = expandsOf(endpoint) ? [...declared, EXPAND] : declared;
  const given = known.includes("metadata") ? withMetadata(request.query as object) : (request.query as object);
  // The dashboard's own requests are typed; an older page of it may still ask what this version does not know. A file that ignored a
  // filter would hold more than was asked for, and nobody would see it.
  if (!admitted.member || endpoint.kind === "download") refuseUnknownParameter(Object.keys(given), known);
  if (!endpoint.query) return {};
  const { asked, ...order } = sorts ? partOrder(sorts, given) : { asked: given };
  const query = parse(endpoint.query, asked, "query") as object;
  return { ...query, ...order, inRealTime: !admitted.ctx.organisation.sandbox };
}

/** Throws 400 for a parameter of the query that the endpoint does not know, with the nearest that it knows (interface 4.1). */
function refuseUnknownParameter(asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const others = known.length > 0 ? `It takes ${known.join(", ")}.` : "It takes none.";
  throw invalidField(
    [unknown],
    `Unknown query parameter ${unknown.slice(0, 100)}. ${meant === null ? others : `Did you mean ${meant}?`}`,
  );
}

/** The query with its parameters `metadata[key]` as one object. */
function withMetadata(query: object): object {
  const keyOf = (name: string) => /^metadata\[(.+)\]$/.exec(name)?.[1];
  const { true: named = [], false: others = [] } = Object.groupBy(Object.entries(query), ([name]) =>
    String(keyOf(name) !== undefined),
  );
  if (named.length === 0) return query;
  const values = named.map(([name, value]) => [keyOf(name), Array.isArray(value) ? value.at(-1) : value]);
  return { ...Object.fromEntries(others), metadata: Object.fromEntries(values) };
}

const factsOf = ({ request, admitted: { ctx, member, receivedAt }, services }: Arrived) => ({
  ctx,
  member: member ?? null,
  receivedAt,
  services,
  params: readParams(request),
});

/** The path's parameters. Throws 404 for text that PostgreSQL cannot store, since no record can have it. */
function readParams(request: FastifyRequest): unknown {
  const params = Object.values(request.params as Record<string, string>);
  if (!params.every(isStorable)) throw notFound("record");
  return request.params;
}
/** Returns the amount that a request moves, as its endpoint knows it. */
type Moves = NonNullable<(WriteEndpoint | GatewayEndpoint)["moves"]>;

/**
 * Throws 403 `reauthentication_required` for a change that moves more than the organisation's limit, when the sign-in
 * is older than `PROOF_SECONDS`.
 */
async function requireProof(
  moves: Moves,
  prepare: () => AnyCall,
  { admitted: { signedInAt, receivedAt }, services }: Arrived,
): Promise<void> {
  if (!signedInAt || secondsBetween(signedInAt, receivedAt) <= PROOF_SECONDS) return;
  if (!(await movesTooMuch(moves, prepare, services))) return;
  throw new ApiError(
    "reauthentication_required",
    403,
    "This moves more than your organisation's limit. Sign in again, with your password or passkey, and send it again.",
  );
}

/**
 * Whether a request moves more than the organisation's limit. False for one that is refused anyway: it is refused
 * again, under its key.
 */
async function movesTooMuch(moves: Moves, prepare: () => AnyCall, { db }: Services): Promise<boolean> {
  try {
    const call = prepare();
    return await db.read(call.ctx.organisation.id, async (tx) => {
      const { reauthenticationLimit: limit } = await currentSettings(tx);
      const amount = limit === null ? null : await moves(call, tx);
      return limit !== null && amount != null && amount > fromRand(limit);
    });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false;
    throw error;
  }
}

const preview = async (read: NonNullable<WriteEndpoint["preview"]>, call: AnyCall, { db }: Services): Promise<Answer> =>
  toAnswer(await db.read(call.ctx.organisation.id, (tx) => read(call, tx)));

async function performWrite(
  endpoint: WriteEndpoint,
  call: AnyCall,
  services: Services,
  claim: Claim | null,
): Promise<Answer> {
  const prepared = await endpoint.prepare?.(call);
  const gathers = endpoint.alone?.(call.body) ? undefined : endpoint.gathers?.bind(endpoint);
  const inTransaction = gathers ? services.db.gathered : services.db.transaction;
  return inTransaction(call.ctx.organisation.id, async (tx) => {
    if (gathers) {
      gathers(tx);
      lockAsGathered(tx);
    }
    const reply = await endpoint.handle(call, tx, prepared);
    await requireAsOpened(tx, call, reply.audit, reply.part);
    audit(tx, endpoint, call, reply.audit);
    const answer = toAnswer(reply);
    claim?.store(tx, answer);
    return answer;
  });
}

async function performUpload(
  endpoint: UploadEndpoint,
  call: ReturnType<typeof fileCallOf>,
  services: Services,
): Promise<Answer> {
  const prepared = await endpoint.prepare(call);
  return services.db.transaction(call.ctx.organisation.id, async (tx) => {
    const reply = await endpoint.handle(call, tx, prepared);
    audit(tx, endpoint, call, reply.audit);
    return toAnswer(reply);
  });
}

/** Runs `record`, and the other two steps when a gateway has to be asked. */
async function performSteps(
  endpoint: GatewayEndpoint,
  call: AnyCall,
  services: Services,
  claim: Claim | null,
): Promise<Answer> {
  const recorded = await services.db.transaction(call.ctx.organisation.id, async (tx) => {
    claim?.begin(tx);
    const outcome = await endpoint.steps.record(call, tx);
    audit(tx, endpoint, call, outcome.audit);
    if ("intent" in outcome) claim?.keepIntent(tx, outcome.intent);
    else claim?.store(tx, toAnswer(outcome));
    return outcome;
  });
  if (!("intent" in recorded)) return toAnswer(recorded);
  return finish(endpoint, call, services, claim, { ...recorded, again: false });
}

/** A recorded intent; with `again`, another request recorded it. */
interface Intent {
  readonly intent: string;
  readonly again: boolean;
  /** The value that `record` returned. */
  readonly known?: unknown;
}

/** Runs `ask` and `settle`. */
async function finish(
  { steps }: GatewayEndpoint,
  call: AnyCall,
  services: Services,
  claim: Claim | null,
  { intent, again, known = null }: Intent,
): Promise<Answer> {
  const asked = await steps.ask(call, intent, again, known);
  return services.db.transaction(call.ctx.organisation.id, async (tx) => {
    const outcome = await steps.settle(call, tx, intent, asked);
    const answer = outcome instanceof ApiError ? refusalOf(outcome, call.ctx) : toAnswer(outcome);
    claim?.store(tx, answer);
    return answer;
  });
}

function audit(tx: Tx, { method, path }: Endpoint, { ctx }: AnyCall, changed: Reply["audit"]): void {
  recordAudit(tx, {
    ...ctx,
    action: `${method} ${path}`,
    subject: changed?.subject ?? null,
    before: changed?.before ?? null,
    after: changed?.after ?? null,
  });
}

const toAnswer = (reply: Reply): Answer => ({
  status: reply.status,
  text: reply.pieces ? "" : JSON.stringify(reply.body),
  ...(reply.pieces ? { pieces: reply.pieces } : {}),
  ...(reply.headers ? { headers: reply.headers } : {}),
});

/**
 * The JSON body, parsed by the rules of interface 4.1; an empty one is undefined. Throws 413 when it has more
 * characters than `max`.
 */
export function readBody(request: FastifyRequest, max = BODY_CHARACTERS_MAX): unknown {
  const bytes = request.body as Buffer | undefined;
  // A character has at least one byte, so a shorter body needs no count. Invalid UTF-8 is refused by `readJson`.
  if (bytes && bytes.length > max && codePoints(new TextDecoder().decode(bytes)) > max) throw tooLarge(max);
  return readJson(request);
}

/** Like `readBody`, but only the route's `bodyLimit` limits its length. */
export function readJson(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  if (!bytes || bytes.length === 0) return undefined;
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw unsupportedType();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("The body must be JSON in UTF-8.");
  }
  if (jsonDepth(text) > JSON_DEPTH_MAX) throw invalid(`The body must be JSON nested at most ${JSON_DEPTH_MAX} deep.`);
  try {
    return parseJson(text);
  } catch {
    throw invalid("The body must be JSON; it cannot be parsed.");
  }
}
