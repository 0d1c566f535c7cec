import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { ApiKeyQuery } from "../../modules/api-keys/schema.ts";
import { listApiKeys } from "../../modules/api-keys/store.ts";
import type { ApiKey } from "../../modules/api-keys/types.ts";
import type { GatewayAccountQuery } from "../../modules/gateway-accounts/schema.ts";
import { pageOfGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { MemberQuery } from "../../modules/members/schema.ts";
import { listPeople } from "../../modules/members/store.ts";
import { personView } from "../../modules/members/view.ts";
import type { RuleQuery } from "../../modules/reconciliation/schema.ts";
import { listRules } from "../../modules/reconciliation/store/accounts.ts";
import type { Rule } from "../../modules/reconciliation/types.ts";
import type { EndpointQuery } from "../../modules/webhooks/schema.ts";
import { listEndpoints } from "../../modules/webhooks/store.ts";
import type { WebhookEndpoint } from "../../modules/webhooks/types.ts";
import { listExport } from "./csv-export.ts";

/* Exports of lists of members, keys and settings. None of them holds a secret. */

/** Members and open invitations. */
export const membersCsv = listExport<ReturnType<typeof personView>, typeof MemberQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    email: (row) => row.email,
    name: (row) => row.name,
    role: (row) => row.role,
    expiresAt: (row) => row.expiresAt,
    createdAt: (row) => row.createdAt,
  },
  list: async (tx, query, { now }) => (await listPeople(tx, query)).map((person) => personView(person, now)),
});

/** API keys by their beginnings. */
export const apiKeysCsv = listExport<ApiKey, typeof ApiKeyQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    prefix: (row) => `tefo_${row.prefix}`,
    permissions: (row) => row.permissions.join(" "),
    createdAt: (row) => toTimestamp(row.createdAt),
    revokedAt: (row) => toTimestampOrNull(row.revokedAt),
  },
  list: listApiKeys,
});

/** Webhook endpoints. */
export const webhookEndpointsCsv = listExport<WebhookEndpoint, typeof EndpointQuery>({
  columns: {
    id: (row) => row.id,
    url: (row) => row.url,
    events: (row) => row.events.join(" "),
    enabled: (row) => String(row.enabled),
    disabledReason: (row) => row.disabledReason,
    failingSince: (row) => toTimestampOrNull(row.failingSince),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: listEndpoints,
});

/** Gateway accounts. */
export const gatewaysCsv = listExport<GatewayAccount, typeof GatewayAccountQuery>({
  columns: {
    id: (row) => row.id,
    type: (row) => row.type,
    name: (row) => row.name,
    mode: (row) => row.mode,
    enabled: (row) => String(row.enabled),
    currencies: (row) => row.currencies.join(" "),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: pageOfGatewayAccounts,
});

/** Rules from matches by hand. */
export const rulesCsv = listExport<Rule, typeof RuleQuery>({
  columns: {
    id: (row) => row.id,
    account: (row) => row.account,
    fragment: (row) => row.fragment,
    direction: (row) => row.direction,
    kind: (row) => row.kind,
    gatewayId: (row) => row.subject,
    status: (row) => row.status,
    itemId: (row) => row.itemId,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listRules,
});
