import { dueWork } from "../../platform/due-work.ts";

/** Cancels the old instruction of a migration, at the other service, after the payer has confirmed the card. */
export const MIGRATION_CANCEL_LEGACY = dueWork("subscription_migration.cancel_legacy", { alsoInRealTime: true });
