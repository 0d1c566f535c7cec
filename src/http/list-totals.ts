import { z } from "zod";
import type { ListTotals } from "../domain/list-totals.ts";
import type { Ctx } from "../flows/context.ts";
import { type Cents, toRand } from "../kernel/money.ts";
import type { Feature } from "../kernel/plans.ts";
import type { Permission } from "../modules/members/rules.ts";
import type { Tx } from "../platform/database.ts";
import { filter } from "../platform/schema.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";

const COUNT_TO_MAX = 10_000;

const COUNT_TO = {
  countTo: filter()
    .pipe(z.coerce.number<string>("must be a whole number").int().min(1).max(COUNT_TO_MAX).optional())
    .meta({ type: "integer", minimum: 1, maximum: COUNT_TO_MAX })
    .describe("Only counts, and no further than this."),
};

/** Schema of the totals of a list with these sums (interface 14.3). */
const totalsObject = (sums: readonly string[]) =>
  z.object({
    object: z.literal("list_totals"),
    count: z.int().describe("How many records match."),
    more: z.boolean().describe("Whether there are more than were counted."),
    currencies: z
      .array(
        z.object({
          currency: z.string(),
          count: z.int(),
          ...Object.fromEntries(sums.map((name) => [name, z.number()])),
        }),
      )
      .describe("The sums of all records that match, by currency."),
  });

/** What a list declares beside its endpoint, so that all that it shows is counted and summed. */
interface Totalled<Query extends z.ZodRawShape, Sum extends string> {
  /** What the records are called, in a sentence. */
  readonly what: string;
  readonly permission: Permission;
  /** The plan feature that the list needs. */
  readonly feature?: Feature;
  /** The list's query without `PAGING`. */
  readonly query: z.ZodObject<Query>;
  /** The names of the sums; where a record has a field of the name, it is the sum of that field. */
  readonly sums: readonly Sum[];
  read(tx: Tx, ctx: Ctx, query: z.output<z.ZodObject<Query>>, countTo?: number): Promise<ListTotals<Sum>>;
}

/**
 * Declares the totals of a list for the dashboard: `/totals/<list>`. They have their own request, which takes the list's filters, so that
 * the list does not wait for them.
 */
export const totalsEndpoint = <Query extends z.ZodRawShape, Sum extends string>(
  list: string,
  { what, permission, feature, query, sums, read }: Totalled<Query, Sum>,
): Endpoint =>
  endpoint({
    audience: "staff",
    method: "GET",
    tag: { name: "Totals", about: "How many records a list has, and what they come to." },
    path: `/totals/${list}`,
    summary: `Count and sum the ${what} that the list shows with the same filters`,
    permission,
    ...(feature ? { feature } : {}),
    query: query.extend(COUNT_TO),
    replies: { 200: totalsObject(sums) },
    async handle({ ctx, query: asked }, tx) {
      const { countTo, ...filters } = asked as { readonly countTo?: number };
      const totals = await read(tx, ctx, filters as z.output<z.ZodObject<Query>>, countTo);
      return { status: 200, body: { object: "list_totals", ...totals, currencies: totals.currencies.map(shown) } };
    },
  });

const shown = <Sum extends string>({ currency, count, ...sums }: ListTotals<Sum>["currencies"][number]) => ({
  currency,
  count,
  ...Object.fromEntries(Object.entries(sums).map(([name, amount]) => [name, toRand(amount as Cents)])),
});
