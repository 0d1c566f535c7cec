import type { z } from "zod";
import type { GatewayCall } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { ErrorAnswer } from "./wire.ts";

/** Test payments are made at the same host, marked as such. */
const HOST = "https://api.ozow.com";

interface OzowRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  /** A JSON body, as it is sent. */
  readonly json?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The access token, for refunds. */
  readonly bearer?: string;
}

/** One call of Ozow's API. */
export const ask = <T>(call: GatewayCall, request: OzowRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> =>
  callJson(call.http, {
    gateway: "Ozow",
    method: request.method,
    url: `${call.baseUrl ?? HOST}${request.path}`,
    ...(request.bearer ? { credential: { bearer: request.bearer } } : {}),
    headers: { apikey: String(call.credentials["apiKey"]) },
    ...(request.json ? { content: { text: request.json, type: "application/json" } } : {}),
    ...(request.form ? { content: { form: request.form } } : {}),
    answer,
    reasonIn,
  });

/** Looks for records: null when there are none. Throws `GatewayUnclear` also for a refusal, which gives no information about the record. */
export async function find<T>(
  call: GatewayCall,
  path: string,
  query: Readonly<Record<string, string>>,
  answer: z.ZodType<T>,
): Promise<T | null> {
  const found = await ask(call, { method: "GET", path: `${path}?${new URLSearchParams(query)}` }, answer);
  if (found.kind === "refused") throw new GatewayUnclear(`Ozow: ${found.reason}`);
  return found.kind === "absent" ? null : found.value;
}

function reasonIn(json: unknown): string | null {
  const { errorMessage, message, error_description, error } = ErrorAnswer.safeParse(json).data ?? {};
  return errorMessage || message || error_description || error || null;
}
