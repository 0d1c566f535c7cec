import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { type Ctx, realTime } from "../flows/context.ts";
import { currentSettings } from "../flows/organisations/settings.ts";
import type { Services } from "../flows/services.ts";
import { assert } from "../kernel/assert.ts";
import { ApiError, invalid, notFound } from "../kernel/errors.ts";
import type { MemberId } from "../kernel/ids.ts";
import { JSON_DEPTH_MAX, jsonDepth, parseJson } from "../kernel/json.ts";
import { fromRand } from "../kernel/money.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import { type Instant, secondsBetween } from "../kernel/time.ts";
import { recordAudit } from "../modules/audit-log/store.ts";
import type { Role } from "../modules/members/types.ts";
import type { Tx } from "../platform/database.ts";
import { lockAsGathered } from "../platform/locks.ts";
import type { Answer } from "./answer.ts";
import { type Audience, type Call, type Endpoint, isRead, type Reply } from "./endpoint.ts";
import { BODY_CHARACTERS_MAX, parse, tooLarge, unsupportedType } from "./errors.ts";
import { sendFile } from "./files.ts";
import { type Claim, readIdempotencyKey, refusalOf, withStoredReply } from "./idempotency.ts";
import { withoutDashboardParameters } from "./lists.ts";
import { refuseOtherMethods } from "./methods.ts";
import { partOpened, requireAsOpened } from "./opened.ts";
import { acceptUploads, uploadedForm, withUpload } from "./uploads.ts";

/** A request that has passed the first guards of its API. */
export interface Admitted extends Admission {
  /** By the machine's clock. */
  readonly receivedAt: Instant;
}

/** The facts about a request that the first guards of an API have read. */
interface Admission {
  readonly ctx: Ctx;
  /** Headers of every answer to it, refusals included (interface 8). */
  readonly headers: Readonly<Record<string, string>>;
  /** The member of staff, in the dashboard's API; undefined in the client API. */
  readonly member?: { readonly id: MemberId; readonly role: Role };
  /** When the member last signed in; undefined in the client API. */
  readonly signedInAt?: Instant;
  /** Called before the body is read. Throws 403 `plan_restricted`. */
  checkPlan(): void;
  /** Called after the Idempotency-Key is read. Throws 403 `account_restricted` or `permission_required`. */
  checkOrganisation(): void;
}

/** An API that serves endpoints: the client API, with keys, or the dashboard's, with sessions. */
export interface Api {
  readonly prefix: string;
  /** The audiences of its endpoints; others are not mounted in it. */
  readonly audiences: readonly Audience[];
  admit(request: FastifyRequest, endpoint: Endpoint): Promise<Admission>;
}

/** How long a sign-in counts as a proof of identity, in seconds, for changes that move large amounts. */
const PROOF_SECONDS = 300;

/** Mounts in an API the endpoints of its audiences. Other methods of their paths answer 405. Refusals have the order of interface 7.4. */
export function mountEndpoints(app: FastifyInstance, api: Api, offered: readonly Endpoint[], services: Services): void {
  const endpoints = offered.filter(({ audience }) => api.audiences.includes(audience));
  const paths = new Map<string, Set<string>>();
  for (const endpoint of endpoints) {
    const url = urlOf(api, endpoint);
    const known = paths.get(url);
    if (known) known.add(endpoint.method);
    else paths.set(url, new Set<string>([endpoint.method]));
    if (!endpoint.upload) app.route(routeOf(api, endpoint, services));
  }
  app.register(async (scope) => {
    acceptUploads(scope);
    for (const endpoint of endpoints) if (endpoint.upload) scope.route(routeOf(api, endpoint, services));
  });
  for (const [url, known] of paths) refuseOtherMethods(app, url, known);
}

const urlOf = (api: Api, { base, path }: Endpoint): string =>
  (base ?? api.prefix) + path.replaceAll(/\{(\w+)\}/g, ":$1");

