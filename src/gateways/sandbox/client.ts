import type { z } from "zod";
import type { GatewayCall, Refusal } from "../contract.ts";
import { type GatewayAnswer, type GatewayRequest, GatewayUnclear } from "../http.ts";
import { ACCOUNT_HEADER, API_PATH, ErrorAnswer } from "./wire.ts";

export type Answer<T> = { readonly kind: "answer"; readonly value: T } | { readonly kind: "absent" } | Refusal;

interface SandboxRequest {
  readonly method: GatewayRequest["method"];
  /** Below `/sandbox-gateway/api`. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** One call of the sandbox gateway's API. Every one may be repeated: creates carry a key, actions set a state. */
export async function ask<T>(call: GatewayCall, request: SandboxRequest, answer: z.ZodType<T>): Promise<Answer<T>> {
  const { baseUrl, credentials, accountId } = call;
  if (baseUrl === null)
    throw new Error("The sandbox gateway needs a base URL: the server's own listener or GATEWAY_URL_SANDBOX.");
  const merchant = `${credentials["merchantId"]}:${credentials["secret"]}`;
  const reply = await call.http({
    method: request.method,
    url: `${baseUrl}${API_PATH}${request.path}`,
    headers: {
      authorization: `Basic ${Buffer.from(merchant).toString("base64")}`,
      [ACCOUNT_HEADER]: accountId,
      ...(request.body ? { "content-type": "application/json" } : {}),
      ...(request.idempotencyKey ? { "idempotency-key": request.idempotencyKey } : {}),
    },
    ...(request.body ? { body: JSON.stringify(request.body) } : {}),
    repeatable: true,
  });
  return read(reply, answer);
}

function read<T>({ status, body }: GatewayAnswer, answer: z.ZodType<T>): Answer<T> {
  const json = parsed(body);
  if (status === 404) return { kind: "absent" };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    const error = ErrorAnswer.safeParse(json);
    return { kind: "refused", reason: error.success ? error.data.message : `The gateway answered ${status}.` };
  }
  const value = status >= 200 && status < 300 ? answer.safeParse(json) : null;
  if (value?.success) return { kind: "answer", value: value.data };
  throw new GatewayUnclear(`sandbox gateway: HTTP ${status} with an answer that cannot be used`);
}

/** Undefined for text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
