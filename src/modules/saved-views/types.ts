import type { Id, MemberId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type SavedViewId = Id<"view">;

/** A view of one of the dashboard's lists under a name: its filters, search and columns. */
export interface SavedView {
  readonly id: SavedViewId;
  /** The list's path below the dashboard, without the slash, such as `invoices`. */
  readonly list: string;
  readonly name: string;
  /** The list's address after `?`. */
  readonly query: string;
  /** Whose it is; null: of all members. */
  readonly memberId: MemberId | null;
  /** The name of the member who saved it, as it was then. */
  readonly createdBy: string;
  readonly createdAt: Instant;
}
