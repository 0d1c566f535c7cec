import type { Frequency } from "../../kernel/frequency.ts";
import type { CardSetupId, CustomerId, CustomerSubscriptionId, GatewaySubscriptionId, Id } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** The progress of a migration (interface 4.7). */
export const MIGRATION_STATUSES = ["link_sent", "authorised", "legacy_cancelled", "cancelled"] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** The subscription that a migration makes: the service charges it; one of a migration that was begun before runs at its gateway. */
export type MigratedSubscription =
  | { readonly runs: "here"; readonly id: CustomerSubscriptionId }
  | { readonly runs: "at_gateway"; readonly id: GatewaySubscriptionId };

/** A card subscription that is moved here from another service (interface 4.7). */
export interface SubscriptionMigration {
  readonly id: Id<"gsm">;
  /** The caller's name for the instruction at the other service; unique. */
  readonly legacyReference: string;
  readonly payerName: string;
  readonly email: string;
  /** What the payer is charged each time, with VAT. */
  readonly amount: Cents;
  readonly frequency: Frequency;
  /** First charge of the subscription here, as it was asked for. */
  readonly nextDate: CalendarDay;
  readonly status: MigrationStatus;
  /** Whether the service cancels the instruction at the other service once the card is confirmed. */
  readonly cancelsLegacy: boolean;
  readonly subscription: MigratedSubscription;
  readonly customerId: CustomerId;
  /** The page on which the payer confirms the card. */
  readonly cardSetupId: CardSetupId;
  readonly createdAt: Instant;
}
