import type { Id, MemberId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

export type NoteId = Id<"note">;

/** A note of a member of staff about a record. */
export interface Note {
  readonly id: NoteId;
  /** Id or reference of the record. */
  readonly subject: string;
  readonly text: string;
  readonly memberId: MemberId;
  /** The member's name at that time. */
  readonly authorName: string;
  readonly createdAt: Instant;
}