const routeOf = (api: Api, endpoint: Endpoint, services: Services): RouteOptions => ({
  method: endpoint.method,
  url: urlOf(api, endpoint),
  exposeHeadRoute: false,
  onRequest: async (request, reply) => {
    const receivedAt = realTime();
    const admitted = await api.admit(request, endpoint);
    request.admitted = { ...admitted, receivedAt };
    reply.headers(admitted.headers);
    admitted.checkPlan();
  },
  handler: async (request, reply) =>
    endpoint.download
      ? sendFile(
          reply,
          await endpoint.download(callOf(endpoint, request, services, endpoint.body && readBody(request))),
        )
      : send(reply, await serve(endpoint, request, services)),
});

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...answer.headers })
    .send(answer.pieces ? Readable.from(answer.pieces, { objectMode: false }) : answer.text);
}

async function serve(endpoint: Endpoint, request: FastifyRequest, services: Services): Promise<Answer> {
  const { organisation } = (request.admitted as Admitted).ctx;
  if (endpoint.upload)
    return withUpload(request, endpoint.upload, { of: organisation.id, payer: false }, (upload) =>
      answerOf(endpoint, request, services, upload),
    );
  // A body is checked even when the endpoint does not use one.
  return answerOf(endpoint, request, services, readBody(request, lengthOf(endpoint, request)));
}

async function answerOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  services: Services,
  raw: unknown,
): Promise<Answer> {
  const key = endpoint.idempotent ? readIdempotencyKey(request) : null;
  const prepare = () => callOf(endpoint, request, services, raw);
  if (endpoint.preview && isDryRun(raw)) return preview(endpoint, prepare(), services);
  if (endpoint.moves) await requireProof(endpoint, prepare, services, request.admitted as Admitted);
  if (!key) return perform(endpoint, prepare(), services, null);
  const { ctx } = request.admitted as Admitted;
  return withStoredReply(services, ctx, key, {
    begin: (claim) => perform(endpoint, prepare(), services, claim),
    resume: (claim, intent) =>
      finish(endpoint, inputOf(endpoint, request, services, raw), services, claim, { intent, again: true }),
  });
}

/** The largest body: the basis of an edit may be as long as the body itself. */
const lengthOf = ({ edits }: Endpoint, { admitted }: FastifyRequest): number =>
  edits && (admitted as Admitted).member ? 2 * BODY_CHARACTERS_MAX : BODY_CHARACTERS_MAX;

const isDryRun = (raw: unknown): boolean =>
  typeof raw === "object" && raw !== null && "dryRun" in raw && raw.dryRun === true;

type AnyCall = Call<unknown, unknown, unknown>;

/** Runs the last guards, then parses the request. */
function callOf(endpoint: Endpoint, request: FastifyRequest, services: Services, raw?: unknown): AnyCall {
  (request.admitted as Admitted).checkOrganisation();
  return inputOf(endpoint, request, services, raw);
}

/** Parses the request by the endpoint's schemas. Without the last guards: a resumed intent passed them when it was recorded. */
function inputOf(endpoint: Endpoint, request: FastifyRequest, services: Services, given: unknown): AnyCall {
  const { ctx, member = null, receivedAt } = request.admitted as Admitted;
  const { raw, opened } = member ? partOpened(endpoint, given) : { raw: given };
  const asked = member ? request.query : withoutDashboardParameters(endpoint, request.query);
  const query = endpoint.query ? parse(endpoint.query, asked, "query") : {};
  const body = endpoint.upload
    ? uploadedForm(raw, endpoint.upload)
    : endpoint.body && parse(endpoint.body, raw, "body");
  return { ctx, member, receivedAt, services, params: readParams(request), query, body, ...(opened && { opened }) };
}

/** The path's parameters. Throws 404 for text that PostgreSQL cannot store, since no record can have it. */
function readParams(request: FastifyRequest): unknown {
  const params = Object.values(request.params as Record<string, string>);
  if (!params.every(isStorable)) throw notFound("record");
  return request.params;
}

/**
 * Throws 403 `reauthentication_required` for a change that moves more than the organisation's limit, when the sign-in is older than
 * `PROOF_SECONDS`.
 */
async function requireProof(
  endpoint: Endpoint,
  prepare: () => AnyCall,
  services: Services,
  { signedInAt, receivedAt }: Admitted,
): Promise<void> {
  if (!signedInAt || secondsBetween(signedInAt, receivedAt) <= PROOF_SECONDS) return;
  if (!(await movesTooMuch(endpoint, prepare, services))) return;
  throw new ApiError(
    "reauthentication_required",
    403,
    "This moves more than your organisation's limit. Sign in again, with your password or passkey, and send it again.",
  );
}

