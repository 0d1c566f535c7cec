import { z } from "zod";
import { toTimestamp } from "../../kernel/time.ts";
import { filter, flag, text, textAsGiven, timestamp } from "../../platform/schema.ts";
import type { SavedView } from "./types.ts";

const list = () =>
  text(1, 60)
    .regex(/^[a-z0-9/-]+$/, "must be the path of a list, such as invoices")
    .describe("The list, by its path in the dashboard, such as `invoices`.");

/** Query of `GET /saved-views`. */
export const SavedViewQuery = z.object({ list: filter().pipe(list()) });

/** Body of `POST /saved-views`. */
export const SavedViewCreate = z.object({
  list: list(),
  name: text(1, 40),
  query: textAsGiven(1000).describe("What follows `?` in the list's address: search, filters, columns and order."),
  shared: flag(false).describe("Whether all members see it; else you alone."),
});
export type SavedViewCreateBody = z.output<typeof SavedViewCreate>;

/** A view of a list that a member has saved. */
export const SavedViewObject = z
  .object({
    id: z.string(),
    list: z.string(),
    name: z.string(),
    query: z.string(),
    shared: z.boolean(),
    createdBy: z.string().describe("The name of who saved it."),
    createdAt: timestamp(),
  })
  .meta({ id: "SavedView" });

/** A saved view as the dashboard shows it. */
export const savedViewView = (view: SavedView) => ({
  id: view.id,
  list: view.list,
  name: view.name,
  query: view.query,
  shared: view.memberId === null,
  createdBy: view.createdBy,
  createdAt: toTimestamp(view.createdAt),
});
