import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import type { GatewayRequest } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { ACCOUNT_HEADER, API_PATH, ErrorAnswer } from "./wire.ts";

interface SandboxRequest {
  readonly method: GatewayRequest["method"];
  /** Below `/sandbox-gateway/api`. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** One call of the sandbox gateway's API. Every one may be repeated: creates carry a key, actions set a state. */
export async function ask<T>(call: GatewayCall, request: SandboxRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> {
  const { baseUrl, credentials, accountId } = call;
  if (baseUrl === null)
    throw new Error("The sandbox gateway needs a base URL: the server's own listener or GATEWAY_URL_SANDBOX.");
  return callJson(call.http, {
    gateway: "sandbox gateway",
    method: request.method,
    url: `${baseUrl}${API_PATH}${request.path}`,
    credential: { basic: { user: String(credentials["merchantId"]), password: String(credentials["secret"]) } },
    headers: {
      [ACCOUNT_HEADER]: accountId,
      ...(request.idempotencyKey ? { "idempotency-key": request.idempotencyKey } : {}),
    },
    ...(request.body ? { content: { json: request.body } } : {}),
    repeatable: true,
    answer,
    reasonIn: (json) => ErrorAnswer.safeParse(json).data?.message ?? null,
  });
}
