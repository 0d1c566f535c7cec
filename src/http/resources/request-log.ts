import { z } from "zod";
import { notFound } from "../../kernel/errors.ts";
import { RequestObject, RequestQuery, requestView } from "../../modules/request-log/schema.ts";
import { findRequest, listRequests } from "../../modules/request-log/store.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Request log", about: "Requests of API keys in the last seven days." },
  permission: "api_keys:read",
} as const;

/** Interface 14.2, request log. */
export const requestLogEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/request-log",
    summary: "List requests of API keys, newest first; each is listed a second or two after its answer",
    query: RequestQuery,
    replies: { 200: listOf(RequestObject) },
    handle: async (call, tx) => listed(call, (wanted) => listRequests(tx, wanted), requestView),
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/request-log/{id}",
    summary: "Get a request of an API key",
    params: z.object({ id: z.string() }),
    replies: { 200: RequestObject },
    async handle({ params: { id } }, tx) {
      const request = await findRequest(tx, id);
      if (!request) throw notFound("request");
      return { status: 200, body: requestView(request) };
    },
  }),
];
