import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import { assert } from "../kernel/assert.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import type { Tx } from "../platform/database.ts";
import {
  type ClaimedKey,
  claimKey,
  findKept,
  isStillRunning,
  isStored,
  type KeyScope,
  keepIntent,
  REPLY_COLUMN,
  settleIntent,
  storeReply,
  takeOverIntent,
} from "../platform/idempotency-keys.ts";
import type { Answer } from "./answer.ts";
import { errorText } from "./errors.ts";

const KEY_MAX = 200;
/** A longer path is stored as its hash: path and key must fit into an index entry. */
const PATH_MAX = 1000;

/**
 * The scope of a key by interface 4.1 (method, exact path and key; the organisation is the transaction's), and a hash
 * of the exact body.
 */
export interface KeyedRequest extends KeyScope {
  readonly bodyHash: Buffer;
}

/** What a request with a key adds to its transactions. */
export interface Claim {
  /** Claims the key before there is a reply, for a call that must happen once, outside of the transaction. */
  begin(tx: Tx): void;
  /** Stores the id of the intent under the claimed key. */
  keepIntent(tx: Tx, intent: string): void;
  /**
   * Stores the reply, as the last statement; claims the key with it unless it is already claimed. A 5xx is not stored:
   * a repeated request is then answered by the intent's status.
   */
  store(tx: Tx, answer: Answer): void;
}

/**
 * `begin` performs a request with a key; `resume`, where there are intents, answers a request whose key already has
 * one.
 */
export interface KeyedWork {
  begin(claim: Claim): Promise<Answer>;
  resume?(claim: Claim, intent: string): Promise<Answer>;
}

/** How long a repeated request waits for the first one with its key. */
const WAIT_MS = 10_000;
const POLL_MS = 200;

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/** The key of a request; null without the header. Throws 400 when it is longer than 200 characters (interface 4.1). */
export function readIdempotencyKey(request: FastifyRequest): KeyedRequest | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  const bytes = Buffer.from(String(header), "latin1");
  // Some clients write headers in Latin-1. Decoded as UTF-8, every letter outside ASCII would become the same
  // replacement character.
  const key = bytes.toString(isUtf8(bytes) ? "utf8" : "latin1").trim();
  if (key === "") return null;
  if (codePoints(key) > KEY_MAX || !isStorable(key))
    throw invalid(`The Idempotency-Key must be at most ${KEY_MAX} characters.`);
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const path = request.url.split("?", 1)[0] ?? "";
  return {
    key,
    method: request.method,
    path: path.length > PATH_MAX ? sha256(path).toString("hex") : path,
    bodyHash: sha256(body),
  };
}

/**
 * Performs a request under its Idempotency-Key (interface 4.1). The work and its stored reply are one transaction; a
 * refusal is stored in its own transaction. A second request with the key waits for the first where it would store its
 * own reply, rolls its work back and replays the first one's reply; when the first has left an intent without a reply,
 * the second resumes the intent. 5xx and 429 are never stored.
 */
export async function withStoredReply(
  services: Services,
  ctx: Ctx,
  request: KeyedRequest,
  work: KeyedWork,
): Promise<Answer> {
  const claim = claimOf(services, ctx, request, null);
  const attempt = async (run: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await run();
    } catch (error) {
      if (isStored(error)) return repeat(services, ctx, request, work);
      if (isStillRunning(error)) throw stillRunning();
      throw error;
    }
  };
  try {
    return await attempt(() => work.begin(claim));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429 || keyConflicts.has(error))
      throw error;
    const refusal = refusalOf(error, ctx);
    // A separate claim, because the one that the work made is rolled back.
    const refused = claimOf(services, ctx, request, null);
    return attempt(() =>
      services.db.transaction(ctx.organisation.id, async (tx) => {
        refused.store(tx, refusal);
        return refusal;
      }),
    );
  }
}

/** A refusal as the answer to the request. */
export const refusalOf = (
  error: ApiError,
  about: { readonly baseUrl: string; readonly requestId: string | null },
): Answer => ({
  status: error.status,
  text: errorText(error, about),
  headers: error.headers,
});

/** Errors about the key itself. They are not replies to the request, so they are not stored. */
const keyConflicts = new WeakSet<ApiError>();

function conflict(message: string, headers: Record<string, string> = {}): ApiError {
  const error = new ApiError("idempotency_conflict", 409, message, { headers });
  keyConflicts.add(error);
  return error;
}

const stillRunning = (): ApiError =>
  conflict("The first request with this Idempotency-Key is still running. Try again shortly.", { "retry-after": "2" });

function claimOf(services: Services, ctx: Ctx, request: KeyedRequest, known: ClaimedKey | null): Claim {
  let claimed = known;
  const mine = (): ClaimedKey => {
    assert(claimed, "a key is claimed before anything is kept under it");
    return claimed;
  };
  return {
    begin(tx) {
      claimed = claimKey(tx, request, request.bodyHash, null);
    },
    keepIntent: (tx, intent) => keepIntent(tx, mine(), intent),
    store(tx, { text, status }) {
      if (status >= 500) return settleIntent(tx, mine());
      const sealed = services.secrets.seal(text, { organisation: ctx.organisation.id, column: REPLY_COLUMN });
      if (claimed) storeReply(tx, claimed, { status, sealed });
      else claimKey(tx, request, request.bodyHash, { status, sealed });
    },
  };
}

/**
 * Answers a request whose key was claimed earlier. When several requests find an intent that no request is working on,
 * one resumes it and the others wait for that one.
 */
async function repeat(services: Services, ctx: Ctx, request: KeyedRequest, work: KeyedWork): Promise<Answer> {
  const { id: organisation } = ctx.organisation;
  for (let waited = 0; ; waited += POLL_MS) {
    const kept = await services.db.read(organisation, (tx) => findKept(tx, request));
    if (!kept) throw stillRunning();
    if (!kept.bodyHash.equals(request.bodyHash))
      throw conflict("This Idempotency-Key was used with a different body. Use a new key for a new request.");
    const { reply, intent } = kept;
    if (reply)
      return {
        status: reply.status,
        text: services.secrets.open(reply.sealed, { organisation, column: REPLY_COLUMN }),
        headers: { "idempotent-replayed": "true" },
      };
    if (
      work.resume &&
      intent?.free &&
      (await services.db.transaction(organisation, (tx) => takeOverIntent(tx, intent.claimed)))
    )
      return work.resume(claimOf(services, ctx, request, intent.claimed), intent.id);
    if (waited >= WAIT_MS) throw stillRunning();
    await sleep(POLL_MS);
  }
}
