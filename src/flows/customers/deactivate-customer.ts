import { inLockOrder, type Lockable } from "../../domain/locks.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { counted } from "../../kernel/text.ts";
import type { OnActive } from "../../modules/customers/schema.ts";
import { type Running, runningOf } from "../../modules/customers/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";

/** How records of one kind are paused or cancelled when their customer is deactivated. */
export interface EndedWithCustomer {
  readonly kind: Running["kind"];
  /** The first record that `lock` locks. */
  readonly locks: Lockable;
  lock(tx: Tx, ids: readonly string[]): Promise<void>;
  /** Pauses or cancels one of them, by its status at the time of the lock. */
  end(tx: Tx, ctx: Ctx, one: Running, how: Exclude<OnActive, "keep">): Promise<void>;
}

/** The kinds of records that the service itself can pause and cancel, in the order in which they are locked. */
export const ENDED_WITH_CUSTOMER = new ExtensionPoint<EndedWithCustomer>(inLockOrder);

/**
 * The running records of a customer who is deactivated, with its subscriptions and mandates locked. Throws 409
 * `invalid_state`, which names them, unless `onActive` says what to do with them; and for a subscription that its
 * gateway runs, which only the gateway can pause or cancel.
 */
export async function lockRunning(
  tx: Tx,
  ctx: Ctx,
  id: CustomerId,
  onActive: OnActive | null,
): Promise<readonly Running[]> {
  const running = await runningOf(tx, id);
  if (running.length === 0 || onActive === "keep") return [];
  if (onActive === null) throw new ApiError("invalid_state", 409, whatRuns(running));
  const atGateway = running.find(({ kind }) => kind === "gateway subscription");
  if (atGateway)
    throw new ApiError(
      "invalid_state",
      409,
      `The gateway runs subscription ${atGateway.id}. ${onActive === "pause" ? "Pause" : "Cancel"} it first with ` +
        `POST /subscriptions/${atGateway.id}/${onActive}, or send onActive keep.`,
    );
  for (const { kind, lock } of ENDED_WITH_CUSTOMER.of(ctx)) await lock(tx, idsOf(running, kind));
  return running;
}

/**
 * Pauses or cancels the subscriptions and mandates that `lockRunning` returned
 * (decisions.md#billing-does-not-look-at-active); a card charge ends by its own outcome. Locks the invoice numbers,
 * then as `pauseSubscription` or `cancelSubscription`.
 */
export async function endRunning(
  tx: Tx,
  ctx: Ctx,
  running: readonly Running[],
  onActive: OnActive | null,
): Promise<void> {
  if (running.length === 0 || onActive === null || onActive === "keep") return;
  lockNumbers(tx, "invoice");
  const endings = ENDED_WITH_CUSTOMER.of(ctx);
  for (const one of running) await endings.find(({ kind }) => kind === one.kind)?.end(tx, ctx, one, onActive);
}

const idsOf = (running: readonly Running[], kind: Running["kind"]): string[] =>
  running.flatMap((one) => (one.kind === kind ? one.id : []));

/** The sentence that names the running records, and what to send. */
function whatRuns(running: readonly Running[]): string {
  const told = [...Map.groupBy(running, ({ kind }) => kind)].map(([kind, all]) => counted(all.length, kind)).join(", ");
  return `The customer has ${told} running: choose whether to pause, cancel or keep it (onActive).`;
}
