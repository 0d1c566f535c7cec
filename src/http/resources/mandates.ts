import { z } from "zod";
import { agreementFile } from "../../flows/documents/agreement-file.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { askProvider } from "../../flows/mandates/ask-provider.ts";
import {
  approveMandate,
  type MandateChange,
  patchMandate,
  rejectMandate,
} from "../../flows/mandates/change-mandate.ts";
import { recordMandate } from "../../flows/mandates/create-mandate.ts";
import { issueAgreement } from "../../flows/mandates/issue-agreement.ts";
import { lockMandateForChange } from "../../flows/mandates/read-mandate.ts";
import { settleMandate } from "../../flows/mandates/settle-mandate.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { AgreementIssue, AgreementObject, agreementView } from "../../modules/mandate-agreements/schema.ts";
import { auditedMandate, MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import {
  CreatedMandate,
  MandateCreate,
  MandateObject,
  MandatePatch,
  MandateQuery,
  MandateReject,
} from "../../modules/mandates/schema.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate, listMandates } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import { mandateView } from "../../modules/mandates/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint, gatewayEndpoint, type Reply } from "../endpoint.ts";
import { MANDATE } from "../expand/records.ts";
import { listBody, listOf, page } from "../lists.ts";

const common = {
  tag: {
    name: "Mandates",
    about: "Debit order mandates: creation, agreements to sign, approval, pause and cancellation.",
  },
  feature: "debit_orders",
} as const;
const params = z.object({ id: z.string() });

const changed = ({ before, after }: MandateChange, now: Instant): Reply => ({
  status: 200,
  body: mandateView(after, now),
  audit: { subject: after.id, before: auditedMandate(before), after: auditedMandate(after) },
});

/** Mandates, with the last digits of the account number only. */
const mandatesCsv = listExport<MandateRecord, typeof MandateQuery>({
  columns: {
    id: (row) => row.id,
    accountReference: (row) => row.accountReference,
    status: (row) => row.status,
    stage: (row) => stageOf(row),
    customerId: (row) => row.customerId,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    subscriptionId: (row) => row.subscriptionId,
    description: (row) => row.description,
    amount: (row) => row.amount,
    currency: () => MANDATE_CURRENCY,
    frequency: (row) => row.frequency,
    debitDay: (row) => String(row.debitDay),
    startDate: (row) => row.startDate,
    endDate: (row) => row.endDate,
    nextDebitDate: (row) => row.nextDebitDate,
    lastCollectedAt: (row) => row.lastCollectedAt,
    failureCount: (row) => String(row.failureCount),
    accountHolder: (row) => row.bank.accountHolder,
    accountNumberLast4: (row) => row.bank.accountNumberLast4,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listMandates(tx, await withNamed(tx, query)),
});

/** The endpoints of interface 4.10; 14.2: what staff do with mandates. */
export const mandateEndpoints = [
  gatewayEndpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/mandates",
    summary: "Create a debit order mandate",
    permission: "mandates:write",
    idempotent: true,
    body: MandateCreate,
    replies: { 201: CreatedMandate },
    steps: {
      record: ({ ctx, body }, tx) => recordMandate(tx, ctx, body),
      ask: ({ ctx, services }, id, again) => askProvider(services, ctx, id, again),
      async settle({ ctx }, tx, id, answer) {
        const outcome = await settleMandate(tx, ctx, id, answer);
        return outcome instanceof ApiError ? outcome : { status: 201, body: outcome };
      },
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/mandates",
    expands: MANDATE,
    summary: "List mandates, newest first",
    permission: "mandates:read",
    query: MandateQuery,
    replies: { 200: listOf(MandateObject) },
    async handle({ ctx, query }, tx) {
      const { items, ...paging } = await page(await withNamed(tx, query), (wanted) => listMandates(tx, wanted));
      return {
        status: 200,
        body: listBody(
          items.map((mandate) => mandateView(mandate, ctx.now)),
          paging,
        ),
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/mandates/{id}",
    expands: MANDATE,
    summary: "Get a mandate",
    permission: "mandates:read",
    params,
    replies: { 200: MandateObject },
    async handle({ ctx, params: { id } }, tx) {
      const mandate = await findMandate(tx, id);
      if (!mandate) throw notFound("mandate");
      return { status: 200, body: mandateView(mandate, ctx.now) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "PATCH",
    path: "/mandates/{id}",
    edits: true,
    summary: "Change a mandate's amount or debit day; pause, resume or cancel it",
    permission: "mandates:write",
    params,
    body: MandatePatch,
    replies: { 200: MandateObject },
    handle: async ({ ctx, params: { id }, body }, tx) => changed(await patchMandate(tx, ctx, id, body), ctx.now),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/mandates/{id}/agreement",
    summary: "Issue an agreement for the customer to sign; an open one is withdrawn",
    permission: "mandates:write",
    params,
    body: AgreementIssue,
    replies: { 201: AgreementObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const mandate = await lockMandateForChange(tx, id);
      const { agreement, signUrl } = await issueAgreement(tx, ctx, mandate, body);
      return {
        status: 201,
        body: agreementView(agreement, signUrl),
        audit: { subject: id, after: { agreement: agreement.id, emailed: agreement.emailed } },
      };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/mandates/{id}/agreements/{agreementId}",
    summary: "Download an agreement as a PDF, with the evidence of its signature",
    permission: "mandates:read",
    params: z.object({ id: z.string(), agreementId: z.string() }),
    media: PDF,
    download: ({ ctx, services, params }) => agreementFile(services, ctx, params.agreementId, params.id),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/mandates/{id}/approve",
    summary: "Approve a mandate that its customer has signed; it becomes active",
    permission: "mandates:write",
    idempotent: true,
    params,
    replies: { 200: MandateObject },
    handle: async ({ ctx, params: { id } }, tx) => changed(await approveMandate(tx, ctx, id), ctx.now),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/mandates/{id}/reject",
    summary: "Reject a mandate that is not active yet, permanently",
    permission: "mandates:write",
    idempotent: true,
    params,
    body: MandateReject,
    replies: { 200: MandateObject },
    handle: async ({ ctx, params: { id }, body }, tx) =>
      changed(await rejectMandate(tx, ctx, id, body.reason), ctx.now),
  }),
  listEndpoint("mandates", "Mandates", "mandates:read", MandateQuery.omit(PAGING), mandatesCsv, "debit_orders"),
];
