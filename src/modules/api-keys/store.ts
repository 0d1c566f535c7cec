// Writes: api_keys. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import type { ApiKeysRow } from "../../domain/rows.ts";
import { assert } from "../../kernel/assert.ts";
import { containing } from "../../kernel/text.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { type Database, part, type Tx, when } from "../../platform/database.ts";
import type { ApiKey, KeyLimits } from "./types.ts";

type ApiKeyRow = Omit<ApiKeysRow, "organisation_id" | "secret_hash">;

const COLUMNS = part`
  id, prefix, name, permissions, scopes, expires_at, allowed_addresses, strict, created_at, revoked_at, last_used_on`;

const fromRow = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  prefix: row.prefix,
  name: row.name,
  permissions: row.permissions,
  scopes: row.scopes as ApiKey["scopes"],
  expiresAt: row.expires_at,
  allowedAddresses: row.allowed_addresses,
  strict: row.strict,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  lastUsedOn: row.last_used_on,
});

/** Inserts a key. Violates `api_keys_prefix` in the rare case that another key has its prefix. */
export function insertApiKey(tx: Tx, key: Omit<ApiKey, "revokedAt" | "lastUsedOn">, secretHash: Buffer): void {
  tx.queue`
    insert into api_keys (organisation_id, id, prefix, secret_hash, name, permissions, scopes, expires_at, allowed_addresses, strict,
      created_at)
    values (${tx.organisation}, ${key.id}, ${key.prefix}, ${secretHash}, ${key.name}, ${key.permissions}, ${key.scopes}, ${key.expiresAt},
      ${key.allowedAddresses}, ${key.strict}, ${key.createdAt})`;
}

/** Newest first, revoked ones too; `q` searches the name. */
export async function listApiKeys(tx: Tx, query: ListQuery): Promise<ApiKey[]> {
  const rows = await tx.sql<ApiKeyRow>`
    select ${COLUMNS} from api_keys where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${when(query.q || null, (q) => part`and name ilike ${containing(q)}`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findApiKey(tx: Tx, id: string): Promise<ApiKey | null> {
  const [row] = await tx.sql<ApiKeyRow>`
    select ${COLUMNS} from api_keys where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Locks a key until the transaction ends. Null when absent or another organisation's. */
export async function lockApiKey(tx: Tx, id: string): Promise<ApiKey | null> {
  const [row] = await locking(tx, "API key").sql<ApiKeyRow>`
    select ${COLUMNS} from api_keys
     where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Updates the name, and what the key may do, until when and from where. */
export function updateApiKey(tx: Tx, key: ApiKey): void {
  tx.queue`
    update api_keys set name = ${key.name}, permissions = ${key.permissions}, scopes = ${key.scopes}, expires_at = ${key.expiresAt},
           allowed_addresses = ${key.allowedAddresses}, strict = ${key.strict}
     where organisation_id = ${tx.organisation} and id = ${key.id}`;
}

/** Notes that these keys were used on a day, unless a later day is noted. */
export const markUsed = (tx: Tx, ids: readonly string[], day: CalendarDay): void => tx.queue`
  update api_keys set last_used_on = ${day} where organisation_id = ${tx.organisation} and id = any (${ids})
     and (last_used_on is null or last_used_on < ${day})`;

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

/** What admission needs about a caller, with this request counted. */
export interface Admission {
  readonly addressRequests: number;
  /**
   * The key with the prefix; `proved` when the hash of the whole key matches too. Its requests are counted only then.
   * Null when there is none.
   */
  readonly key: {
    readonly id: string;
    readonly secretHash: Buffer;
    readonly permissions: readonly string[];
    readonly limits: KeyLimits;
    readonly requests: number;
    /** A row for `organisationFromRow`. */
    readonly organisation: unknown;
  } | null;
}

interface AdmissionRow {
  n: number;
  address_requests: number;
  key_id: string | null;
  secret_hash: Buffer | null;
  permissions: string[] | null;
  scopes: string[] | null;
  expires_at: Instant | null;
  allowed_addresses: string[] | null;
  is_strict: boolean | null;
  key_requests: number | null;
}

/** Requests of one caller that arrived together. */
interface Arrival {
  readonly caller: Caller;
  requests: number;
}

/**
 * Counts each caller's network and key in the window that began at `window` (Unix seconds), and finds the keys. Callers
 * who are the same are counted at once (decisions.md#admission-in-one-statement). Runs a function of the gate
 * (decisions.md#gate-functions). A key is not looked up, nor counted, when its network is over `addressLimit`.
 */
export async function admitCallers(
  db: Pick<Database, "sql">,
  callers: readonly Caller[],
  { addressLimit, window }: { addressLimit: number; window: number },
): Promise<Admission[]> {
  const arrivals = new Map<string, Arrival>();
  const places = callers.map((caller) => {
    const same = sameCaller(caller);
    const arrival = arrivals.get(same) ?? { caller, requests: 0 };
    arrivals.set(same, arrival);
    return { same, after: ++arrival.requests };
  });
  const together = [...arrivals.values()];
  const rows = await db.sql<AdmissionRow>`
    select * from admit_requests(${together.map(({ caller }) => caller.network)}, ${addressLimit},
      ${together.map(({ caller }) => caller.credentials?.prefix ?? null)},
      ${together.map(({ caller }) => caller.credentials?.hash ?? null)},
      ${together.map(({ requests }) => requests)}, ${window})`;
  const found = new Map([...arrivals].map(([same, { requests }], index) => [same, { requests, row: rows[index] }]));
  return places.map(({ same, after }) => {
    const { requests, row } = found.get(same) ?? {};
    assert(requests !== undefined && row !== undefined, "each caller is answered");
    return admissionOf(row, { requests, after, addressLimit });
  });
}

const sameCaller = ({ network, credentials }: Caller): string =>
  credentials === null ? network : `${network} ${credentials.prefix} ${credentials.hash.toString("latin1")}`;

/**
 * The admission of the request at the position `after` among the `requests` of its caller: the row has the counts after
 * the last of them.
 */
function admissionOf(
  { n, address_requests, key_id, secret_hash, permissions, key_requests, ...row }: AdmissionRow,
  { requests, after, addressLimit }: { requests: number; after: number; addressLimit: number },
): Admission {
  const addressRequests = address_requests - requests + after;
  if (key_id === null || secret_hash === null || addressRequests > addressLimit) return { addressRequests, key: null };
  const { scopes, expires_at, allowed_addresses, is_strict, ...organisation } = row;
  const counted = Math.min(requests, addressLimit - (address_requests - requests));
  return {
    addressRequests,
    key: {
      id: key_id,
      secretHash: secret_hash,
      permissions: permissions ?? [],
      limits: {
        scopes: scopes as KeyLimits["scopes"],
        expiresAt: expires_at,
        allowedAddresses: allowed_addresses ?? [],
        strict: is_strict ?? false,
      },
      requests: key_requests === null ? 0 : key_requests - counted + after,
      organisation,
    },
  };
}
