import { randomUUID } from "node:crypto";
import pg from "pg";
import { ApiError } from "../kernel/errors.ts";
import { addSeconds, type Instant, instant, secondsBetween } from "../kernel/time.ts";
import { unavailable, withoutDatabase } from "./faults.ts";
import type { Log } from "./log.ts";
import { breakWhenSilent, NOTICES_LOSS, unusedMs } from "./lost-servers.ts";
import { machineNow } from "./machine-clock.ts";
import { hashPassword, type PasswordCost, verifyPassword } from "./passwords.ts";
import type { Library } from "./sign-in-library.ts";

/** A person who signs in. Their memberships, not this, say what they may do. */
export interface StaffUser {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
}

/** The session and user of a request's cookie. */
export interface StaffSession {
  /** Id of the session; not a secret. */
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** Whether signing in asks for a second factor. */
  readonly twoFactor: boolean;
  /** When the session was opened: the last time that its person proved who they are. By the machine's clock. */
  readonly signedInAt: Instant;
}

/** A session that has not ended. Times are those of the machine's clock. */
export interface OpenSession {
  readonly id: string;
  readonly startedAt: Instant;
  /** To five minutes. */
  readonly usedAt: Instant;
  readonly address: string | null;
  /** The browser's `User-Agent`. */
  readonly browser: string | null;
}

/** Sign-in of staff. Callers do not see the library that does it. */
export interface Identity {
  /**
   * Answers a request below `IDENTITY_PATH` as the library does. The caller decides which paths are open and applies rate
   * limits. The client's address is read from `ADDRESS_HEADER`.
   */
  handle(request: Request): Promise<Response>;
  /**
   * The session of the cookie; null when there is none. Nothing is cached, so a revoked session ends at once. Counts as a use; ends and
   * refuses a session that was not used for 12 hours.
   */
  session(headers: Headers): Promise<StaffSession | null>;
  /** Ends a session, by its `id`. */
  endSession(id: string): Promise<void>;
  /** The user's sessions that have not ended, the one used last first. */
  sessionsOf(userId: string): Promise<OpenSession[]>;
  /** Ends a session of the user; false when there is no such one. */
  endSessionOf(userId: string, id: string): Promise<boolean>;
  /** Ends the user's trusted devices, reset links and second steps under way, as a new password or second factor must. */
  endTrust(userId: string): Promise<void>;
  rename(userId: string, name: string): Promise<void>;
  /** Answers the user's id. For a known address that is the existing user's, whose password does not change. */
  createUser(user: { email: string; name: string; password: string }): Promise<string>;
  /** By e-mail address, whatever its case. */
  findUser(email: string): Promise<StaffUser | null>;
  /** Whether this is the user's present password. */
  hasPassword(userId: string, password: string): Promise<boolean>;
  /** Encrypts second factors again under the current secret, for `tefo secrets rotate`. Answers how many. */
  reseal(): Promise<number>;
  /** Loads the library in advance, so that the first sign-in does not wait for it. */
  prepare(): Promise<void>;
  /** Waits for mails that are being sent, then closes the connections. */
  close(): Promise<void>;
}

export interface IdentityOptions {
  /** Of new hashes. Tests, which hash for each person, choose a lower one; nothing that an operator sets does. */
  readonly passwordCost?: PasswordCost;
  readonly databaseUrl: string;
  /** {base_url}. */
  readonly baseUrl: string;
  /**
   * 32 bytes each, the current one first: `secrets.deriveAll("identity")`. Sessions end when their secret is removed;
   * second factors can be resealed.
   */
  readonly secrets: readonly Buffer[];
  readonly secureCookies: boolean;
  readonly log: Log;
  /** Sends at once and stores nothing, unlike an organisation's mails, which its members can read. Null: no password resets by mail. */
  readonly mail: ((to: string, subject: string, text: string) => Promise<void>) | null;
  readonly connections?: number;
}

/** Requests below this path go to `handle`. */
export const IDENTITY_PATH = "/dashboard/api/auth";
/** Set by the HTTP layer, which knows how many proxies are trusted. */
export const ADDRESS_HEADER = "x-tefo-client-address";

/** A session that is not used for this time ends: longer than a pause in a working day, shorter than a night and its day. */
const IDLE_SECONDS = 12 * 3600;
/** The last use is written at most once in this time, not for each request. */
const USE_NOTED_SECONDS = 5 * 60;
const NO_PASSKEY = "FAILED_TO_VERIFY_REGISTRATION";

