import type { CardSetupId, CustomerId, GatewaySubscriptionId, Id } from "../../kernel/ids.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** The progress of a migration (interface 4.7). */
export const MIGRATION_STATUSES = ["link_sent", "authorised", "legacy_cancelled", "cancelled"] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** A card subscription that is moved here from another service (interface 4.7). */
export interface SubscriptionMigration {
  readonly id: Id<"gsm">;
  /** The caller's name for the instruction at the other service; unique. */
  readonly legacyReference: string;
  readonly payerName: string;
  readonly email: string;
  /** First charge of the subscription here. */
  readonly nextDate: BusinessDay;
  readonly status: MigrationStatus;
  /** Whether the service cancels the instruction at the other service once the card is confirmed. */
  readonly cancelsLegacy: boolean;
  readonly subscriptionId: GatewaySubscriptionId;
  readonly customerId: CustomerId;
  /** The page on which the payer confirms the card. */
  readonly cardSetupId: CardSetupId;
  readonly createdAt: Instant;
}
