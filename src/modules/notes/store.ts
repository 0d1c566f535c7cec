// Writes: notes. Reads nothing else.

import type { NotesRow } from "../../domain/rows.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { Note } from "./types.ts";

const fromRow = (row: NotesRow): Note => ({
  id: row.id,
  subject: row.subject,
  text: row.text,
  memberId: row.member_id,
  authorName: row.author_name,
  createdAt: row.created_at,
});

/** Inserts a note. */
export function insertNote(tx: Tx, note: Note): void {
  tx.queue`
    insert into notes (organisation_id, id, subject, text, member_id, author_name, created_at)
    values (${tx.organisation}, ${note.id}, ${note.subject}, ${note.text}, ${note.memberId}, ${note.authorName}, ${note.createdAt})`;
}

/** Null when absent or another organisation's. */
export async function findNote(tx: Tx, id: string): Promise<Note | null> {
  const [row] = await tx.sql<NotesRow>`select * from notes where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Deletes a note. */
export function deleteNote(tx: Tx, id: string): void {
  tx.queue`delete from notes where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Notes about any of these subjects, newest first, older than the id `before`. */
export async function notesAbout(
  tx: Tx,
  subjects: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<Note[]> {
  const rows = await tx.sql<NotesRow>`
    select * from notes where organisation_id = ${tx.organisation} and subject = any (${subjects})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(fromRow);
}
