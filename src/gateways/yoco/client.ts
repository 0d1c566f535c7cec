import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { ErrorAnswer } from "./wire.ts";

/** The key decides between test and live payments. */
const HOST = "https://payments.yoco.com";

interface YocoRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/api`. */
  readonly path: string;
  readonly body?: object;
  /** Yoco makes a record or a refund once for each key, so that the call may be repeated. */
  readonly idempotencyKey?: string;
}

/** One call of Yoco's API. 409 says that a request with the same key is still running. */
export const ask = <T>(call: GatewayCall, request: YocoRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> =>
  callJson(call.http, {
    gateway: "Yoco",
    method: request.method,
    url: `${call.baseUrl ?? HOST}/api${request.path}`,
    credential: { bearer: String(call.credentials["secretKey"]) },
    ...(request.idempotencyKey ? { headers: { "idempotency-key": request.idempotencyKey }, repeatable: true } : {}),
    ...(request.body ? { content: { json: request.body } } : {}),
    answer,
    reasonIn,
    unclearStatuses: [409],
  });

/** A record; null when Yoco does not know it. Throws `GatewayUnclear` also for a refusal, which gives no information about the record. */
export async function find<T>(call: GatewayCall, path: string, answer: z.ZodType<T>): Promise<T | null> {
  const found = await ask(call, { method: "GET", path }, answer);
  if (found.kind === "refused") throw new GatewayUnclear(`Yoco: ${found.reason}`);
  return found.kind === "absent" ? null : found.value;
}

function reasonIn(json: unknown): string | null {
  const { description, message, errorMessage } = ErrorAnswer.safeParse(json).data ?? {};
  return description || message || errorMessage || null;
}
