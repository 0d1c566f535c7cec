import { ApiError } from "../../kernel/errors.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { counted } from "../../kernel/text.ts";
import { lockCustomerSubscriptions } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { OnActive } from "../../modules/customers/schema.ts";
import { type Running, runningOf } from "../../modules/customers/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { lockMandates } from "../../modules/mandates/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { cancelSubscription } from "../customer-subscriptions/cancel-subscription.ts";
import { pauseSubscription } from "../customer-subscriptions/pause-subscription.ts";
import { patchMandate } from "../mandates/change-mandate.ts";
import { lockWithMigrations } from "../subscription-migrations/end-migration.ts";

const WHY = "The customer was deactivated.";

/**
 * What is running of a customer who is deactivated, with its subscriptions and mandates locked. Throws 409 `invalid_state`, which names it, unless
 * `onActive` says what becomes of it; and for a subscription that its gateway runs, which only the gateway can pause or cancel.
 */
export async function lockRunning(tx: Tx, id: CustomerId, onActive: OnActive | null): Promise<readonly Running[]> {
  const running = await runningOf(tx, id);
  if (running.length === 0 || onActive === "keep") return [];
  if (onActive === null) throw new ApiError("invalid_state", 409, whatRuns(running));
  const atGateway = running.find(({ kind }) => kind === "gateway subscription");
  if (atGateway)
    throw new ApiError(
      "invalid_state",
      409,
      `The gateway runs subscription ${atGateway.id}. ${onActive === "pause" ? "Pause" : "Cancel"} it first with POST /subscriptions/${atGateway.id}/${onActive}, or send onActive keep.`,
    );
  const subscriptions = idsOf(running, "subscription");
  await lockWithMigrations(tx, subscriptions, () => lockCustomerSubscriptions(tx, subscriptions));
  await lockMandates(tx, idsOf(running, "mandate"));
  return running;
}

/**
 * Pauses or cancels the subscriptions and mandates that `lockRunning` has answered (decisions.md#billing-does-not-look-at-active); a card
 * charge ends by its own outcome. Locks the invoice numbers, then as `pauseSubscription` or `cancelSubscription`.
 */
export async function endRunning(
  tx: Tx,
  ctx: Ctx,
  running: readonly Running[],
  onActive: OnActive | null,
): Promise<void> {
  if (running.length === 0) return;
  lockNumbers(tx, "invoice");
  for (const { kind, id, status } of running) {
    if (kind === "subscription" && onActive === "cancel")
      await cancelSubscription(tx, ctx, id, { when: "now", reason: WHY, sendEmail: false });
    // A pending one is charged only when its payer pays its first charge, or confirms a card, which an inactive customer cannot.
    if (kind === "subscription" && onActive === "pause" && status !== "pending") await pauseSubscription(tx, ctx, id);
    if (kind === "mandate" && onActive === "cancel") await patchMandate(tx, ctx, id, { status: "cancelled" });
    if (kind === "mandate" && onActive === "pause" && status === "active")
      await patchMandate(tx, ctx, id, { status: "paused" });
  }
}

const idsOf = (running: readonly Running[], kind: Running["kind"]): string[] =>
  running.flatMap((one) => (one.kind === kind ? one.id : []));

/** A sentence that names what is running, and what to send. */
function whatRuns(running: readonly Running[]): string {
  const told = [...Map.groupBy(running, ({ kind }) => kind)].map(([kind, all]) => counted(all.length, kind)).join(", ");
  return `The customer has ${told} running: choose whether to pause, cancel or keep it (onActive).`;
}
