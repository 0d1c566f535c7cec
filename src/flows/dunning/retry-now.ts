import { ApiError } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { openCollections } from "../../modules/dunning/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { AskedCharge } from "../card-charges/charge-stored-card.ts";
import type { Ctx } from "../context.ts";
import {
  requireCollected,
  requireNotEnded,
  requireSubscription,
} from "../customer-subscriptions/act-on-subscription.ts";
import { type NotCharged, recordAttempt } from "./record-attempt.ts";

/**
 * Records that the oldest unpaid invoice of a subscription is charged to its stored card now (interface 4.8, retry).
 * This does not count as one of the settings' retries. Locks the subscription, then as `recordAttempt`. Throws 404; 409
 * `external_subscription`, `invalid_state` when it has ended, `unsupported` for a debit order, `nothing_to_retry` when
 * nothing is unpaid or a payment of it is under way, and the reason why no card can be charged; 403 `plan_limit`.
 */
export async function recordRetry(tx: Tx, ctx: Ctx, id: string): Promise<AskedCharge> {
  await lockCustomerSubscription(tx, id);
  const sub = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
  requireCollected(sub);
  requireNotEnded(sub);
  const [oldest] = await openCollections(tx, sub.id);
  if (!oldest) throw nothing(sub);
  if (sub.collectionMethod !== "gateway")
    throw new ApiError("unsupported", 409, "A debit order is collected on the next day of its mandate only.");
  const attempt = await recordAttempt(tx, ctx, { sub, collection: oldest, cause: "request" });
  if ("why" in attempt) throw refusalOf(sub, attempt);
  return attempt;
}

const nothing = ({ status }: Pick<ShownSubscription, "status">): ApiError =>
  new ApiError(
    "nothing_to_retry",
    409,
    status === "pending"
      ? "The first charge is paid on its hosted page."
      : "No invoice of this subscription is unpaid that the service collects.",
  );

function refusalOf(sub: ShownSubscription, refused: NotCharged): ApiError {
  switch (refused.why) {
    case "closed":
      return nothing(sub);
    case "under_way":
      return new ApiError("nothing_to_retry", 409, "A payment of the unpaid invoice is under way.");
    case "not_now":
      return new ApiError(
        "plan_limit",
        403,
        "Your plan allows no more payments this month. Upgrade the plan to take more.",
      );
    case "no_charge":
      return new ApiError(refused.refusal, 409, refused.reason);
  }
}
