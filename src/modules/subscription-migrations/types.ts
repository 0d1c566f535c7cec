import type { CardSetupId, CustomerId, GatewaySubscriptionId, Id } from "../../kernel/ids.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** How far a migration is (interface 4.7). */
export const MIGRATION_STATUSES = ["link_sent", "authorised", "legacy_cancelled", "cancelled"] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** A card subscription that is brought over from elsewhere (interface 4.7). */
export interface SubscriptionMigration {
  readonly id: Id<"gsm">;
  /** The caller's name of the instruction elsewhere; unique. */
  readonly legacyReference: string;
  readonly payerName: string;
  readonly email: string;
  /** First charge of the subscription here. */
  readonly nextDate: BusinessDay;
  readonly status: MigrationStatus;
  /** Whether the service cancels the instruction elsewhere once the card is confirmed. */
  readonly cancelsLegacy: boolean;
  readonly subscriptionId: GatewaySubscriptionId;
  readonly customerId: CustomerId;
  /** The page on which the payer confirms the card. */
  readonly cardSetupId: CardSetupId;
  readonly createdAt: Instant;
}
