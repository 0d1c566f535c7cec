import type { z } from "zod";
import type { Refusal } from "./contract.ts";
import { type GatewayAnswer, GatewayFailed, type GatewayHttp, type GatewayRequest } from "./http.ts";

/** What is sent. `text` goes out byte for byte in UTF-8, for gateways that sign the body. */
type Content =
  | { readonly json: object }
  | { readonly form: Readonly<Record<string, string>> }
  | { readonly text: string; readonly type: string };

type Credential =
  | { readonly basic: { readonly user: string; readonly password: string } }
  | { readonly bearer: string };

/** One call of a gateway's JSON API. */
interface JsonRequest<T> {
  /** For messages in logs: the gateway's name. */
  readonly gateway: string;
  readonly method: GatewayRequest["method"];
  readonly url: string;
  readonly credential?: Credential;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Content;
  /** Sending it twice does what sending it once does; default: for GET alone. */
  readonly repeatable?: boolean;
  readonly timeoutMs?: number;
  /** The shape of an answer of 2xx. */
  readonly answer: z.ZodType<T>;
  /** The gateway's reason in the JSON of an answer of 4xx, in words; null when there is none. Must not throw. */
  readonly reasonIn: (json: unknown) => string | null;
  /** The gateway's own code of a refusal, from the same JSON, for adapters that distinguish refusals by it. Must not throw. */
  readonly codeIn?: (json: unknown) => string | null;
  /** Further statuses of 4xx that do not say whether it happened, such as 409 for a call that is still running there. */
  readonly unclearStatuses?: readonly number[];
}

/** The gateway's clear answer. `text` is the answer as it was received, for gateways that sign it. */
export type JsonAnswer<T> =
  | { readonly kind: "answer"; readonly value: T; readonly text: string }
  | { readonly kind: "absent" }
  | JsonRefusal;

/** A refusal with the HTTP status of the answer and the code that `codeIn` has read from it. */
export interface JsonRefusal extends Refusal {
  readonly status: number;
  readonly code: string | null;
}

/** These statuses of 4xx say that the call may be made again, not that it was refused. */
const PASSING = new Set([408, 425, 429]);

/**
 * Calls a gateway's JSON API. 2xx in the declared shape is an answer, 404 is `absent`, any other 4xx a refusal. Throws
 * `GatewayFailed` otherwise: no answer in time, 5xx, a redirect, 408, 425, 429, an answer in another shape. The message
 * names gateway and status only.
 */
export async function callJson<T>(http: GatewayHttp, request: JsonRequest<T>): Promise<JsonAnswer<T>> {
  const { method, url, credential, content, repeatable, timeoutMs } = request;
  const encoded = content && encode(content);
  const reply = await http({
    method,
    url,
    headers: {
      accept: "application/json",
      ...(credential ? { authorization: authorization(credential) } : {}),
      ...(encoded ? { "content-type": encoded.type } : {}),
      ...request.headers,
    },
    ...(encoded ? { body: encoded.text } : {}),
    ...(repeatable === undefined ? {} : { repeatable }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return classify(request, reply);
}

function classify<T>(request: JsonRequest<T>, { status, body: text }: GatewayAnswer): JsonAnswer<T> {
  const { gateway, answer, reasonIn, codeIn, unclearStatuses = [] } = request;
  const json = parsed(text);
  if (status >= 400 && status < 500 && !PASSING.has(status) && !unclearStatuses.includes(status))
    return status === 404
      ? { kind: "absent" }
      : {
          kind: "refused",
          reason: reasonIn(json) ?? `The gateway answered ${status}.`,
          status,
          code: codeIn?.(json) ?? null,
        };
  const value = status >= 200 && status < 300 ? answer.safeParse(json) : null;
  if (value?.success) return { kind: "answer", value: value.data, text };
  throw new GatewayFailed(`${gateway}: HTTP ${status} with an answer that cannot be used`);
}

function encode(content: Content): { readonly text: string; readonly type: string } {
  if ("json" in content) return { text: JSON.stringify(content.json), type: "application/json" };
  if ("form" in content)
    return { text: new URLSearchParams(content.form).toString(), type: "application/x-www-form-urlencoded" };
  return content;
}

function authorization(credential: Credential): string {
  if ("bearer" in credential) return `Bearer ${credential.bearer}`;
  const { user, password } = credential.basic;
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Undefined for text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
