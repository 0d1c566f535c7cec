import { z } from "zod";
import { text, timestamp } from "../../platform/schema.ts";

/** Body of `POST /notes`. */
export const NoteCreate = z.object({
  subject: text(1, 200).describe("Id of the record; of a transaction, its reference."),
  text: text(1, 5000),
});
export type NoteCreateBody = z.output<typeof NoteCreate>;

/** A note of a member of staff about a record. */
export const NoteObject = z
  .object({
    id: z.string(),
    subject: z.string(),
    text: z.string(),
    author: z.object({ id: z.string(), name: z.string() }),
    createdAt: timestamp(),
  })
  .meta({ id: "Note" });
