import { createHash } from "node:crypto";
import type { BetterAuthPlugin, DBAdapter, Where } from "better-auth";

/** Prefix that tells a stored hash from a token. */
const PREFIX = "sha256:";

const storedForm = (token: string): string =>
  token.startsWith(PREFIX) ? token : PREFIX + createHash("sha256").update(token).digest("base64url");

/**
 * Sessions are stored under the hash of their token, so that reading the database gives no access to sessions
 * (decisions.md#sessions-by-their-hash). Only the cookie has the token: the library gets the token when it creates the session, and the
 * stored hash afterwards. A stored hash is not accepted as a token.
 */
export const hashedSessions = {
  id: "hashed-sessions",
  init: ({ adapter }) => ({ context: { adapter: withHashedTokens(adapter) } }),
} satisfies BetterAuthPlugin;

function withHashedTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    async create(query) {
      if (query.model !== "session") return adapter.create(query);
      const { token } = query.data as Record<string, unknown>;
      const created = await adapter.create({ ...query, data: { ...query.data, token: storedForm(String(token)) } });
      return { ...created, token } as never;
    },
    async findOne(query) {
      const opensByHash = query.where.some(({ field, value }) => field === "token" && isStored(value));
      return query.model === "session" && opensByHash ? null : adapter.findOne(hashed(query));
    },
    findMany: (query) => adapter.findMany(hashed(query)),
    count: (query) => adapter.count(hashed(query)),
    update: (query) => adapter.update(hashed(query)),
    updateMany: (query) => adapter.updateMany(hashed(query)),
    delete: (query) => adapter.delete(hashed(query)),
    deleteMany: (query) => adapter.deleteMany(hashed(query)),
    transaction: (work) => adapter.transaction((inner) => work(withHashedTokens({ ...adapter, ...inner }))),
  };
}

const isStored = (value: unknown): boolean => typeof value === "string" && value.startsWith(PREFIX);

/** The query, with the tokens in its conditions replaced by their stored form. */
function hashed<Query extends { model: string; where?: Where[] | undefined }>(query: Query): Query {
  if (query.model !== "session" || query.where === undefined) return query;
  return { ...query, where: query.where.map((part) => (part.field === "token" ? withHash(part) : part)) };
}

function withHash(part: Where): Where {
  const { value } = part;
  if (typeof value === "string") return { ...part, value: storedForm(value) };
  return Array.isArray(value) ? { ...part, value: value.map((token) => storedForm(String(token))) } : part;
}
