import type { EventDeclaration } from "../../events/event.ts";
import { appendEvent } from "../../events/outbox.ts";
import {
  MANDATE_ACTIVATED,
  MANDATE_CANCELLED,
  MANDATE_CREATED,
  MANDATE_PAUSED,
  MANDATE_SIGNED,
} from "../../modules/mandates/declarations.ts";
import type { MandateEventData } from "../../modules/mandates/schema.ts";
import type { Mandate, MandateRecord, MandateStatus } from "../../modules/mandates/types.ts";
import { mandateView } from "../../modules/mandates/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

type MandateEvent = EventDeclaration<typeof MandateEventData>;

function append(tx: Tx, { now }: Ctx, declared: MandateEvent, mandate: MandateRecord): void {
  appendEvent(tx, now, declared, mandate.id, mandateView(mandate, now));
}

const STATUS_EVENTS: Readonly<Record<MandateStatus, MandateEvent | null>> = {
  pending: null,
  active: MANDATE_ACTIVATED,
  paused: MANDATE_PAUSED,
  cancelled: MANDATE_CANCELLED,
};

/** Appends the event of a mandate's new status, if it has changed. */
export function appendStatusEvent(tx: Tx, ctx: Ctx, before: Pick<Mandate, "status">, after: MandateRecord): void {
  const declared = before.status === after.status ? null : STATUS_EVENTS[after.status];
  if (declared) append(tx, ctx, declared, after);
}

/** Appends the event of a new mandate. */
export const appendCreated = (tx: Tx, ctx: Ctx, mandate: MandateRecord): void =>
  append(tx, ctx, MANDATE_CREATED, mandate);

/** Appends the event that the customer has signed, and that of the new status. */
export function appendSigned(tx: Tx, ctx: Ctx, before: Pick<Mandate, "status">, after: MandateRecord): void {
  append(tx, ctx, MANDATE_SIGNED, after);
  appendStatusEvent(tx, ctx, before, after);
}
