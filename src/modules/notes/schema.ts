import { z } from "zod";
import { toTimestamp } from "../../kernel/time.ts";
import { text, timestamp } from "../../platform/schema.ts";
import type { Note } from "./types.ts";

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

/** A note as the dashboard shows it. */
export const noteView = (note: Note) => ({
  id: note.id,
  subject: note.subject,
  text: note.text,
  author: { id: note.memberId, name: note.authorName },
  createdAt: toTimestamp(note.createdAt),
});