/** Whether a request moves more than the organisation's limit. False for one that is refused anyway: `perform` refuses it, under its key. */
async function movesTooMuch(endpoint: Endpoint, prepare: () => AnyCall, { db }: Services): Promise<boolean> {
  try {
    const call = prepare();
    return await db.read(call.ctx.organisation.id, async (tx) => {
      const { reauthenticationLimit: limit } = await currentSettings(tx);
      const amount = limit === null ? null : await endpoint.moves?.(call, tx);
      return limit !== null && amount != null && amount > fromRand(limit);
    });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false;
    throw error;
  }
}

async function preview(endpoint: Endpoint, call: AnyCall, services: Services): Promise<Answer> {
  return toAnswer(
    await services.db.read(call.ctx.organisation.id, async (tx) => {
      assert(endpoint.preview, `${endpoint.path} has a preview`);
      return endpoint.preview(call, tx);
    }),
  );
}

async function perform(endpoint: Endpoint, call: AnyCall, services: Services, claim: Claim | null): Promise<Answer> {
  if (endpoint.run) return toAnswer(await endpoint.run(call));
  if (endpoint.steps) return performSteps(endpoint, call, services, claim);
  const handle = endpoint.handle?.bind(endpoint);
  if (!handle) throw new Error(`${endpoint.method} ${endpoint.path} has no handler`);
  if (isRead(endpoint))
    return toAnswer(await services.db.read(call.ctx.organisation.id, (tx) => handle(call, tx, null)));
  const prepared = await endpoint.prepare?.(call);
  const gathers = endpoint.alone?.(call.body) ? undefined : endpoint.gathers?.bind(endpoint);
  const inTransaction = gathers ? services.db.gathered : services.db.transaction;
  return inTransaction(call.ctx.organisation.id, async (tx) => {
    if (gathers) {
      gathers(tx);
      lockAsGathered(tx);
    }
    const reply = await handle(call, tx, prepared);
    await requireAsOpened(tx, call, reply.audit, reply.part);
    audit(tx, endpoint, call, reply.audit);
    const answer = toAnswer(reply);
    claim?.store(tx, answer);
    return answer;
  });
}

/** Runs `record`, then the other two steps when a gateway has to be asked. */
async function performSteps(
  endpoint: Endpoint,
  call: AnyCall,
  services: Services,
  claim: Claim | null,
): Promise<Answer> {
  const recorded = await services.db.transaction(call.ctx.organisation.id, async (tx) => {
    assert(endpoint.steps, `${endpoint.path} has steps`);
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

/** An intent that was recorded, by another request when `again`. */
interface Intent {
  readonly intent: string;
  readonly again: boolean;
  /** The value that `record` returned. */
  readonly known?: unknown;
}

/** Runs `ask` and `settle`. */
async function finish(
  { path, steps }: Endpoint,
  call: AnyCall,
  services: Services,
  claim: Claim | null,
  { intent, again, known = null }: Intent,
): Promise<Answer> {
  assert(steps, `${path} has steps`);
  const asked = await steps.ask(call, intent, again, known);
  return services.db.transaction(call.ctx.organisation.id, async (tx) => {
    const outcome = await steps.settle(call, tx, intent, asked);
    const answer = outcome instanceof ApiError ? refusalOf(outcome) : toAnswer(outcome);
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

/** The JSON body, parsed by the rules of interface 4.1; an empty one is undefined. Throws 413 for more characters than `max`. */
export function readBody(request: FastifyRequest, max = BODY_CHARACTERS_MAX): unknown {
  const bytes = request.body as Buffer | undefined;
  // A character has at least one byte, so a shorter body needs no count. Invalid UTF-8 is refused by `readJson`.
  if (bytes && bytes.length > max && codePoints(new TextDecoder().decode(bytes)) > max) throw tooLarge();
  return readJson(request);
}

/** As `readBody`, but only the route's `bodyLimit` limits its length. */
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
