import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import { machineNow } from "../kernel/time.ts";
import { gaveUpWaiting, STORED_REPLY, sqlState, type Tx } from "../platform/database.ts";
import type { SealedColumn, SealedValue } from "../platform/sealed.ts";
import type { Answer } from "./answer.ts";

const KEY_MAX = 200;
/** A longer path is kept as its hash: with the key it must fit into an entry of the index. */
const PATH_MAX = 1000;

/** Scope of spec 4.1: organisation (the transaction's), method, exact path, key; and the body, byte for byte. */
export interface KeyedRequest {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyHash: Buffer;
}

/** What a keyed request adds to its transaction: the claim first, the stored reply last. */
export interface Claim {
  begin(tx: Tx): void;
  store(tx: Tx, answer: Answer): void;
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/** Null without the header; 400 when it is over 200 characters (contract 9). */
export function readIdempotencyKey(request: FastifyRequest): KeyedRequest | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  const bytes = Buffer.from(String(header), "latin1");
  // Some clients write headers in Latin-1. Read as UTF-8, all their letters beyond ASCII would be the same one.
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
 * Spec 4.1: the work and its stored reply are one transaction; a refusal is stored in one of its own. A second
 * request with the key waits for the first inside `claim_idempotency_key`, then replays. 5xx and 429 are never stored.
 */
export async function withStoredReply(
  services: Services,
  ctx: Ctx,
  request: KeyedRequest,
  work: (claim: Claim) => Promise<Answer>,
): Promise<Answer> {
  const claim = claimOf(services, ctx, request);
  const attempt = async (run: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await run();
    } catch (error) {
      if (sqlState(error) === STORED_REPLY) return replay(services, ctx, request);
      if (gaveUpWaiting(error, "claim_idempotency_key")) throw stillRunning();
      throw error;
    }
  };
  try {
    return await attempt(() => work(claim));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429 || aboutTheKey.has(error))
      throw error;
    const refusal: Answer = { status: error.status, text: JSON.stringify(error.body()), headers: error.headers };
    return attempt(() =>
      services.db.transaction(ctx.organisation.id, async (tx) => {
        claim.begin(tx);
        claim.store(tx, refusal);
        return refusal;
      }),
    );
  }
}

/** Conflicts over the key itself are not replies of the request, so they are not stored. */
const aboutTheKey = new WeakSet<ApiError>();

function conflict(message: string, headers: Record<string, string> = {}): ApiError {
  const error = new ApiError("idempotency_conflict", 409, message, { headers });
  aboutTheKey.add(error);
  return error;
}

const stillRunning = (): ApiError =>
  conflict("The first request with this Idempotency-Key is still running. Try again shortly.", { "retry-after": "2" });

const COLUMN = "idempotency_keys.reply";

const claimOf = (services: Services, ctx: Ctx, request: KeyedRequest): Claim => ({
  begin: (tx) => tx.queue`select claim_idempotency_key(${request.key}, ${request.method}, ${request.path})`,
  store(tx: Tx, answer: Answer) {
    const sealed = services.secrets.seal(answer.text, { organisation: ctx.organisation.id, column: COLUMN });
    tx.queue`
      insert into idempotency_keys (organisation_id, key, method, path, recorded_at, body_hash, status, reply_sealed)
      values (${tx.organisation}, ${request.key}, ${request.method}, ${request.path}, ${machineNow()}, ${request.bodyHash},
        ${answer.status}, ${sealed})`;
  },
});

async function replay(services: Services, ctx: Ctx, request: KeyedRequest): Promise<Answer> {
  const [row] = await services.db.read(
    ctx.organisation.id,
    (tx) => tx.sql<{ body_hash: Buffer; status: number; reply_sealed: string }>`
      select body_hash, status, reply_sealed from idempotency_keys
       where organisation_id = ${tx.organisation} and key = ${request.key} and method = ${request.method} and path = ${request.path}
       order by recorded_at desc limit 1`,
  );
  if (!row) throw stillRunning();
  if (!row.body_hash.equals(request.bodyHash))
    throw conflict("This Idempotency-Key was used with a different body. Use a new key for a new request.");
  return {
    status: row.status,
    text: services.secrets.open(row.reply_sealed, { organisation: ctx.organisation.id, column: COLUMN }),
    headers: { "idempotent-replayed": "true" },
  };
}

/** Stored replies, for `secrets rotate`; an id is the row's key as JSON. */
export const SEALED_REPLIES: SealedColumn = {
  column: "idempotency_keys.reply_sealed",
  sealedFor: COLUMN,
  next: (tx, current, after, limit) => {
    const [key = "", method = "", path = "", at = "-infinity"] = after === "" ? [] : (JSON.parse(after) as string[]);
    return tx.sql<SealedValue>`
      select jsonb_build_array(key, method, path, recorded_at)::text as id, reply_sealed as sealed from idempotency_keys
       where organisation_id = ${tx.organisation} and not starts_with(reply_sealed, ${current})
         and (key, method, path, recorded_at) > (${key}, ${method}, ${path}, ${at}::timestamptz)
       order by key, method, path, recorded_at limit ${limit}`;
  },
  replace: (tx, id, before, after) => {
    const [key, method, path, at] = JSON.parse(id) as string[];
    tx.queue`
      update idempotency_keys set reply_sealed = ${after}
       where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path}
         and recorded_at = ${at}::timestamptz and reply_sealed = ${before}`;
  },
};
