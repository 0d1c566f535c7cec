import type { z } from "zod";
import type { GatewayCall, Refusal } from "../contract.ts";
import { beforehand, GatewayUnclear } from "../http.ts";
import { callJson } from "../json-api.ts";
import { answered, ErrorAnswer, reasonOf, Token } from "./wire.ts";

/** Test and live clients share the host. */
const HOST = "https://express.stitch.money";

/** What an access token is for. */
export type Scope = "client_paymentrequest" | "client_recurringpaymentconsentrequest";

interface StitchRequest {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: object;
  readonly timeoutMs?: number;
}

/** The clear answer of Stitch. */
type StitchAnswer<T> = { readonly kind: "answer"; readonly value: T } | { readonly kind: "absent" } | Refusal;

/** One call with an access token. Each call requests a new one; none is stored. Throws `GatewayNotReached` without one. */
export async function ask<T>(
  call: GatewayCall,
  scope: Scope,
  request: StitchRequest,
  data: z.ZodType<T>,
): Promise<StitchAnswer<T>> {
  const token = await beforehand(() => accessToken(call, scope, request.timeoutMs));
  return typeof token === "string" ? send(call, request, token, data) : token;
}

/** An access token, or why there is none. */
export async function accessToken(call: GatewayCall, scope: Scope, timeoutMs?: number): Promise<string | Refusal> {
  const { clientId, clientSecret } = call.credentials;
  const body = { clientId, clientSecret, scope };
  const post = { method: "POST", path: "/token", body, ...(timeoutMs ? { timeoutMs } : {}) } as const;
  const answer = await send(call, post, null, Token);
  if (answer.kind === "answer") return answer.value.accessToken;
  return answer.kind === "refused" ? answer : { kind: "refused", reason: "Stitch does not know this client." };
}

/** A record; null when Stitch does not know it. Throws `GatewayUnclear` also for a refusal, which gives no information about the record. */
export async function find<T>(
  call: GatewayCall,
  scope: Scope,
  path: string,
  data: z.ZodType<T>,
  timeoutMs?: number,
): Promise<T | null> {
  const found = await ask(call, scope, { method: "GET", path, ...(timeoutMs ? { timeoutMs } : {}) }, data);
  if (found.kind === "refused") throw new GatewayUnclear(`Stitch: ${found.reason}`);
  return found.kind === "absent" ? null : found.value;
}

async function send<T>(
  call: GatewayCall,
  { method, path, body, timeoutMs }: StitchRequest,
  bearer: string | null,
  data: z.ZodType<T>,
): Promise<StitchAnswer<T>> {
  const answer = await callJson(call.http, {
    gateway: "Stitch",
    method,
    url: `${call.baseUrl ?? HOST}/api/v1${path}`,
    ...(bearer ? { credential: { bearer } } : {}),
    ...(body ? { content: { json: body } } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
    answer: answered(data),
    reasonIn: (json) => reasonOf(ErrorAnswer.safeParse(json).data ?? {}),
  });
  if (answer.kind !== "answer") return answer;
  const { value } = answer;
  return "reason" in value ? { kind: "refused", reason: value.reason } : { kind: "answer", value: value.data };
}
