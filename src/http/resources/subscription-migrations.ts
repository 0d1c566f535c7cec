import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { hostedUrl } from "../../flows/hosted-links.ts";
import {
  askForLegacyCancel,
  cancelMigration,
  markLegacyCancelled,
  recordLegacyCancel,
  sendMigrationLink,
  settleLegacyCancel,
} from "../../flows/subscription-migrations/act-on-migration.ts";
import { startMigrations } from "../../flows/subscription-migrations/start-migrations.ts";
import { ApiError } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { CARD_PAGE } from "../../modules/card-setups/declarations.ts";
import {
  MigrationObject,
  MigrationQuery,
  MigrationsCreate,
  migrationView,
} from "../../modules/subscription-migrations/schema.ts";
import { listMigrations } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import type { Tx } from "../../platform/database.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint, gatewayEndpoint, type Reply } from "../endpoint.ts";
import { listBody, listed, listOf, ONLY_PAGE } from "../lists.ts";
import { common } from "./gateway-subscriptions.ts";

/**
 * Reading needs no feature, nor does ending a migration or the instruction at the other service
 * (decisions.md#stopping-needs-no-feature).
 */
const feature = "recurring_card_billing" as const;
const params = z.object({ id: z.string() });

const shown = (ctx: Ctx, migration: SubscriptionMigration) =>
  migrationView(migration, hostedUrl(ctx, CARD_PAGE, migration.cardSetupId));

const reply = (ctx: Ctx, migration: SubscriptionMigration): Reply => ({
  status: 200,
  body: shown(ctx, migration),
  audit: { subject: migration.id, after: { status: migration.status } },
});

const actionEndpoint = (
  action: string,
  summary: string,
  act: (tx: Tx, ctx: Ctx, id: string) => Promise<SubscriptionMigration>,
): Endpoint =>
  endpoint({
    ...common,
    method: "POST",
    path: `/subscriptions/migrations/{id}/${action}`,
    summary,
    ...(action === "send-link" ? { feature } : {}),
    permission: "subscriptions:write",
    scope: "gateway_subscriptions:write",
    idempotent: true,
    params,
    replies: { 200: MigrationObject },
    handle: async ({ ctx, params: { id } }, tx) => reply(ctx, await act(tx, ctx, id)),
  });

/** Migrations of card subscriptions, without the addresses of the pages on which payers confirm their cards. */
const migrationsCsv = listExport<SubscriptionMigration, typeof MigrationQuery>({
  columns: {
    id: (row) => row.id,
    legacyReference: (row) => row.legacyReference,
    payerName: (row) => row.payerName,
    email: (row) => row.email,
    amount: (row) => row.amount,
    frequency: (row) => row.frequency,
    nextDate: (row) => row.nextDate,
    status: (row) => row.status,
    subscriptionId: (row) => row.subscription.id,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listMigrations,
});

/** The endpoints of interface 4.7, migrations. */
export const subscriptionMigrationEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/subscriptions/migrations",
    operationId: "migrateSubscriptions",
    summary: "Bring card subscriptions over from elsewhere: their payers are mailed a page to confirm the card",
    feature,
    permission: "subscriptions:write",
    scope: "gateway_subscriptions:write",
    idempotent: true,
    body: MigrationsCreate,
    replies: { 200: listOf(MigrationObject), 201: listOf(MigrationObject) },
    async handle({ ctx, body }, tx) {
      const { migrations, created } = await startMigrations(tx, ctx, body);
      return {
        status: created > 0 ? 201 : 200,
        body: listBody(
          migrations.map((migration) => shown(ctx, migration)),
          ONLY_PAGE,
        ),
        audit: { after: { migrations: migrations.map(({ id }) => id) } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/subscriptions/migrations",
    summary: "List migrations with their progress, newest first",
    permission: "subscriptions:read",
    scope: "gateway_subscriptions:read",
    query: MigrationQuery,
    replies: { 200: listOf(MigrationObject) },
    handle: (call, tx) =>
      listed(
        call,
        (wanted) => listMigrations(tx, wanted),
        (migration) => shown(call.ctx, migration),
      ),
  }),
  actionEndpoint("send-link", "Mail the link to the page again to the payer of a migration", sendMigrationLink),
  actionEndpoint(
    "mark-legacy-cancelled",
    "Record that the instruction at the other service is cancelled",
    (tx, _ctx, id) => markLegacyCancelled(tx, id),
  ),
  actionEndpoint("cancel", "Cancel a migration whose card is not confirmed", cancelMigration),
  gatewayEndpoint({
    ...common,
    method: "POST",
    path: "/subscriptions/migrations/{id}/cancel-legacy",
    summary: "Cancel the instruction at the other service, through the gateway",
    permission: "subscriptions:write",
    scope: "gateway_subscriptions:write",
    idempotent: true,
    params,
    replies: { 200: MigrationObject },
    steps: {
      async record({ ctx, params: { id } }, tx) {
        const { migration, done } = await recordLegacyCancel(tx, ctx, id);
        if (done) return { status: 200, body: shown(ctx, migration) };
        return { intent: id, audit: { subject: id, before: { status: migration.status } } };
      },
      ask: ({ ctx, services }, id) => askForLegacyCancel(services, ctx, id),
      async settle({ ctx }, tx, id, answer) {
        const outcome = await settleLegacyCancel(tx, ctx, id, answer);
        return outcome instanceof ApiError ? outcome : { status: 200, body: shown(ctx, outcome) };
      },
    },
  }),
  listEndpoint(
    "subscriptions-migrations",
    "Migrations of card subscriptions, without the addresses of their pages,",
    "subscriptions:read",
    MigrationQuery.omit(PAGING),
    migrationsCsv,
  ),
];
