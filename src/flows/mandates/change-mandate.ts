import { invalid } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { statusAt } from "../../modules/mandate-agreements/rules.ts";
import { findOpenAgreement } from "../../modules/mandate-agreements/store.ts";
import { activated, type MandateChanges, patched } from "../../modules/mandates/rules.ts";
import { moveMandate, stageOf } from "../../modules/mandates/states.ts";
import { lockMandate, lockMandates, updateMandate } from "../../modules/mandates/store.ts";
import type { Mandate, MandateRecord } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { EndedWithCustomer } from "../customers/deactivate-customer.ts";
import { stopped } from "./authorise.ts";
import { awaitDebits } from "./await-debits.ts";
import { expectMissed } from "./expect-missed.ts";
import { issueAgreement } from "./issue-agreement.ts";
import { appendStatusEvent } from "./mandate-events.ts";
import { lockMandateForChange, readMandate } from "./read-mandate.ts";

/** The mandate before and after a change, for the audit log and the answer. */
export interface MandateChange {
  readonly before: Mandate;
  readonly after: MandateRecord;
}

async function changed(tx: Tx, ctx: Ctx, before: Mandate, after: Mandate): Promise<MandateChange> {
  updateMandate(tx, { ...after, updatedAt: ctx.now });
  if (after.status === "active") await awaitDebits(tx, ctx);
  if (after.status === "paused" && after.subscriptionId) await expectMissed(tx, ctx, after.subscriptionId);
  const record = await readMandate(tx, before.id);
  appendStatusEvent(tx, ctx, before, record);
  return { before, after: record };
}

/**
 * Changes amount, debit day or status (interface 4.10, PATCH). Locks the mandate. Throws 404, and 400 or 409 by the
 * table of interface 3.5.
 */
export async function patchMandate(tx: Tx, ctx: Ctx, id: string, changes: MandateChanges): Promise<MandateChange> {
  const before = await lockMandateForChange(tx, id);
  const after = patched(before, changes, calendarDay(ctx.now));
  if (after.status === "cancelled") return changed(tx, ctx, before, await stopped(tx, ctx, after, null));
  if (after.amount !== before.amount || after.debitDay !== before.debitDay) await issueAgain(tx, ctx, after);
  return changed(tx, ctx, before, after);
}

/**
 * Makes a paused mandate active again when its customer subscription is resumed (interface 3.5). Any other mandate does
 * not change, nor does one without authority. Locks the mandate.
 */
export async function resumeMandate(
  tx: Tx,
  ctx: Ctx,
  { mandateId }: { readonly mandateId: Mandate["id"] | null },
): Promise<void> {
  const before = mandateId && (await lockMandate(tx, mandateId));
  if (!before || before.authorityLostAt !== null || !moveMandate(before.status, "resume")) return;
  await changed(tx, ctx, before, patched(before, { status: "active" }, calendarDay(ctx.now)));
}

/**
 * Replaces the mandate's open agreement by one with its new terms, so that nobody signs the old terms; the new one is
 * mailed when the old one was.
 */
async function issueAgain(tx: Tx, ctx: Ctx, mandate: Mandate): Promise<void> {
  const open = await findOpenAgreement(tx, mandate.id);
  if (open && statusAt(open, ctx.now) === "open")
    await issueAgreement(tx, ctx, mandate, { email: open.emailed, notes: open.notes });
}

/**
 * Approves a mandate that its customer has authorised; it becomes active (interface 3.5). Locks it. Throws 404; 400
 * when no approval is awaited.
 */
export async function approveMandate(tx: Tx, ctx: Ctx, id: string): Promise<MandateChange> {
  const before = await lockMandateForChange(tx, id);
  const stage = stageOf(before);
  if (stage !== "awaiting_approval")
    throw invalid(`This mandate is not waiting for approval: its stage is ${stage.replace("_", " ")}.`);
  return changed(tx, ctx, before, activated({ ...before, approvedAt: ctx.now }, calendarDay(ctx.now)));
}

/**
 * Rejects a mandate that is not yet active, permanently (interface 3.5). Locks it. Throws 404; 400 when it is not
 * pending.
 */
export async function rejectMandate(tx: Tx, ctx: Ctx, id: string, reason: string): Promise<MandateChange> {
  const before = await lockMandateForChange(tx, id);
  if (!moveMandate(before.status, "reject"))
    throw invalid(`This mandate is ${before.status}; only a pending one can be rejected.`);
  return changed(tx, ctx, before, await stopped(tx, ctx, before, { reason }));
}

/** Cancels a deactivated customer's mandate, or pauses it when it is active. */
export const mandateEndedWithCustomer: EndedWithCustomer = {
  kind: "mandate",
  locks: "mandate",
  async lock(tx, ids) {
    await lockMandates(tx, ids);
  },
  async end(tx, ctx, { id, status }, how) {
    if (how === "cancel") await patchMandate(tx, ctx, id, { status: "cancelled" });
    else if (status === "active") await patchMandate(tx, ctx, id, { status: "paused" });
  },
};
