// Writes: api_keys. Reads nothing else.

import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Database, NOTHING, part, type Tx } from "../../platform/database.ts";
import { locking } from "../../platform/locks.ts";
import type { ApiKeysRow } from "../../platform/rows.ts";
import type { ListQuery } from "../../platform/schema.ts";
import type { ApiKey } from "./types.ts";

type ApiKeyRow = Omit<ApiKeysRow, "organisation_id" | "secret_hash">;

const fromRow = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  prefix: row.prefix,
  name: row.name,
  permissions: row.permissions,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});

/** Inserts a key. Violates `api_keys_prefix` in the rare case that another key has its prefix. */
export function insertApiKey(tx: Tx, key: ApiKey, secretHash: Buffer): void {
  tx.queue`
    insert into api_keys (organisation_id, id, prefix, secret_hash, name, permissions, created_at)
    values (${tx.organisation}, ${key.id}, ${key.prefix}, ${secretHash}, ${key.name}, ${key.permissions}, ${key.createdAt})`;
}

/** Newest first, revoked ones too; `q` searches the name. */
export async function listApiKeys(tx: Tx, query: ListQuery): Promise<ApiKey[]> {
  const rows = await tx.sql<ApiKeyRow>`
    select id, prefix, name, permissions, created_at, revoked_at from api_keys where organisation_id = ${tx.organisation}
      ${query.startingAfter === undefined ? NOTHING : part`and id < ${query.startingAfter}`}
      ${query.q ? part`and name ilike ${containing(query.q)}` : NOTHING}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findApiKey(tx: Tx, id: string): Promise<ApiKey | null> {
  const [row] = await tx.sql<ApiKeyRow>`
    select id, prefix, name, permissions, created_at, revoked_at from api_keys where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Locks a key until the transaction ends. Null when absent or another organisation's. */
export async function lockApiKey(tx: Tx, id: string): Promise<ApiKey | null> {
  const [row] = await locking(tx, "API key").sql<ApiKeyRow>`
    select id, prefix, name, permissions, created_at, revoked_at from api_keys
     where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Updates name and permissions. */
export function updateApiKey(tx: Tx, key: ApiKey): void {
  tx.queue`
    update api_keys set name = ${key.name}, permissions = ${key.permissions} where organisation_id = ${tx.organisation} and id = ${key.id}`;
}

/** Revokes the key for every request that begins after the commit (interface 12.1). False when it was revoked before. */
export async function revokeApiKey(tx: Tx, id: string, at: Instant): Promise<boolean> {
  const rows = await tx.sql`
    update api_keys set revoked_at = ${at} where organisation_id = ${tx.organisation} and id = ${id} and revoked_at is null returning id`;
  return rows.length > 0;
}

/**
 * A client that makes a request: its network as limits count it (`networkOf`), and its API key, found by the prefix and proved by
 * the hash of the whole key.
 */
export interface Caller {
  readonly network: string;
  readonly credentials: { readonly prefix: string; readonly hash: Buffer } | null;
}

/** What is known of a caller, with this request counted. */
export interface Admission {
  readonly addressRequests: number;
  /** The key with the prefix, proved or not; its requests count only when it is proved. Null when there is none. */
  readonly key: {
    readonly id: string;
    readonly secretHash: Buffer;
    readonly permissions: readonly string[];
    readonly requests: number;
    /** A row for `organisationFromRow`. */
    readonly organisation: unknown;
  } | null;
}

interface AdmissionRow {
  address_requests: number;
  key_id: string | null;
  secret_hash: Buffer | null;
  permissions: string[] | null;
  key_requests: number | null;
}

/**
 * Counts each caller's network and key in the window that began at `window` (Unix seconds), in the order given, and finds the keys.
 * Runs a function of the gate (decision 2). A key is not looked up when its network is over `addressLimit`.
 */
export async function admitCallers(
  db: Pick<Database, "sql">,
  callers: readonly Caller[],
  { addressLimit, window }: { addressLimit: number; window: number },
): Promise<Admission[]> {
  const rows = await db.sql<AdmissionRow>`
    select * from admit_requests(${callers.map(({ network }) => network)}, ${addressLimit},
      ${callers.map(({ credentials }) => credentials?.prefix ?? null)}, ${callers.map(({ credentials }) => credentials?.hash ?? null)},
      ${window})`;
  return rows.map(({ address_requests, key_id, secret_hash, permissions, key_requests, ...organisation }) => ({
    addressRequests: address_requests,
    key:
      key_id === null || secret_hash === null
        ? null
        : {
            id: key_id,
            secretHash: secret_hash,
            permissions: permissions ?? [],
            requests: key_requests ?? 0,
            organisation,
          },
  }));
}
