import { z } from "zod";
import { filter } from "../../platform/schema.ts";

/** So many records are named at once; a list's page has fewer. */
const IDS_MAX = 100;

/** Query of `GET /record-names`. */
export const RecordNamesQuery = z.object({
  ids: filter()
    .transform((given) => [...new Set((given ?? "").split(",").map((id) => id.trim()))].filter((id) => id !== ""))
    .refine((ids) => ids.length <= IDS_MAX, `must be at most ${IDS_MAX} ids`)
    .meta({ type: "string" })
    .describe(`Ids of records of any kinds, at most ${IDS_MAX}, with commas between them.`),
});

/** What records are called, and where each is shown. */
export const RecordNames = z
  .object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string().describe("The number, reference or name by which people know it."),
        path: z.string().describe("Of the record or list that shows it, below `/dashboard/api`."),
      }),
    ),
  })
  .meta({ id: "RecordNames" });
