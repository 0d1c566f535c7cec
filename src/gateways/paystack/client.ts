import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import type { GatewayRequest } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { ErrorAnswer } from "./wire.ts";

const HOST = "https://api.paystack.co";

interface PaystackRequest {
  readonly method: Extract<GatewayRequest["method"], "GET" | "POST">;
  readonly path: string;
  readonly body?: object;
  /** Only where sending it twice does what sending it once does: Paystack has no idempotency key. */
  readonly repeatable?: boolean;
}

/** One call of Paystack's API. `code` of a refusal is Paystack's, such as `transaction_not_found`. */
export const ask = <T>(call: GatewayCall, request: PaystackRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> =>
  callJson(call.http, {
    gateway: "Paystack",
    method: request.method,
    url: `${call.baseUrl ?? HOST}${request.path}`,
    credential: { bearer: String(call.credentials["secretKey"]) },
    ...(request.body ? { content: { json: request.body } } : {}),
    ...(request.repeatable === undefined ? {} : { repeatable: request.repeatable }),
    answer,
    reasonIn: (json) => ErrorAnswer.safeParse(json).data?.message || null,
    codeIn: (json) => ErrorAnswer.safeParse(json).data?.code ?? null,
  });
