import { Resolver } from "node:dns/promises";
import { z } from "zod";
import { southAfricanTime } from "../../kernel/time.ts";
import type { GatewayCall, Refusal } from "../contract.ts";
import { GatewayFailed, type GatewayRequest } from "../http.ts";
import { callJson, type JsonAnswer, parsed } from "../json-api.ts";
import { apiSignature } from "./signing.ts";
import { Envelope, SOURCE_HOSTS } from "./wire.ts";

const PAGES = { live: "https://www.payfast.co.za", sandbox: "https://sandbox.payfast.co.za" } as const;
const API = "https://api.payfast.co.za";

/** Where payers are sent, and notifications confirmed. */
export const pageUrl = ({ baseUrl, mode }: Pick<GatewayCall, "baseUrl" | "mode">, path: string): string =>
  `${baseUrl ?? PAGES[mode]}${path}`;

interface ApiRequest {
  readonly method: GatewayRequest["method"];
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string | number>>;
  readonly repeatable?: boolean;
}

/** The URL and the signed headers of an API call. */
function signed({ credentials, mode, baseUrl, machineNow }: GatewayCall, { path, query = {}, body = {} }: ApiRequest) {
  const { merchantId = "", passphrase = "" } = credentials;
  const headers = { "merchant-id": merchantId, version: "v1", timestamp: southAfricanTime(machineNow) };
  const values = Object.fromEntries(
    Object.entries({ ...headers, ...query, ...body }).map(([name, value]) => [name, String(value)]),
  );
  const search = new URLSearchParams({ ...query, ...(mode === "sandbox" ? { testing: "true" } : {}) }).toString();
  return {
    url: `${baseUrl ?? API}${path}${search === "" ? "" : `?${search}`}`,
    headers: { ...headers, signature: apiSignature(values, passphrase) },
  };
}

/** As `askData`; the value is `data.response` alone. */
export const ask = <T>(call: GatewayCall, request: ApiRequest, response: z.ZodType<T>): Promise<JsonAnswer<T>> =>
  askData(
    call,
    request,
    z.object({ response }).transform((data) => data.response as T),
  );

/**
 * One call of the API; the value is `data` in the declared shape. A failure with HTTP 200 is a refusal, as is any 4xx. Throws
 * `GatewayFailed` as `callJson`, and for an answer in another shape.
 */
export async function askData<T>(call: GatewayCall, request: ApiRequest, data: z.ZodType<T>): Promise<JsonAnswer<T>> {
  const { method, body, repeatable } = request;
  const answer = await callJson(call.http, {
    gateway: "PayFast",
    method,
    ...signed(call, request),
    ...(body ? { content: { json: body } } : {}),
    ...(repeatable === undefined ? {} : { repeatable }),
    answer: Envelope,
    reasonIn: (json) => reasonOf(Envelope.safeParse(json).data),
  });
  if (answer.kind !== "answer") return answer;
  if (answer.value.status !== "success")
    return { kind: "refused", reason: reasonOf(answer.value) ?? "PayFast gave no reason.", status: 200, code: null };
  const value = data.safeParse(answer.value.data ?? {});
  if (!value.success) throw new GatewayFailed("PayFast: an answer that cannot be used");
  return { kind: "answer", value: value.data, text: answer.text };
}

/** The reason in the envelope, in words. */
function reasonOf(envelope: z.infer<typeof Envelope> | undefined): string | null {
  const { message, response } = envelope?.data ?? {};
  for (const words of [message, response])
    if (typeof words === "string" && words.trim() !== "") return words.slice(0, 300);
  return null;
}

/** An answer that is not JSON, such as CSV or a word. Throws `GatewayFailed` for all but 2xx and a clear refusal. */
export async function askText(
  call: GatewayCall,
  request: ApiRequest,
): Promise<Refusal | { readonly kind: "text"; readonly text: string } | { readonly kind: "absent" }> {
  const { status, body } = await call.http({ method: request.method, ...signed(call, request) });
  if (status >= 200 && status < 300) return { kind: "text", text: body };
  if (status === 404) return { kind: "absent" };
  if (status === 400 || status === 401 || status === 403) {
    const envelope = Envelope.safeParse(parsed(body)).data;
    return { kind: "refused", reason: reasonOf(envelope) ?? `PayFast answered ${status}.` };
  }
  throw new GatewayFailed(`PayFast: HTTP ${status}`);
}

/**
 * Asks the gateway whether a notification is its own. Throws `GatewayFailed` unless the first line of the answer is one
 * of its two words.
 */
export async function isConfirmed(call: GatewayCall, text: string): Promise<boolean> {
  const { status, body } = await call.http({
    method: "POST",
    url: pageUrl(call, "/eng/query/validate"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: text,
    repeatable: true,
    timeoutMs: 10_000,
  });
  const [word = ""] = body.trimStart().split(/\r?\n/, 1);
  if (status === 200 && word.trim() === "VALID") return true;
  if (status === 200 && word.trim() === "INVALID") return false;
  throw new GatewayFailed(`PayFast: HTTP ${status} to the confirmation of a notification`);
}

/** Whether one of the gateway's hosts resolves to the address. A host that cannot be resolved has none. */
export async function isHostAddress(address: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  const resolve = address.includes(":") ? resolver.resolve6.bind(resolver) : resolver.resolve4.bind(resolver);
  const found = await Promise.all(SOURCE_HOSTS.map((host) => resolve(host).catch((): string[] => [])));
  return found.flat().includes(address);
}
