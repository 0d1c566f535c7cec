import { type Part, part, type Tx } from "../platform/database.ts";

/** Condition: the organisation has a webhook endpoint that is switched on. */
export const endpointIsEnabled = (tx: Tx): Part =>
  part`exists (select from webhook_endpoints w where w.organisation_id = ${tx.organisation} and w.enabled)`;