/** Connects as `tefo_identity`, which sees the schema `identity` alone; connections are made on demand. */
export function openIdentity(options: IdentityOptions): Identity {
  const pool = openPool(options);
  const fault = faultOf(pool);
  const mails = new Set<Promise<void>>();
  const library = loading(() => loadLibrary(options, pool, mails));
  return {
    async handle(request) {
      const began = performance.now();
      const response = await library()
        .then(({ handle }) => handle(request))
        .catch(async (error: unknown) => {
          throw await fault(began, error);
        });
      if (response.status < 500) return response;
      const text = await response.text();
      const error = await fault(began, new Error(`identity answered ${response.status}`));
      // The library answers 500 when the caller sent something that is not a passkey.
      if (text.includes(NO_PASSKEY) && !(error instanceof ApiError)) return new Response(text, { status: 400 });
      throw error;
    },
    async session(headers) {
      const found = await library()
        .then(({ session }) => session(headers))
        .catch((error: unknown) => {
          // It reads the database and nothing else.
          throw withoutDatabase(error);
        });
      if (!found || !(await noteUse(pool, found.session))) return null;
      const { id, email, name, twoFactorEnabled } = found.user;
      return {
        id: found.session.id,
        userId: id,
        email,
        name,
        twoFactor: twoFactorEnabled === true,
        signedInAt: instant(found.session.createdAt),
      };
    },
    endSession: (id) => endSession(pool, id),
    sessionsOf: (userId) => sessionsOf(pool, userId),
    endSessionOf: (userId, id) => endSessionOf(pool, userId, id),
    endTrust: (userId) => endTrust(pool, userId),
    rename: (userId, name) => rename(pool, userId, name),
    async createUser({ email, name, password }) {
      const known = await findUser(pool, email);
      if (known) return known.id;
      const made = await insertUser(pool, {
        email: email.trim().toLowerCase(),
        name,
        hash: await hashPassword(password, options.passwordCost),
      });
      // Another process may have inserted the user between the read and the insert.
      const id = made ?? (await findUser(pool, email))?.id;
      if (id === undefined) throw new Error("a user was neither found nor made");
      return id;
    },
    findUser: (email) => findUser(pool, email),
    hasPassword: (userId, password) => hasPassword(pool, userId, password),
    reseal: async () => reseal(pool, await (await library()).sealing()),
    prepare: async () => void (await library()),
    async close() {
      await Promise.allSettled(mails);
      await pool.end();
    },
  };
}

function openPool({ databaseUrl, connections }: IdentityOptions): WatchedPool {
  const pool = new WatchedPool({
    connectionString: databaseUrl,
    options: "-c role=tefo_identity -c search_path=identity -c statement_timeout=10000 -c lock_timeout=5000",
    application_name: "tefo identity",
    max: connections ?? 4,
    idleTimeoutMillis: unusedMs(),
    ...NOTICES_LOSS,
  });
  pool.on("connect", (client) => {
    // Without a listener for `error` on every client, a connection that is lost ends the process.
    client.on("error", () => {});
    breakWhenSilent(client);
  });
  pool.on("error", () => {});
  return pool;
}

/** Calls `load` once, at the first use; after a failure the next use calls it again. */
function loading<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}

async function loadLibrary(options: IdentityOptions, pool: WatchedPool, mails: Set<Promise<void>>): Promise<Library> {
  const { openLibrary } = await import("./sign-in-library.ts");
  const { mail, baseUrl, log } = options;
  return openLibrary({
    ...options,
    basePath: IDENTITY_PATH,
    addressHeader: ADDRESS_HEADER,
    pool,
    sendReset: mail && ((to, token) => track(mails, mail(to, "Set a new password", resetText(baseUrl, token)), log)),
    afterReset: (userId) => endTrust(pool, userId),
    beforeSession: (userId) => dropExpiredSessions(pool, userId),
  });
}

const resetText = (
  baseUrl: string,
  token: string,
): string => `Someone asked to set a new password for your Tefo account.

To set it, open this link within an hour:
${baseUrl}/dashboard/reset-password/${token}

If it was not you, ignore this mail: your password stays as it is.
`;

function track(mails: Set<Promise<void>>, sent: Promise<void>, log: Log): void {
  const mail = sent
    .catch((error: unknown) => log.error({ err: error }, "a password reset mail was not sent"))
    .finally(() => mails.delete(mail));
  mails.add(mail);
}

/**
 * 503 when the database could not be reached or took no writes since `began` (interface 7.2), which the library's
 * answer does not show; else the error itself.
 */
const faultOf = (pool: WatchedPool) => async (began: number, error: unknown) => {
  if (pool.failedAt >= began) return withoutDatabase(error);
  try {
    await pool.query("select 1");
    return error;
  } catch {
    return withoutDatabase(error);
  }
};

/** A pool that says in the service's words that the database is unavailable, and knows when it last was. */
class WatchedPool extends pg.Pool {
  /** By `performance.now()`. */
  failedAt = Number.NEGATIVE_INFINITY;
  readonly #watched = new WeakSet<pg.PoolClient>();

