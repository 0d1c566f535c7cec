import { toTimestamp } from "../../kernel/time.ts";
import type { Note } from "./types.ts";

/** A note as the dashboard shows it. */
export const noteView = (note: Note) => ({
  id: note.id,
  subject: note.subject,
  text: note.text,
  author: { id: note.memberId, name: note.authorName },
  createdAt: toTimestamp(note.createdAt),
});
