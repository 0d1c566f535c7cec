import type { BankDetails } from "../../kernel/bank-details.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { differenceOf, holdFrom } from "../../modules/bank-detail-changes/rules.ts";
import {
  hadBankDetailChanges,
  holdingChanges,
  insertBankDetailChange,
  lockBankDetails,
} from "../../modules/bank-detail-changes/store.ts";
import type { BankDetailChange } from "../../modules/bank-detail-changes/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { momentInWords } from "../../templates/wording.ts";
import type { Ctx } from "../context.ts";
import { bankDetailsOf, isManualTransfer } from "./accounts.ts";
import { mailBankDetails } from "./bank-details-mail.ts";

/**
 * Records that the bank details of a gateway account were added (`before` is null), changed or removed (`after` is
 * null), mails every owner, and puts payouts on hold for a day; an organisation's first bank details cause no hold
 * (decisions.md#payout-hold). Returns the fields for the audit log. Does nothing, and returns null, when the details
 * are unchanged, and for an account that is not Manual EFT. Runs in the transaction that has changed the account.
 */
export async function noteBankDetails(
  tx: Tx,
  ctx: Ctx,
  before: GatewayAccount | null,
  after: GatewayAccount | null,
): Promise<Pick<BankDetailChange, "fields" | "before" | "after"> | null> {
  const account = after ?? before;
  const difference = differenceOf(shownTo(ctx, before), shownTo(ctx, after));
  if (!account || !difference) return null;
  lockBankDetails(tx);
  const change: BankDetailChange = {
    id: newId("bdc"),
    gatewayAccountId: account.id,
    gatewayName: account.name,
    ...difference,
    by: { kind: ctx.actor.kind, id: ctx.actor.id, name: ctx.actor.name },
    changedAt: ctx.now,
    heldUntil: difference.kind === "added" && (await isFirst(tx, account)) ? null : holdFrom(ctx.now),
  };
  insertBankDetailChange(tx, change);
  await mailBankDetails(tx, ctx, change);
  return { fields: change.fields, before: change.before, after: change.after };
}

const shownTo = (ctx: Ctx, account: GatewayAccount | null): BankDetails | null =>
  account && isManualTransfer(account.type) ? bankDetailsOf(ctx, account) : null;

/** Whether the organisation had no bank details before those of this account. */
async function isFirst(tx: Tx, { id }: GatewayAccount): Promise<boolean> {
  const others = (await listGatewayAccounts(tx)).filter((other) => other.id !== id && isManualTransfer(other.type));
  return others.length === 0 && !(await hadBankDetailChanges(tx));
}

/** When the hold on payouts after changes of bank details ends; null when there is none (interface 18.1). */
export const payoutsHeldUntil = async (tx: Tx, { now }: Pick<Ctx, "now">): Promise<Instant | null> =>
  (await holdingChanges(tx, now))[0]?.heldUntil ?? null;

/** Throws 409 `invalid_state` while payouts are on hold after a change of bank details (interface 18.1). */
export async function requireNoPayoutHold(tx: Tx, { now }: Pick<Ctx, "now">): Promise<void> {
  const [change] = await holdingChanges(tx, now);
  if (!change?.heldUntil) return;
  const who = change.by.name ? ` by ${change.by.name}` : "";
  throw new ApiError(
    "invalid_state",
    409,
    `The bank details of ${change.gatewayName} were ${change.kind} on ${momentInWords(change.changedAt)}${who}, ` +
      `so no credit is paid out until ${momentInWords(change.heldUntil)}. Try again then; ` +
      "if nobody of you made the change, undo it first.",
  );
}
