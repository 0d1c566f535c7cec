import { insertGatewaySubscription, lockGatewaySubscription } from "../../modules/gateway-subscriptions/store.ts";
import { setSubscription } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { MIGRATION_CANCEL_LEGACY } from "../../modules/subscription-migrations/declarations.ts";
import { moveMigration } from "../../modules/subscription-migrations/states.ts";
import {
  lockMigration,
  migrationOfGatewaySubscription,
  saveMigration,
} from "../../modules/subscription-migrations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_CANCELLED } from "../customer-subscriptions/declarations.ts";
import type { LockedPurpose } from "../payments/purpose.ts";
import { askGatewayOf, begunBy } from "./begin-subscription.ts";
import { expectEarlyReports } from "./early-reports.ts";
import { appendGatewaySubscriptionEvent, saveSubscription } from "./save-subscription.ts";

/**
 * Handles the payment of 1.00 that confirms the card of a migration whose subscription runs at its gateway, as those
 * begun earlier do: the payment starts that subscription (interface 4.7). A second such payment, or one after the
 * migration was cancelled, starts a subscription that is cancelled at once. Locks migration and subscription. Null for
 * a payment of 1.00 that starts none.
 */
export async function confirmAtGateway(tx: Tx, ctx: Ctx, payment: Transaction): Promise<LockedPurpose | null> {
  const { paidAt, subscriptionId: asked } = payment;
  const id = paidAt === null && asked !== null ? await migrationOfGatewaySubscription(tx, asked) : null;
  const migration = id && (await lockMigration(tx, id));
  const waiting = migration && (await lockGatewaySubscription(tx, migration.subscription.id));
  if (!waiting) return null;
  const authorised = moveMigration(migration.status, "authorise");
  const subscriptionId = authorised ? waiting.id : newId("gsub");
  return {
    async complete(paid, _split, fact) {
      const begun = { ...waiting, ...begunBy(ctx, paid, fact), id: subscriptionId };
      if (authorised) {
        const active = saveSubscription(tx, ctx, waiting, { ...begun, status: "active" });
        saveMigration(tx, { ...migration, status: authorised });
        appendGatewaySubscriptionEvent(tx, ctx, SUBSCRIPTION_ACTIVATED, active);
        askGatewayOf(tx, ctx, active, fact);
        await expectEarlyReports(tx, ctx, active);
        if (migration.cancelsLegacy) enqueue(tx, MIGRATION_CANCEL_LEGACY, migration.id, ctx.now);
      } else {
        const second = { ...begun, status: "cancelled", createdAt: ctx.now, updatedAt: ctx.now } as const;
        insertGatewaySubscription(tx, second);
        appendGatewaySubscriptionEvent(tx, ctx, SUBSCRIPTION_CANCELLED, second);
        askGatewayOf(tx, ctx, second, fact);
      }
      setSubscription(tx, paid.id, subscriptionId);
    },
    changes: () => ({ subscriptionId }),
  };
}
