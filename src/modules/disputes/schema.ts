import { z } from "zod";
import { filter, oneOf, recordQuery, timestamp } from "../../platform/schema.ts";
import { DISPUTE_STATUSES, EVIDENCE_TYPES } from "./types.ts";

/** Query of `GET /disputes`; `q` serves the dashboard's list (interface 14.3). */
export const DisputeQuery = recordQuery(["dsp"], {
  status: oneOf(DISPUTE_STATUSES),
  customerId: filter(),
  transactionReference: filter(),
});

const nullable = z.string().nullable();

/** Interface 4.16. */
export const DisputeObject = z
  .object({
    object: z.literal("dispute"),
    id: z.string(),
    transactionReference: z.string(),
    amount: z.number(),
    currency: z.string(),
    reason: z.string().describe("For people."),
    code: nullable.describe("The bank's or gateway's code of the reason."),
    status: z.enum(DISPUTE_STATUSES),
    openedAt: timestamp(),
    respondBy: timestamp().nullable().describe("Until when it can be answered; null when there is no such time."),
    closedAt: timestamp().nullable(),
    submittedAt: timestamp().nullable().describe("When evidence was last sent to the gateway."),
    answeredBy: z
      .enum(["api", "gateway_dashboard"])
      .describe(
        "`api`: `submit` sends the evidence to the gateway. `gateway_dashboard`: the gateway takes it in its own dashboard only.",
      ),
    customerId: nullable,
    invoiceId: nullable,
    gateway: z.string(),
    evidence: z.array(
      z.object({
        id: z.string(),
        fileName: z.string(),
        contentType: z.enum(EVIDENCE_TYPES),
        size: z.int(),
        createdAt: timestamp(),
      }),
    ),
  })
  .meta({ id: "Dispute" });
