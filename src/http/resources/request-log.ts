import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { RequestObject, RequestQuery, requestView } from "../../modules/request-log/schema.ts";
import { findRequest, listRequests } from "../../modules/request-log/store.ts";
import type { LoggedRequest } from "../../modules/request-log/types.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Request log", about: "Requests of API keys in the last 30 days." },
  permission: "api_keys:read",
  scope: "request_log:read",
} as const;

/** Requests of API keys. */
const requestLogCsv = listExport<LoggedRequest, typeof RequestQuery>({
  columns: {
    id: (row) => row.id,
    at: (row) => toTimestamp(row.at),
    method: (row) => row.method,
    path: (row) => row.path,
    parameters: (row) => row.parameters.replaceAll("&", " "),
    status: (row) => String(row.status),
    error: (row) => row.error,
    durationMs: (row) => String(row.durationMs),
    keyId: (row) => row.keyId,
    keyPrefix: (row) => `tefo_${row.keyPrefix}`,
    idempotency: (row) => row.idempotency,
  },
  list: listRequests,
});

/** The endpoints of interface 14.2, request log. */
export const requestLogEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/request-log",
    operationId: "listRequests",
    summary: "List requests of API keys, newest first; each is listed a second or two after its answer",
    query: RequestQuery,
    replies: { 200: listOf(RequestObject) },
    handle: async (call, tx) => listed(call, (wanted) => listRequests(tx, wanted), requestView),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/request-log/{id}",
    operationId: "getRequest",
    summary: "Get a request of an API key",
    params: z.object({ id: z.string() }),
    replies: { 200: RequestObject },
    async handle({ params: { id } }, tx) {
      const request = await findRequest(tx, id);
      if (!request) throw notFound("request");
      return { status: 200, body: requestView(request) };
    },
  }),
  listEndpoint("request-log", "Requests of API keys", "api_keys:read", RequestQuery.omit(PAGING), requestLogCsv),
];
