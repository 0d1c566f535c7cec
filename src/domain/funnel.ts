import type { CalendarDay } from "../kernel/time.ts";
import { type Part, part, type Tx } from "../platform/database.ts";

/** What a payment link or a checkout reaches after its creation, each only after the one before. */
export const STAGES = ["opened", "started", "paid"] as const;
export type Stage = (typeof STAGES)[number];

/** How many records were created on a South African day, and how many of them have reached each stage since. */
export type FunnelDay = Readonly<Record<"created" | Stage, number>> & { readonly day: CalendarDay };

/** Condition: the payer saw the page of the record with this id. */
export const wasViewed = (tx: Tx, id: Part): Part => part`
  exists (select from document_views v where v.organisation_id = ${tx.organisation} and v.document_id = ${id})`;

/** Counts records by the day of their creation; `stages` are the conditions of having reached each. */
export const funnelByDay = (
  tx: Tx,
  {
    records,
    createdAt,
    stages,
  }: { readonly records: Part; readonly createdAt: Part; readonly stages: Readonly<Record<Stage, Part>> },
): Promise<FunnelDay[]> => tx.sql<FunnelDay>`
  select day_of(${createdAt}) as day, count(*)::integer as created,
         (count(*) filter (where ${stages.opened}))::integer as opened,
         (count(*) filter (where ${stages.started}))::integer as started,
         (count(*) filter (where ${stages.paid}))::integer as paid
    ${records} group by 1 order by 1`;
