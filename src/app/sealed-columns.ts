import { SEALED_CREDENTIALS } from "../modules/gateway-accounts/store.ts";
import { SEALED_LINK_KEYS } from "../modules/organisations/store.ts";
import { SEALED_HANDOFFS } from "../modules/payments/store.ts";
import { SEALED_PREVIOUS_SECRETS, SEALED_SECRETS } from "../modules/webhooks/store.ts";
import { SEALED_REPLIES } from "../platform/idempotency-keys.ts";
import type { SealedColumn } from "../platform/sealed.ts";

/** Every column of the tenants' tables that holds a secret. A test compares it with the columns that are named `_sealed`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  SEALED_LINK_KEYS,
  SEALED_CREDENTIALS,
  SEALED_SECRETS,
  SEALED_PREVIOUS_SECRETS,
  SEALED_HANDOFFS,
  SEALED_REPLIES,
];
