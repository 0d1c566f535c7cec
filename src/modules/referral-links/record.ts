// Writes nothing. Reads nothing else.

import { record } from "../../domain/records.ts";

/** What erasure makes of the columns of referral links. */
export const REFERRAL_LINK_RECORD = record({
  tables: {
    referral_clicks: {
      plain: "partner",
    },
    referral_sign_ups: {
      plain: "id partner",
    },
  },
});