  readonly #noted = (error: unknown): unknown => {
    const shown = unavailable(error);
    if (shown !== error || !(error instanceof pg.DatabaseError)) this.failedAt = performance.now();
    return shown;
  };

  /** How this file queries. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>> {
    return this.query<Row>(text, values).catch((error: unknown) => {
      throw this.#noted(error);
    });
  }

  /** How the library does: it makes an answer of its own of each error. */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool["connect"]>[0]): void;
  override connect(callback?: Parameters<pg.Pool["connect"]>[0]): unknown {
    return callback ? super.connect(callback) : this.#connected();
  }

  #connected(): Promise<pg.PoolClient> {
    return super.connect().then(
      (client) => this.#watch(client),
      (error: unknown) => {
        this.#noted(error);
        throw error;
      },
    );
  }

  #watch(client: pg.PoolClient): pg.PoolClient {
    if (this.#watched.has(client)) return client;
    this.#watched.add(client);
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise) answer.catch(this.#noted);
      return answer;
    }) as typeof client.query;
    return client;
  }
}

async function findUser(pool: WatchedPool, email: string): Promise<StaffUser | null> {
  const { rows } = await pool.ask<StaffUser>(`select id, email, name from "user" where email = $1`, [
    email.trim().toLowerCase(),
  ]);
  return rows[0] ?? null;
}

async function hasPassword(pool: WatchedPool, userId: string, password: string): Promise<boolean> {
  const { rows } = await pool.ask<{ password: string | null }>(
    "select password from account where user_id = $1 and provider_id = 'credential'",
    [userId],
  );
  return verifyPassword(rows[0]?.password ?? "", password);
}

/**
 * Inserts user and password in one statement; null when the address is taken. The address counts as verified: only
 * invitations and operators create users.
 */
async function insertUser(
  pool: WatchedPool,
  user: { email: string; name: string; hash: string },
): Promise<string | null> {
  const { rows } = await pool.ask<{ id: string }>(
    `with made as (
       insert into "user" (id, name, email, email_verified, created_at, updated_at) values ($1, $2, $3, true, $6, $6)
       on conflict (email) do nothing returning id),
     credential as (
       insert into account (id, user_id, provider_id, account_id, password, created_at, updated_at)
       select $4, id, 'credential', id, $5, $6, $6 from made)
     select id from made`,
    [randomUUID(), user.name, user.email, randomUUID(), user.hash, machineNow()],
  );
  return rows[0]?.id ?? null;
}

/** Records a use. Ends a session that was not used for 12 hours, and answers false. */
async function noteUse(pool: WatchedPool, session: { id: string; updatedAt: Date }): Promise<boolean> {
  const now = machineNow();
  const idle = secondsBetween(session.updatedAt, now);
  if (idle > IDLE_SECONDS) await endSession(pool, session.id);
  else if (idle > USE_NOTED_SECONDS)
    await pool.ask("update session set updated_at = $2 where id = $1", [session.id, now]);
  return idle <= IDLE_SECONDS;
}

async function endSession(pool: WatchedPool, id: string): Promise<void> {
  await pool.ask("delete from session where id = $1", [id]);
}

async function endSessionOf(pool: WatchedPool, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await pool.ask("delete from session where user_id = $1 and id = $2", [userId, id]);
  return rowCount === 1;
}

/** The library stores each of them under a hash of its name, with the user's id as its value. */
async function endTrust(pool: WatchedPool, userId: string): Promise<void> {
  await pool.ask("delete from verification where value = $1", [userId]);
}

async function rename(pool: WatchedPool, userId: string, name: string): Promise<void> {
  await pool.ask(`update "user" set name = $2, updated_at = $3 where id = $1`, [userId, name, machineNow()]);
}

async function sessionsOf(pool: WatchedPool, userId: string): Promise<OpenSession[]> {
  await dropExpiredSessions(pool, userId);
  const { rows } = await pool.ask<
    Record<"id" | "ip_address" | "user_agent", string> & Record<"created_at" | "updated_at", Date>
  >(
    "select id, created_at, updated_at, ip_address, user_agent from session where user_id = $1 order by updated_at desc, id",
    [userId],
  );
  return rows.map((row) => ({
    id: row.id,
    startedAt: instant(row.created_at),
    usedAt: instant(row.updated_at),
    address: row.ip_address || null,
    browser: row.user_agent || null,
  }));
}

async function dropExpiredSessions(pool: WatchedPool, userId: string): Promise<void> {
  const now = machineNow();
  await pool.ask("delete from session where user_id = $1 and (expires_at < $2 or updated_at < $3)", [
    userId,
    now,
    addSeconds(now, -IDLE_SECONDS),
  ]);
}

async function reseal(pool: WatchedPool, { current, again }: Awaited<ReturnType<Library["sealing"]>>): Promise<number> {
  const { rows } = await pool.ask<{ id: string; secret: string; backup_codes: string }>(
    "select id, secret, backup_codes from two_factor where not starts_with(secret, $1) or not starts_with(backup_codes, $1)",
    [current],
  );
  for (const row of rows)
    await pool.ask(
      "update two_factor set secret = $2, backup_codes = $3 where id = $1 and secret = $4 and backup_codes = $5",
      [row.id, await again(row.secret), await again(row.backup_codes), row.secret, row.backup_codes],
    );
  return rows.length;
}
