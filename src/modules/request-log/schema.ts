import { z } from "zod";
import { endOfDay, startOfDay, toTimestamp } from "../../kernel/time.ts";
import { filter, listQuery, moment, timestamp } from "../../platform/schema.ts";
import { IDEMPOTENCY_USES, type LoggedRequest, type RequestWithBodies } from "./types.ts";

const status = filter()
  .refine((value) => !value || /^[1-5](?:\d\d|xx)$/.test(value), "must be a status such as 404, or a class such as 4xx")
  .transform((value): readonly [number, number] | undefined =>
    value ? [Number(value.replace("xx", "00")), Number(value.replace("xx", "99"))] : undefined,
  )
  .meta({ type: "string", examples: ["404", "5xx"] });

/** Query of `GET /request-log`. */
export const RequestQuery = listQuery(["req"], {
  status,
  keyId: filter(),
  path: filter().describe("A part of the path."),
  requestId: filter(),
  from: moment(startOfDay).describe("The earliest time; of a South African day, its begin."),
  to: moment(endOfDay).describe("The time before which they came; of a South African day, its end."),
});

/** Interface 14.4, request. */
export const RequestObject = z
  .object({
    id: z.string().describe("The `x-request-id` of its answer."),
    at: timestamp(),
    method: z.string(),
    path: z.string(),
    parameters: z.array(z.string()).describe("Names of the query's parameters; their values are not stored."),
    status: z.int(),
    error: z.string().nullable(),
    durationMs: z.int(),
    key: z.object({ id: z.string(), prefix: z.string() }),
    idempotency: z
      .enum(IDEMPOTENCY_USES)
      .nullable()
      .describe("What became of its Idempotency-Key; null without one, and where none is taken."),
    requestBody: z
      .string()
      .nullable()
      .optional()
      .describe("Only of a single request: its JSON, masked and at most 4 kB; null without one."),
    responseBody: z
      .string()
      .nullable()
      .optional()
      .describe("Only of a single request: the refusal, without what the request held; null for any other answer."),
  })
  .meta({ id: "Request" });

/** Interface 14.4, request; with its bodies where they were read. */
export const requestView = ({ at, parameters, keyId, keyPrefix, ...request }: LoggedRequest | RequestWithBodies) => ({
  ...request,
  at: toTimestamp(at),
  parameters: parameters === "" ? [] : parameters.split("&"),
  key: { id: keyId, prefix: `tefo_${keyPrefix}` },
});
