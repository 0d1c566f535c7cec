import { z } from "zod";
import { checkProof } from "../../flows/eft-orders/add-proof.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { acceptDispute, addEvidence, readEvidence, submitEvidence } from "../../flows/payments/answer-dispute.ts";
import { disputeObject } from "../../flows/payments/record-dispute.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { DisputeObject, DisputeQuery } from "../../modules/disputes/schema.ts";
import { findDispute, listDisputes } from "../../modules/disputes/store.ts";
import type { DisputeRecord } from "../../modules/disputes/types.ts";
import { PROOF_BYTES_MAX } from "../../modules/eft-orders/rules.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint, ownTransactionsEndpoint, uploadEndpoint } from "../endpoint.ts";
import { DISPUTE } from "../expand/records.ts";
import { listed, listOf } from "../lists.ts";
import { changed } from "../replies.ts";

const common = {
  tag: { name: "Disputes", about: "Payments that their payers dispute at the bank: deadline, evidence, outcome." },
} as const;
const params = z.object({ id: z.string() });

/** Disputes. */
const disputesCsv = listExport<DisputeRecord, typeof DisputeQuery>({
  columns: {
    id: (row) => row.id,
    transactionReference: (row) => row.transactionReference,
    customerId: (row) => row.customerId,
    customerName: (row) => row.customerName,
    status: (row) => row.status,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    reason: (row) => row.reason,
    code: (row) => row.code,
    gateway: (row) => row.gatewayType,
    openedAt: (row) => toTimestamp(row.openedAt),
    respondBy: (row) => toTimestampOrNull(row.respondBy),
    submittedAt: (row) => toTimestampOrNull(row.submittedAt),
    closedAt: (row) => toTimestampOrNull(row.closedAt),
  },
  list: listDisputes,
});

/** The endpoints of interface 4.16. */
export const disputeEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/disputes",
    expands: DISPUTE,
    summary: "List disputes, newest first",
    permission: "transactions:read",
    query: DisputeQuery,
    replies: { 200: listOf(DisputeObject) },
    handle: (call, tx) => listed(call, (wanted) => listDisputes(tx, wanted), disputeObject),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/disputes/{id}",
    expands: DISPUTE,
    summary: "Get a dispute",
    permission: "transactions:read",
    params,
    replies: { 200: DisputeObject },
    async handle({ params: { id } }, tx) {
      const dispute = await findDispute(tx, id);
      if (!dispute) throw notFound("dispute");
      return { status: 200, body: disputeObject(dispute) };
    },
  }),
  uploadEndpoint({
    ...common,
    audience: "clients",
    path: "/disputes/{id}/evidence",
    operationId: "uploadDisputeEvidence",
    summary: "Upload evidence for a dispute: a PDF, PNG or JPEG of at most 10 MB",
    permission: "transactions:write",
    params,
    upload: { field: "file", maxBytes: PROOF_BYTES_MAX },
    replies: { 200: DisputeObject },
    prepare: ({ ctx, services, body }) => checkProof(services, ctx, body),
    async handle({ ctx, params: { id } }, tx, file) {
      const { before, after } = await addEvidence(tx, ctx, id, file);
      return changed(before, after);
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/disputes/{id}/submit",
    summary: "Send the evidence of a dispute to its gateway, where the gateway takes it",
    permission: "transactions:write",
    params,
    replies: { 200: DisputeObject },
    async run({ ctx, services, params: { id } }) {
      return { status: 200, body: await submitEvidence(services, ctx, id) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/disputes/{id}/accept",
    summary: "Accept a dispute: it is not answered, and closes",
    permission: "transactions:write",
    idempotent: true,
    params,
    replies: { 200: DisputeObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await acceptDispute(tx, ctx, id);
      return changed(before, after);
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/disputes/{id}/evidence/{evidenceId}",
    summary: "Download a file of a dispute; the audit log gets an entry with the reader",
    permission: "transactions:read",
    params: z.object({ id: z.string(), evidenceId: z.string() }),
    media: "*/*",
    download: ({ ctx, services, params: { id, evidenceId } }) => readEvidence(services, ctx, id, evidenceId),
  }),
  listEndpoint("disputes", "Disputes", "transactions:read", DisputeQuery.omit(PAGING), disputesCsv),
];
