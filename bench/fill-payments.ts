import { CREDENTIALS_COLUMN } from "../src/modules/gateway-accounts/store.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import {
  GATEWAY_SECRET,
  gatewayAccountId,
  LINKS_WHEN_EMPTY,
  ORGANISATIONS,
  organisationId,
  PAYMENTS,
  sqlGatewayAccountId,
  sqlLinkId,
  sqlOrganisationId,
  sqlPaymentReference,
  sqlTransactionId,
} from "./names.ts";
import type { BenchServer } from "./server.ts";

/**
 * Pending payments of payment links, for the load generator and for the floor, with the work that asks about them, at
 * gateway accounts whose secret the load generator knows.
 */
export async function fillPayments({ query, secretKey }: BenchServer, url: string): Promise<void> {
  const secrets = createSecrets({ current: secretKey, previous: [] });
  const credentials = JSON.stringify({ merchantId: "bench", secret: GATEWAY_SECRET });
  const accounts = Array.from({ length: ORGANISATIONS }, (_, index) => {
    const organisation = organisationId(index + 1);
    const sealed = secrets.seal(credentials, { organisation, column: CREDENTIALS_COLUMN });
    return `('${organisation}', '${gatewayAccountId(index + 1)}', '${sealed}')`;
  });
  const numbers = `generate_series(1, ${ORGANISATIONS}) org cross join generate_series(0, ${2 * PAYMENTS - 1}) payment`;
  const [organisation, id] = [sqlOrganisationId("org"), sqlTransactionId("org", "payment")];
  await query(
    url,
    `insert into gateway_accounts (organisation_id, id, type, name, mode, enabled, credentials_sealed, currencies, created_at, updated_at)
     select v.organisation, v.id, 'sandbox', 'Sandbox gateway', 'sandbox', true, v.sealed, '{ZAR}', now(), now()
       from (values ${accounts.join(",")}) as v(organisation, id, sealed);
     update payment_links set single_use = false;
     insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox,
       description, payment_link_id, created_at)
     select ${organisation}, ${id}, ${sqlPaymentReference(id)}, 'pending', 14950, 'ZAR', 'once', ${sqlGatewayAccountId("org")}, 'sandbox', true,
       'Order', ${sqlLinkId("org", `payment % ${LINKS_WHEN_EMPTY}`)}, now()
       from ${numbers};
     insert into due_work (organisation_id, kind, subject, lane, due_at, is_due, waits_for_clock, asked_during_move)
     select ${organisation}, 'payment.check', ${id}, 'payment.check', now() + interval '1 day', false, false, false from ${numbers};`,
  );
  await query(url, "vacuum analyze gateway_accounts, payment_links, transactions, due_work");
  await query(url, "checkpoint");
}
