import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { awaitStatements } from "../../flows/gateway-statements/read-statements.ts";
import { noteBankDetails } from "../../flows/gateways/bank-details.ts";
import { describeGatewayAccount } from "../../flows/gateways/describe-gateway-account.ts";
import { describeHealth } from "../../flows/gateways/health.ts";
import { requireKeysOfMerchant, requireSameMerchant } from "../../flows/gateways/merchant.ts";
import { disconnectGatewayAccount } from "../../flows/gateways/reconnect.ts";
import {
  changedGatewayAccount,
  connectGatewayAccount,
  deleteGatewayAccount,
  newGatewayAccount,
  saveGatewayAccount,
  testGatewayAccount,
} from "../../flows/gateways/save-account.ts";
import { ADAPTERS, describeType } from "../../gateways/registry.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { PayoutHoldObject, payoutHoldView } from "../../modules/bank-detail-changes/schema.ts";
import { holdingChanges } from "../../modules/bank-detail-changes/store.ts";
import {
  GatewayAccountCreate,
  GatewayAccountObject,
  GatewayAccountPatch,
  GatewayAccountQuery,
  GatewayAccountRetest,
  GatewayAccountTest,
  GatewayHealthObject,
  GatewayTestObject,
  GatewayTypeObject,
} from "../../modules/gateway-accounts/schema.ts";
import {
  findGatewayAccount,
  insertGatewayAccount,
  pageOfGatewayAccounts,
} from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { csvEndpoint, PAGING } from "../csv-export.ts";
import { endpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { requireAsOpened } from "../opened.ts";

const common = { audience: "staff", tag: { name: "Gateways", about: "Accounts at payment gateways." } } as const;
const params = z.object({ id: z.string() });

/** Gateway accounts. */
const gatewaysCsv = listExport<GatewayAccount, typeof GatewayAccountQuery>({
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

/** The endpoints of interface 14.2, gateways. Saving may call the gateway, so it opens its own transactions. */
export const gatewayEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/gateways",
    summary: "List gateway accounts, in the order in which payers see them",
    permission: "gateways:read",
    query: GatewayAccountQuery,
    replies: { 200: listOf(GatewayAccountObject) },
    async handle(call, tx) {
      return listed(
        call,
        (wanted) => pageOfGatewayAccounts(tx, wanted),
        (account) => describeGatewayAccount(call.ctx, account),
      );
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "POST",
    path: "/gateways",
    summary: "Add a gateway account",
    permission: "gateways:write",
    body: GatewayAccountCreate,
    replies: { 201: GatewayAccountObject },
    async run({ ctx, services, body }) {
      const account = await connectGatewayAccount(ctx, services, newGatewayAccount(ctx, body));
      const view = describeGatewayAccount(ctx, account);
      await services.db.transaction(ctx.organisation.id, async (tx) => {
        insertGatewayAccount(tx, account);
        await awaitStatements(tx, ctx, account);
        const bankDetails = await noteBankDetails(tx, ctx, null, account);
        const after = { ...view, ...(bankDetails && { bankDetails: bankDetails.after }) };
        recordAudit(tx, { ...ctx, action: "POST /gateways", subject: account.id, before: null, after });
      });
      return { status: 201, body: view };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/gateways/{id}",
    summary: "Get a gateway account",
    permission: "gateways:read",
    params,
    replies: { 200: GatewayAccountObject },
    async handle({ ctx, params: { id } }, tx) {
      const account = await findGatewayAccount(tx, id);
      if (!account) throw notFound("gateway account");
      return { status: 200, body: describeGatewayAccount(ctx, account) };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "PATCH",
    path: "/gateways/{id}",
    edits: true,
    summary: "Change a gateway account; credentials that are not given stay",
    permission: "gateways:write",
    params,
    body: GatewayAccountPatch,
    replies: { 200: GatewayAccountObject },
    async run(call) {
      const { ctx, params, services, body } = call;
      const { id } = params;
      const { db } = services;
      const read = await db.read(ctx.organisation.id, (tx) => findGatewayAccount(tx, id));
      if (!read) throw notFound("gateway account");
      const changed = changedGatewayAccount(ctx, read, body);
      const change = { before: read, after: changed };
      if (body.credentials) {
        await db.read(ctx.organisation.id, (tx) => requireSameMerchant(tx, ctx, change));
        await requireKeysOfMerchant(services, ctx, change);
      }
      const connected = body.credentials ? await connectGatewayAccount(ctx, services, changed) : changed;
      return db.transaction(ctx.organisation.id, async (tx) => {
        const { before, after } = await saveGatewayAccount(tx, read, connected);
        // Again, under the lock: a payment may have begun meanwhile.
        await requireSameMerchant(tx, ctx, { before, after });
        await awaitStatements(tx, ctx, after);
        const [old, view] = [before, after].map((account) => describeGatewayAccount(ctx, account));
        // Names of the changed credentials, without their values: a change of a bank account must be visible in the
        // audit log.
        const credentialsGiven = body.credentials && Object.keys(body.credentials).sort();
        await requireAsOpened(tx, call, { subject: id, before: old });
        const bankDetails = await noteBankDetails(tx, ctx, before, after);
        recordAudit(tx, {
          ...{ ...ctx, action: "PATCH /gateways/{id}", subject: id },
          before: { ...old, ...(bankDetails && { bankDetails: bankDetails.before }) },
          after: {
            ...{ ...view, ...(credentialsGiven && { credentialsGiven }) },
            ...(bankDetails && { bankDetails: bankDetails.after, bankDetailsChanged: bankDetails.fields }),
          },
        });
        return { status: 200, body: view };
      });
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "POST",
    path: "/gateways/test",
    operationId: "testGatewayCredentials",
    summary: "Ask a gateway whether it accepts credentials, before they are saved",
    permission: "gateways:write",
    writes: false,
    body: GatewayAccountTest,
    replies: { 200: GatewayTestObject },
    async run({ ctx, services, body }) {
      return { status: 200, body: await testGatewayAccount(ctx, services, newGatewayAccount(ctx, body)) };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "POST",
    path: "/gateways/{id}/test",
    summary: "Ask the gateway of an account whether it accepts its credentials, or changed ones before they are saved",
    permission: "gateways:write",
    writes: false,
    params,
    body: GatewayAccountRetest,
    replies: { 200: GatewayTestObject },
    async run({ ctx, services, params: { id }, body }) {
      const account = await services.db.read(ctx.organisation.id, (tx) => findGatewayAccount(tx, id));
      if (!account) throw notFound("gateway account");
      const tested = await testGatewayAccount(ctx, services, changedGatewayAccount(ctx, account, body));
      return { status: 200, body: tested };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/gateways/{id}/health",
    summary:
      "Show how a gateway account fares: notifications, calls without a clear answer, payments expected and seen",
    permission: "gateways:read",
    params,
    replies: { 200: GatewayHealthObject },
    async handle({ ctx, params: { id } }, tx) {
      const health = await describeHealth(tx, ctx, id);
      if (!health) throw notFound("gateway account");
      return { status: 200, body: health };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "DELETE",
    path: "/gateways/{id}",
    summary: "Delete a gateway account without payments and mandates",
    permission: "gateways:write",
    params,
    replies: { 200: GatewayAccountObject },
    async run({ ctx, services, params: { id } }) {
      const account = await services.db.transaction(ctx.organisation.id, async (tx) => {
        const deleted = await deleteGatewayAccount(tx, id);
        const bankDetails = await noteBankDetails(tx, ctx, deleted, null);
        const view = describeGatewayAccount(ctx, deleted);
        const before = { ...view, ...(bankDetails && { bankDetails: bankDetails.before }) };
        recordAudit(tx, { ...ctx, action: "DELETE /gateways/{id}", subject: id, before, after: null });
        return deleted;
      });
      await disconnectGatewayAccount(services, ctx, account);
      return { status: 200, body: describeGatewayAccount(ctx, account) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/gateway-types",
    summary: "List the gateways that this organisation may use",
    permission: "gateways:read",
    replies: { 200: listOf(GatewayTypeObject) },
    async handle({ ctx }) {
      const types = ADAPTERS.filter(({ simulated }) => ctx.organisation.sandbox || !simulated).map(describeType);
      return { status: 200, body: { data: types, hasMore: false, nextCursor: null } };
    },
  }),
  csvEndpoint(
    "gateways",
    "Gateway accounts, without their credentials, as CSV, in the order of the list; with every filter of the list",
    "gateways:read",
    GatewayAccountQuery.omit(PAGING),
    gatewaysCsv,
  ),
];

/** The endpoints of interface 18.1. */
export const payoutHoldEndpoints = [
  endpoint({
    audience: "staff",
    tag: { name: "Gateways", about: "Accounts at payment gateways." },
    method: "GET",
    path: "/payout-hold",
    summary: "Tell whether changes of bank details hold payouts, until when, and who made them",
    permission: "gateways:read",
    replies: { 200: PayoutHoldObject },
    handle: async ({ ctx }, tx) => ({ status: 200, body: payoutHoldView(await holdingChanges(tx, ctx.now)) }),
  }),
];
