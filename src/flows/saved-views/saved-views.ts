import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import type { MemberId } from "../../kernel/ids.ts";
import { type HeldRole, mayDo } from "../../modules/members/rules.ts";
import { lockMember } from "../../modules/members/store.ts";
import type { SavedViewCreateBody } from "../../modules/saved-views/schema.ts";
import { deleteView, findView, saveView, viewsOf } from "../../modules/saved-views/store.ts";
import type { SavedView } from "../../modules/saved-views/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";

/** More than fit above a list would not be found again. */
const VIEWS_MAX = 30;

/** The member who acts. */
interface Acting {
  readonly id: MemberId;
  readonly role: HeldRole;
}

/** Who may write notes for others may also save views for others. */
const mayShare = (role: HeldRole): boolean => mayDo(role, "notes:write");

/**
 * Saves a view of a list (interface 14.2), in place of the member's, or the shared, one of that name. A search is left
 * out: it may name a customer, who may ask to be forgotten. Locks the member. Throws 400 for a query without a filter, an order or a choice
 * of columns, and beyond 30 views of a list; 403 for a shared one by a role that only reads.
 */
export async function createView(tx: Tx, ctx: Ctx, member: Acting, body: SavedViewCreateBody): Promise<SavedView> {
  if (body.shared && !mayShare(member.role))
    throw new ApiError("permission_required", 403, "Your role can save views for itself only.");
  const query = new URLSearchParams(body.query);
  for (const name of ["q", "after", "organisation"]) query.delete(name);
  if (query.size === 0) throw invalidField(["query"], "must have a filter, columns or an order");
  // With this lock the second of two at once counts the first, and a member who is being removed leaves nothing.
  if ((await lockMember(tx, member.id)) === null) throw notFound("member");
  const memberId = body.shared ? null : member.id;
  const others = await viewsOf(tx, body.list, member.id);
  const isNew = !others.some((one) => one.name === body.name && one.memberId === memberId);
  if (isNew && others.length >= VIEWS_MAX)
    throw invalidField(["name"], `This list has ${VIEWS_MAX} views: delete one first.`);
  return saveView(tx, {
    id: newId("view"),
    list: body.list,
    name: body.name,
    query: query.toString(),
    memberId,
    createdBy: ctx.actor.name ?? "",
    createdAt: ctx.now,
  });
}

/** Deletes a view of one's own, or a shared one. Throws 404; 403 for a shared one by a role that only reads. */
export async function removeView(tx: Tx, member: Acting, id: string): Promise<SavedView> {
  const view = await findView(tx, id, member.id);
  if (!view) throw notFound("saved view");
  if (view.memberId === null && !mayShare(member.role))
    throw new ApiError("permission_required", 403, "Your role can delete views of its own only.");
  deleteView(tx, view.id);
  return view;
}
