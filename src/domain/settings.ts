import { type Part, part, type Tx } from "../platform/database.ts";

/** The organisation's settings as a value of a query, which is read once for all rows. */
export const settingsOf = (tx: Tx): Part => part`
  (select settings from organisation_settings where organisation_id = ${tx.organisation})`;

/** As `settingsOf`, the organisation's `VatTimeline`. */
export const vatTimelineOf = (tx: Tx): Part => part`
  (select vat_timeline from organisation_settings where organisation_id = ${tx.organisation})`;
