import type { EventId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** A stored event, written with its change (interface 6). */
export interface StoredEvent {
  readonly id: EventId;
  readonly type: string;
  /** The record of the event; its events are numbered from 1 by `sequence`. */
  readonly subject: string;
  readonly sequence: number;
  readonly data: unknown;
  /** The version of the API by which `data` was written. */
  readonly apiVersion: string;
  readonly createdAt: Instant;
}
