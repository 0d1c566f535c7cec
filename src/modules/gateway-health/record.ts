// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of gateway health. */
export const GATEWAY_HEALTH_RECORD = record({
  tables: {
    gateway_health: {
      plain: "gateway_account_id last_refusal last_unclear",
    },
  },
});
