import { z } from "zod";
import { filter, text } from "../../platform/schema.ts";

const SHOWN_MAX = 20;
const SHOWN = 5;

/** Query of `GET /search`. */
export const SearchQuery = z.object({
  q: filter().describe(
    "A name, e-mail address, number, reference, external reference, amount or id, or the beginning of one.",
  ),
  limit: z
    .unknown()
    .optional()
    .transform((value) => {
      const asked = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : SHOWN;
      return Math.min(SHOWN_MAX, Math.max(1, asked));
    })
    .meta({ type: "integer", minimum: 1, maximum: SHOWN_MAX, default: SHOWN })
    .describe("The most records of each kind."),
});

/** The results of a search, by kind. */
export const searchResults = (kinds: readonly string[]) =>
  z
    .object({
      q: z.string(),
      groups: z.array(
        z.object({
          kind: z.enum(kinds),
          hasMore: z.boolean().describe("Whether there are more of this kind; a longer text finds them."),
          results: z.array(
            z.object({
              id: z.string(),
              title: z.string().describe("The number, reference or name by which people know it."),
              detail: z.string().nullable().describe("The customer, or the purpose."),
              status: z.string().nullable(),
              amount: z.number().nullable(),
              currency: z.string().nullable(),
              date: z.string().meta({ format: "date" }).describe("South African day on which it was issued or made."),
              path: z.string().describe("Path of the record, below `/dashboard/api`."),
            }),
          ),
        }),
      ),
    })
    .meta({ id: "SearchResults" });

/** The most records that are named at once; a list's page has fewer. */
const IDS_MAX = 100;

/** Query of `GET /record-names`. */
export const RecordNamesQuery = z.object({
  ids: filter()
    .transform((given) => [...new Set((given ?? "").split(",").map((id) => id.trim()))].filter((id) => id !== ""))
    .refine((ids) => ids.length <= IDS_MAX, `must be at most ${IDS_MAX} ids`)
    .meta({ type: "string" })
    .describe(`Ids of records of any kinds, at most ${IDS_MAX}, with commas between them.`),
});

/** The names of records, and the path of each. */
export const RecordNames = z
  .object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string().describe("The number, reference or name by which people know it."),
        path: z.string().describe("Path of the record or list that shows it, below `/dashboard/api`."),
      }),
    ),
  })
  .meta({ id: "RecordNames" });

/** Query of `GET /related-records`. */
export const RelatedRecordsQuery = z.object({
  subject: text(1, 200).describe("Id of the record; of a transaction, its reference."),
});

/** The payer's page of a record, and its related records. */
export const relatedRecordsOf = (relations: readonly string[]) =>
  z
    .object({
      payerUrl: z
        .url()
        .nullable()
        .describe("The page on which the payer sees the record. Opening it changes nothing and sends no event."),
      data: z.array(
        z.object({
          relation: z.enum(relations),
          id: z.string().describe("Of a transaction, its reference."),
        }),
      ),
    })
    .meta({ id: "RelatedRecords" });
