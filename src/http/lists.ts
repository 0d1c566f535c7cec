import { z } from "zod";
import type { Ctx } from "../flows/context.ts";
import type { Endpoint, Reply } from "./endpoint.ts";

/** A list's reply: `{data}` for the client API (interface 4.1); with `hasMore` and `nextCursor` for the dashboard (interface 14.3). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), hasMore: z.boolean().optional(), nextCursor: z.string().nullable().optional() });

/** A list that API clients page through as well (interface 4.6, quotes). */
export const pagedListOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() });

/** Whether API clients page through it as well. */
export function isPaged({ replies }: Pick<Endpoint, "replies">): boolean {
  const reply = replies[200];
  return reply instanceof z.ZodObject && reply.shape["hasMore"] instanceof z.ZodBoolean;
}

/** Parameters of a list that goes page by page. Others do not know them, and ignore them as any that is unknown. */
export const PAGING_PARAMETERS: readonly string[] = ["q", "startingAfter"];

/** A query as an API client may ask it of that list. */
export const withoutDashboardParameters = (endpoint: Endpoint, query: unknown): unknown =>
  isPaged(endpoint)
    ? query
    : Object.fromEntries(Object.entries(query as object).filter(([name]) => !PAGING_PARAMETERS.includes(name)));

/** Keyset paging: asks the store for one more than wanted; the last shown id is the cursor. */
export async function page<Item extends { id: string }, Query extends { limit: number }>(
  query: Query,
  fetch: (query: Query) => Promise<Item[]>,
): Promise<{ items: Item[]; hasMore: boolean; nextCursor: string | null }> {
  const { limit } = query;
  const found = await fetch({ ...query, limit: limit + 1 });
  const items = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { items, hasMore, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
}

/** The reply's body: staff page through, API clients get the newest (interface 4.1). */
export const listBody = (ctx: Ctx, data: unknown[], paging: { hasMore: boolean; nextCursor: string | null }) =>
  ctx.actor.kind === "member" ? { data, hasMore: paging.hasMore, nextCursor: paging.nextCursor } : { data };

/** The reply to a list whose records are each shown by themselves. */
export async function listed<Item extends { id: string }, Query extends { limit: number }>(
  { ctx, query }: { readonly ctx: Ctx; readonly query: Query },
  fetch: (query: Query) => Promise<Item[]>,
  view: (item: Item) => unknown,
): Promise<Reply> {
  const { items, ...paging } = await page(query, fetch);
  return { status: 200, body: listBody(ctx, items.map(view), paging) };
}
