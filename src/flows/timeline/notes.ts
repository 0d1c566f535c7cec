import { assert } from "../../kernel/assert.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { MemberId } from "../../kernel/ids.ts";
import { findCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import { findCoupon } from "../../modules/coupons/store.ts";
import { findDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { type HeldRole, mayDo, type Permission } from "../../modules/members/rules.ts";
import type { RoleId } from "../../modules/members/types.ts";
import type { NoteCreateBody } from "../../modules/notes/schema.ts";
import { deleteNote, findNote, insertNote } from "../../modules/notes/store.ts";
import type { Note } from "../../modules/notes/types.ts";
import { findPackage } from "../../modules/packages/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import { findItem } from "../../modules/reconciliation/store/runs.ts";
import { findEndpoint } from "../../modules/webhooks/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import type { RecordKinds } from "../search/record-kind.ts";
import { searchRecords } from "../search/search-records.ts";

type Finder = readonly [Permission, (tx: Tx, id: string) => Promise<object | null>];

/** Records that have a page and that the search does not find, by the prefix of their ids. */
const BESIDE_THE_SEARCH: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ["chk", ["checkout_sessions:read", findCheckoutSession]],
  ["cpn", ["coupons:read", findCoupon]],
  ["dbat", ["mandates:read", findDebitBatch]],
  ["gw", ["gateways:read", findGatewayAccount]],
  ["pkg", ["packages:read", findPackage]],
  ["prod", ["products:read", findProduct]],
  // A month has thousands of bank lines, so their own list searches them.
  ["rci", ["reconciliation:read", findItem]],
  ["we", ["webhooks:read", findEndpoint]],
]);

/**
 * Writes a note about a record that has a page (interface 14.2). Throws 404 when the role may read no record with this
 * id or reference.
 */
export async function addNote(
  tx: Tx,
  ctx: Ctx,
  kinds: RecordKinds,
  role: HeldRole,
  { subject, text }: NoteCreateBody,
): Promise<Note> {
  if (!(await exists(tx, kinds, role, subject))) throw notFound("record");
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

async function exists(tx: Tx, kinds: RecordKinds, role: HeldRole, subject: string): Promise<boolean> {
  const beside = BESIDE_THE_SEARCH.get(subject.split("_", 1)[0] ?? "");
  if (!beside) return isFound(tx, kinds, role, subject);
  const [permission, find] = beside;
  return mayDo(role, permission) && (await find(tx, subject)) !== null;
}

async function isFound(tx: Tx, kinds: RecordKinds, role: HeldRole, subject: string): Promise<boolean> {
  const { groups } = await searchRecords(tx, kinds, (permission) => mayDo(role, permission), subject, 1);
  return groups.some(({ kind, results }) =>
    results.some(({ id, title }) => subject === id || (kind === "transaction" && subject === title)),
  );
}

/** The roles that may delete the notes of others. */
const MAY_DELETE_ALL: ReadonlySet<RoleId> = new Set(["owner", "admin"]);

/** Deletes a note. Throws 404; 403 for somebody else's note, unless the member is an owner or an admin. */
export async function removeNote(
  tx: Tx,
  member: { readonly id: MemberId; readonly role: HeldRole },
  id: string,
): Promise<Note> {
  const note = await findNote(tx, id);
  if (!note) throw notFound("note");
  if (note.memberId !== member.id && !MAY_DELETE_ALL.has(member.role.id))
    throw new ApiError(
      "permission_required",
      403,
      `Only ${note.authorName}, who wrote it, an owner or an admin can delete this note.`,
    );
  deleteNote(tx, note.id);
  return note;
}
