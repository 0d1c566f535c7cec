import type { Id, MemberId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type NoteId = Id<"note">;

/** What a member of staff wrote about a record. */
export interface Note {
  readonly id: NoteId;
  /** Id or reference of the record. */
  readonly subject: string;
  readonly text: string;
  readonly memberId: MemberId;
  /** As the member was called then. */
  readonly authorName: string;
  readonly createdAt: Instant;
}
