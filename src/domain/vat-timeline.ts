// Reads: organisation_settings.
import { type Part, part, type Tx } from "../platform/database.ts";

/** The organisation's `VatTimeline` as a value of a query, which is read once for all rows. */
export const vatTimelineOf = (tx: Tx): Part => part`
  (select vat_timeline from organisation_settings where organisation_id = ${tx.organisation})`;
