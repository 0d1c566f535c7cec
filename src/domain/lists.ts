import { firstIdAt } from "../kernel/ids.ts";
import type { Cents } from "../kernel/money.ts";
import { addSeconds, type Instant } from "../kernel/time.ts";
import { type Part, part, when } from "../platform/database.ts";

/** The search text `q` of a list, prepared for comparison with records. */
export interface Named {
  /** Trimmed; compared with the beginning of merchants' identifiers and references. */
  readonly text: string;
  /** Split at spaces: a customer matches who has, for each of them, a word that begins with it. */
  readonly words: readonly string[];
  /** In upper case; compared with the beginning of our own references and numbers. */
  readonly references: readonly string[];
  /**
   * Spellings of an e-mail address that begins with the text: as typed, in lower case, and with a capital first letter.
   */
  readonly addresses: readonly string[];
  /** The amounts in cents that the text means: one, or each with any cents when it has none; empty when it is no amount. */
  readonly amounts: readonly Cents[];
  /** Ids of the customers that match `words`. */
  readonly customers: readonly string[];
}

/** Filters and search of a list as stores receive them. */
export type ListFilter<Filter extends string = never> = {
  readonly [Name in Filter | "q"]?: string | undefined;
} & {
  /** Null: no record can match `q`. */
  readonly named?: Named | null | undefined;
} & RecordFilter;

/** Filters that lists of records share. */
export interface RecordFilter {
  /** By the organisation's clock. */
  readonly createdFrom?: Instant | undefined;
  /** Before this. */
  readonly createdTo?: Instant | undefined;
  /** Whether records are as old as their ids say: so where no test clock can be set. */
  readonly inRealTime?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A page of a list, after one record or before another (interface 4.1). */
export interface PageQuery {
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
  readonly limit: number;
  /** Absent: newest first. */
  readonly order?: Order | undefined;
}

/** The order of a list by one of its columns; records with the same value stand by their ids, in the same direction. */
export interface Order {
  readonly column: string;
  readonly descending: boolean;
  /** The column's value, as text, of the record after or before which the page is. */
  readonly value?: string | undefined;
}

/** The query as stores receive it. */
export type ListQuery<Filter extends string = never> = ListFilter<Filter> & PageQuery;

/** The condition of a page of a list in the descending order of this column. */
export const onPage = ({ startingAfter, endingBefore }: Omit<PageQuery, "limit">, id: Part): Part => part`
  ${when(startingAfter, (value) => part`and ${id} < ${value}`)} ${when(endingBefore, (value) => part`and ${id} > ${value}`)}`;

/** The order and length of a page. One that ends before a record is read from its end; `page` of src/http/lists.ts turns it round. */
export const newestFirst = ({ endingBefore, limit }: PageQuery, id: Part): Part =>
  endingBefore === undefined ? part`order by ${id} desc limit ${limit}` : part`order by ${id} limit ${limit}`;

/** As `onPage`, of a list in the ascending order of this column. */
export const onPageUp = ({ startingAfter, endingBefore }: Omit<PageQuery, "limit">, id: Part): Part => part`
  ${when(startingAfter, (value) => part`and ${id} > ${value}`)} ${when(endingBefore, (value) => part`and ${id} < ${value}`)}`;

/** As `newestFirst`, of a list in the ascending order of this column. */
export const oldestFirst = ({ endingBefore, limit }: PageQuery, id: Part): Part =>
  endingBefore === undefined ? part`order by ${id} limit ${limit}` : part`order by ${id} desc limit ${limit}`;

/** A work that begins before midnight may store records after it. */
const SLACK_SECONDS = 86_400;

/**
 * The condition of the filters by time of creation. Where ids tell the time, they bound what is read, so that no index by time is
 * needed; `prefix` is that of the ids.
 */
export const createdIn = (
  { createdFrom, createdTo, inRealTime }: RecordFilter,
  prefix: string,
  { id, createdAt }: { readonly id: Part; readonly createdAt: Part },
): Part => part`
  ${when(createdFrom, (from) => part`and ${createdAt} >= ${from}`)} ${when(createdTo, (to) => part`and ${createdAt} < ${to}`)}
  ${when(inRealTime ? createdFrom : undefined, (from) => part`and ${id} >= ${firstIdAt(prefix, addSeconds(from, -SLACK_SECONDS))}`)}
  ${when(inRealTime ? createdTo : undefined, (to) => part`and ${id} < ${firstIdAt(prefix, addSeconds(to, SLACK_SECONDS))}`)}`;

/**
 * The condition of a filter by values of metadata. No index serves it: under row level security PostgreSQL uses none for `@>`, so a rare
 * value is looked for in the whole list.
 */
export const hasMetadata = ({ metadata }: RecordFilter, column: Part): Part =>
  when(metadata, (values) => part`and ${column} @> ${JSON.stringify(values)}::jsonb`);
