import type { EventId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** What happened, as it was written with the change (interface 6). */
export interface StoredEvent {
  readonly id: EventId;
  readonly type: string;
  /** The record it is about; its events count from 1. */
  readonly subject: string;
  readonly sequence: number;
  readonly data: unknown;
  readonly createdAt: Instant;
}
