import { calendarDay } from "../../kernel/time.ts";
import { AGREEMENT_EXPIRE } from "../../modules/mandate-agreements/declarations.ts";
import { closeOpenAgreement } from "../../modules/mandate-agreements/store.ts";
import { MANDATE_CHECK } from "../../modules/mandates/declarations.ts";
import { activated, withAuthority } from "../../modules/mandates/rules.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { awaitDebits } from "./await-debits.ts";
import { expectMissed } from "./expect-missed.ts";

/**
 * The mandate once the customer has authorised it: active, or waiting for approval when the settings require it
 * (interface 3.5).
 */
export async function authorised(tx: Tx, ctx: Ctx, mandate: Mandate): Promise<Mandate> {
  const { debitOrders } = await currentSettings(tx);
  const after = { ...mandate, authorisedAt: ctx.now, updatedAt: ctx.now };
  if (debitOrders.requireApproval) return after;
  await awaitDebits(tx, ctx);
  return activated(after, calendarDay(ctx.now));
}

/** The mandate that had lost its authority, once a signed agreement restores it. */
export async function authorisedAnew(tx: Tx, ctx: Ctx, mandate: Mandate): Promise<Mandate> {
  const { debitOrders } = await currentSettings(tx);
  if (!debitOrders.requireApproval) await awaitDebits(tx, ctx);
  return { ...withAuthority(mandate, ctx.now, debitOrders.requireApproval), updatedAt: ctx.now };
}

/**
 * The mandate stopped permanently, with the reason when it was rejected. Withdraws its open agreement and stops asking
 * the gateway.
 */
export async function stopped(
  tx: Tx,
  ctx: Ctx,
  mandate: Mandate,
  rejection: { readonly reason: string | null } | null,
): Promise<Mandate> {
  await withdrawAgreement(tx, mandate);
  cancelWork(tx, MANDATE_CHECK, mandate.id);
  if (mandate.subscriptionId) await expectMissed(tx, ctx, mandate.subscriptionId);
  const rejected = rejection && { rejectedAt: ctx.now, rejectionReason: rejection.reason };
  return { ...mandate, ...rejected, status: "cancelled", nextDebitDate: null, updatedAt: ctx.now };
}

/** Withdraws the mandate's open agreement, if it has one. The caller has locked the mandate. */
export async function withdrawAgreement(tx: Tx, { id }: Pick<Mandate, "id">): Promise<void> {
  const withdrawn = await closeOpenAgreement(tx, id, "cancelled");
  if (withdrawn) cancelWork(tx, AGREEMENT_EXPIRE, withdrawn);
}
