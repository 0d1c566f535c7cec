import { dueWork } from "../../platform/due-work.ts";

/** Cancels the instruction elsewhere of a migration whose payer has confirmed the card. */
export const MIGRATION_CANCEL_LEGACY = dueWork("subscription_migration.cancel_legacy", { alsoInRealTime: true });
