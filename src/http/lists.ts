import { z } from "zod";
import type { Ctx } from "../flows/context.ts";
import { type Endpoint, type Reply, repliesOf } from "./endpoint.ts";

/**
 * Schema of a list's reply: `{data}` in the client API (interface 4.1); with `hasMore` and `nextCursor` in the
 * dashboard's (interface 14.3).
 */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), hasMore: z.boolean().optional(), nextCursor: z.string().nullable().optional() });

/** Schema of a list that has pages in the client API too (interface 4.6, quotes). */
export const pagedListOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() });

/** Whether the list has pages in the client API too. */
export function isPaged(endpoint: Endpoint): boolean {
  const reply = repliesOf(endpoint)[200];
  return reply instanceof z.ZodObject && reply.shape["hasMore"] instanceof z.ZodBoolean;
}

/** Query parameters of lists with pages. Other lists ignore them like any unknown parameter. */
export const PAGING_PARAMETERS: readonly string[] = ["q", "startingAfter"];

/** The query without the parameters that only the dashboard may use at this endpoint. */
export const withoutDashboardParameters = (endpoint: Endpoint, query: unknown): unknown =>
  isPaged(endpoint)
    ? query
    : Object.fromEntries(Object.entries(query as object).filter(([name]) => !PAGING_PARAMETERS.includes(name)));

/**
 * Keyset paging: reads one record more than the page has, to know whether there are more; the last id of the page is
 * the cursor (decisions.md#lists-by-id).
 */
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

/** The body of a list's reply: with a cursor for staff, without one for API clients (interface 4.1). */
export const listBody = (ctx: Ctx, data: unknown[], paging: { hasMore: boolean; nextCursor: string | null }) =>
  ctx.actor.kind === "member" ? { data, hasMore: paging.hasMore, nextCursor: paging.nextCursor } : { data };

/** The reply to a list whose records are shown one by one, without further reads. */
export async function listed<Item extends { id: string }, Query extends { limit: number }>(
  { ctx, query }: { readonly ctx: Ctx; readonly query: Query },
  fetch: (query: Query) => Promise<Item[]>,
  view: (item: Item) => unknown,
): Promise<Reply> {
  const { items, ...paging } = await page(query, fetch);
  return { status: 200, body: listBody(ctx, items.map(view), paging) };
}
