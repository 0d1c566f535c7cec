import type { z } from "zod";
import type { CsvExport } from "../flows/exports/csv-export.ts";
import type { Feature } from "../kernel/plans.ts";
import { calendarDay } from "../kernel/time.ts";
import type { Permission } from "../modules/members/rules.ts";
import { filter } from "../platform/schema.ts";
import { dateAsked } from "../platform/schema-dates.ts";
import { type Audience, downloadEndpoint, type Endpoint } from "./endpoint.ts";

const MEDIA = "text/csv";

const day = (what: string) => filter().pipe(dateAsked().optional()).describe(`${what}, a South African day; included.`);

/** The query of an export of records of some days: its first and last day. */
export const EXPORT_DAYS = { from: day("The first day"), to: day("The last day") };

/** The parts of a list's query that its export does not accept. */
export const PAGING = { limit: true, startingAfter: true, endingBefore: true } as const;

/**
 * Declares an export as CSV: `/exports/<kind>.csv`. `read` is the permission to read its records, `feature` the plan
 * feature that it needs; what staff alone may list, staff alone export.
 */
export const csvEndpoint = <Filter>(
  kind: string,
  summary: string,
  read: Permission,
  query: z.ZodType<Filter>,
  csv: CsvExport<Filter>,
  feature?: Feature,
  audience: Audience = "clients",
): Endpoint =>
  downloadEndpoint({
    audience,
    tag: { name: "Exports", about: "Everything of a kind as CSV." },
    path: `/exports/${kind}.csv`,
    summary,
    permission: "exports:read",
    also: [read],
    ...(feature ? { feature } : {}),
    query,
    media: MEDIA,
    async download({ ctx, services, query: wanted }) {
      return {
        content: await csv(services, ctx, wanted),
        contentType: `${MEDIA}; charset=utf-8`,
        fileName: `${kind}-${calendarDay(ctx.now)}.csv`,
      };
    },
  });

/**
 * Declares the export of a list as CSV. `kind` is the list's path, `read` the permission to read it, `query` its query
 * without `PAGING`, `feature` the plan feature that the list needs.
 */
export const listEndpoint = <Filter>(
  kind: string,
  what: string,
  read: Permission,
  query: z.ZodType<Filter>,
  csv: CsvExport<Filter>,
  feature?: Feature,
  audience?: Audience,
): Endpoint =>
  csvEndpoint(kind, `${what} as CSV, newest first; with every filter of the list`, read, query, csv, feature, audience);
