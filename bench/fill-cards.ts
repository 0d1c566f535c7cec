import { TOKEN_COLUMN } from "../src/modules/cards/store.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { CARDHOLDERS, ORGANISATIONS, organisationId, sqlCardId, sqlCustomerId, sqlOrganisationId } from "./names.ts";
import type { BenchServer } from "./server.ts";

/** Customers with a saved card each, and API keys that may charge them. The database must have no customers before. */
export async function fillCards({ query, secretKey }: BenchServer, url: string): Promise<void> {
  const secrets = createSecrets({ current: secretKey, previous: [] });
  const tokens = Array.from({ length: ORGANISATIONS }, (_, index) =>
    secrets.seal(`sct_${"0".repeat(24)}_4242`, { organisation: organisationId(index + 1), column: TOKEN_COLUMN }),
  );
  const numbers = `generate_series(1, ${ORGANISATIONS}) org cross join generate_series(0, ${CARDHOLDERS - 1}) customer`;
  const [organisation, holder] = [sqlOrganisationId("org"), sqlCustomerId("org", "customer")];
  await query(
    url,
    `update api_keys set permissions = '{charge_saved_cards}';
     insert into customers (organisation_id, id, account_code, email, first_name, last_name, created_at, updated_at)
     select ${organisation}, ${holder}, 'C-' || right(${holder}, 8), 'payer-' || customer || '@bench.example', 'Thandi', 'Nkosi', now(), now()
       from ${numbers};
     insert into cards (organisation_id, id, customer_id, gateway_account_id, fingerprint, token_sealed, brand, last4, status, is_default,
       source, created_at, updated_at)
     select ${organisation}, ${sqlCardId("org", "customer")}, ${holder}, g.id, 'fingerprint', ('{${tokens.join(",")}}'::text[])[org], 'visa',
       '4242', 'active', true, 'card_setup', now(), now()
       from ${numbers} join gateway_accounts g on g.organisation_id = ${organisation};`,
  );
  await query(url, "vacuum analyze organisations, api_keys, gateway_accounts, customers, cards");
  await query(url, "checkpoint");
}
