import { assert } from "../../kernel/assert.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { type MemberId, newId } from "../../kernel/ids.ts";
import { mayDo } from "../../modules/members/rules.ts";
import type { Role } from "../../modules/members/types.ts";
import type { NoteCreateBody } from "../../modules/notes/schema.ts";
import { deleteNote, findNote, insertNote } from "../../modules/notes/store.ts";
import type { Note } from "../../modules/notes/types.ts";
import { findItem } from "../../modules/reconciliation/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { searchRecords } from "../search/search-records.ts";

/** Writes a note about a record that the search finds, or a line of a bank statement (interface 14.2). Throws 404 when the role may read no record with this id or reference. */
export async function addNote(tx: Tx, ctx: Ctx, role: Role, { subject, text }: NoteCreateBody): Promise<Note> {
  if (!(await isBankLine(tx, role, subject)) && !(await isFound(tx, role, subject))) throw notFound("record");
  const { id, name } = ctx.actor;
  assert(id !== null && name !== null, "a member of staff writes notes");
  const note: Note = {
    id: newId("note"),
    subject,
    text,
    memberId: id as MemberId,
    authorName: name,
    createdAt: ctx.now,
  };
  insertNote(tx, note);
  return note;
}

/** The search finds no bank lines: a month has thousands, which are looked for among their own. */
const isBankLine = async (tx: Tx, role: Role, id: string): Promise<boolean> =>
  mayDo(role, "reconciliation:read") && (await findItem(tx, id)) !== null;

async function isFound(tx: Tx, role: Role, subject: string): Promise<boolean> {
  const { groups } = await searchRecords(tx, role, subject, 1);
  return groups.some(({ kind, results }) =>
    results.some(({ id, title }) => subject === id || (kind === "transaction" && subject === title)),
  );
}

/** Deletes a note. Throws 404; 403 for another's note, unless the member is an owner or an admin. */
export async function removeNote(
  tx: Tx,
  member: { readonly id: MemberId; readonly role: Role },
  id: string,
): Promise<Note> {
  const note = await findNote(tx, id);
  if (!note) throw notFound("note");
  if (note.memberId !== member.id && member.role !== "owner" && member.role !== "admin")
    throw new ApiError(
      "permission_required",
      403,
      `Only ${note.authorName}, who wrote it, an owner or an admin can delete this note.`,
    );
  deleteNote(tx, note.id);
  return note;
}
