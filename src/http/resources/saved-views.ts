import { z } from "zod";
import { createView, removeView } from "../../flows/saved-views/saved-views.ts";
import { assert } from "../../kernel/assert.ts";
import { SavedViewCreate, SavedViewObject, SavedViewQuery, savedViewView } from "../../modules/saved-views/schema.ts";
import { viewsOf } from "../../modules/saved-views/store.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listBody, listOf, ONLY_PAGE } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Saved views", about: "Views of the dashboard's lists that members have saved." },
  permission: "overview:read",
} as const;

/** The endpoints of interface 14.2, saved views. */
export const savedViewEndpoints: readonly Endpoint[] = [
  endpoint({
    ...common,
    method: "GET",
    path: "/saved-views",
    summary: "List the saved views of a list: your own, and those of all members",
    query: SavedViewQuery,
    replies: { 200: listOf(SavedViewObject) },
    async handle({ member, query: { list } }, tx) {
      assert(member, "only staff have views");
      return { status: 200, body: listBody((await viewsOf(tx, list, member.id)).map(savedViewView), ONLY_PAGE) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/saved-views",
    summary: "Save a view of a list, in place of yours, or the shared one, of that name",
    idempotent: true,
    writes: false,
    body: SavedViewCreate,
    replies: { 201: SavedViewObject },
    async handle({ ctx, member, body }, tx) {
      assert(member, "only staff save views");
      const view = savedViewView(await createView(tx, ctx, member, body));
      return { status: 201, body: view, audit: { subject: view.id, after: view } };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/saved-views/{id}",
    summary: "Delete a saved view",
    writes: false,
    params: z.object({ id: z.string() }),
    replies: { 200: SavedViewObject },
    async handle({ member, params: { id } }, tx) {
      assert(member, "only staff delete views");
      const view = savedViewView(await removeView(tx, member, id));
      return { status: 200, body: view, audit: { subject: view.id, before: view } };
    },
  }),
];
