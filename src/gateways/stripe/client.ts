import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import type { GatewayRequest } from "../http.ts";
import { GatewayUnclear } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { type FormFields, formFields } from "./form.ts";
import { ErrorAnswer } from "./wire.ts";

const HOST = "https://api.stripe.com";

/**
 * The version whose shapes `wire.ts` reads in answers, and in which `connect` registers an endpoint (decisions.md#stripe-is-pinned).
 * Notifications to one that staff have made have its own version, so their shapes are read in later versions too.
 */
export const VERSION = "2024-06-20";

interface StripeRequest {
  readonly method: Extract<GatewayRequest["method"], "GET" | "POST" | "DELETE">;
  /** Below `/v1`. */
  readonly path: string;
  /** The query of a GET, else the body. */
  readonly fields?: FormFields;
  /** Stripe answers the same for 24 hours when the request is repeated. */
  readonly idempotencyKey?: string;
}

/**
 * One call of Stripe's API (decisions.md#stripe-without-its-client). Each may be repeated: a call that creates a record has a key, any
 * other sets a state. The `code` of a refusal is the bank's decline code, else Stripe's. 409 means that a request with the same key is
 * running.
 */
export async function ask<T>(call: GatewayCall, request: StripeRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> {
  const { method, path, fields, idempotencyKey } = request;
  const form = fields && formFields(fields);
  const query = form && method === "GET" ? `?${new URLSearchParams(form)}` : "";
  const answered = await callJson(call.http, {
    gateway: "Stripe",
    method,
    url: `${call.baseUrl ?? HOST}/v1${path}${query}`,
    credential: { bearer: String(call.credentials["secretKey"]) },
    headers: { "stripe-version": VERSION, ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) },
    ...(form && method !== "GET" ? { content: { form } } : {}),
    repeatable: true,
    unclearStatuses: [409],
    answer,
    reasonIn: (json) => ErrorAnswer.safeParse(json).data?.error.message || null,
    codeIn: (json) => {
      const error = ErrorAnswer.safeParse(json).data?.error;
      return error?.type === "idempotency_error" ? error.type : (error?.decline_code ?? error?.code ?? null);
    },
  });
  if (answered.kind === "refused" && answered.code === "idempotency_error")
    throw new GatewayUnclear("Stripe: another request had this key");
  return answered;
}
