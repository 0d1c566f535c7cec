import { GONE_IN_TWO_DAYS, OF_NOBODY, OF_STAFF } from "./erasure.ts";
import { record } from "./records.ts";

/** What erasure makes of the columns of the platform's own tables. */
export const PLATFORM_RECORD = record({
  tables: {
    claim_turns: {
      plain: "name",
    },
    due_work: {
      plain: "kind subject lane lease_token",
      columns: {
        last_error: OF_NOBODY,
      },
    },
    idempotency_keys: {
      plain: "key method path body_hash intent",
      columns: {
        reply_sealed: GONE_IN_TWO_DAYS,
      },
    },
    "identity.user": {
      plain: "id",
      columns: {
        email: OF_STAFF,
        name: OF_STAFF,
        image: OF_STAFF,
      },
    },
    "identity.account": {
      plain: "id user_id provider_id account_id password access_token refresh_token id_token scope",
    },
    "identity.passkey": {
      plain: "id user_id name credential_id public_key device_type transports aaguid",
    },
    "identity.session": {
      plain: "id user_id token",
      columns: {
        ip_address: OF_STAFF,
        user_agent: OF_STAFF,
      },
    },
    "identity.two_factor": {
      plain: "id user_id secret backup_codes",
    },
    "identity.verification": {
      plain: "id identifier value",
    },
    lock_slots: {
      plain: "kind",
    },
    last_results: {
      plain: "kind",
    },
    migrations: {
      plain: "name checksum",
    },
    applied_functions: {
      plain: "name checksum version",
    },
    rate_windows: {
      columns: {
        scope: GONE_IN_TWO_DAYS,
      },
    },
  },
});
