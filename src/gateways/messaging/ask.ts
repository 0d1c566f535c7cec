import { GatewayFailed, type GatewayHttp, GatewayNotReached, type GatewayRequest } from "../http.ts";
import { parsed } from "../json-api.ts";

/** The statuses with which a provider says that it has not taken the message and that it may be sent again. */
const LATER = new Set([408, 425, 429, 503]);

/** The provider's clear answer. `refused` is one of 4xx. */
export type Answer =
  | { readonly kind: "answer"; readonly json: unknown }
  | { readonly kind: "refused"; readonly status: number; readonly json: unknown }
  | { readonly kind: "later"; readonly reason: string };

/**
 * Posts JSON to a provider, once. Throws `GatewayFailed` when the answer leaves open whether the message was taken: no answer in time, 5xx,
 * an answer that is no JSON.
 */
export async function post(
  http: GatewayHttp,
  name: string,
  request: Pick<GatewayRequest, "url"> & { readonly authorization: string; readonly json: object },
): Promise<Answer> {
  const { url, authorization, json } = request;
  let reply: Awaited<ReturnType<GatewayHttp>>;
  try {
    reply = await http({
      method: "POST",
      url,
      headers: { accept: "application/json", "content-type": "application/json", authorization },
      body: JSON.stringify(json),
      repeatable: false,
    });
  } catch (error) {
    if (error instanceof GatewayNotReached) return { kind: "later", reason: `${name} could not be reached.` };
    throw error;
  }
  const { status, body } = reply;
  if (LATER.has(status)) return { kind: "later", reason: `${name} asked to wait (HTTP ${status}).` };
  const answer = parsed(body);
  if (status >= 400 && status < 500) return { kind: "refused", status, json: answer };
  if (status >= 200 && status < 300 && answer !== undefined) return { kind: "answer", json: answer };
  throw new GatewayFailed(`${name}: HTTP ${status} with an answer that cannot be used`);
}

/** A refusal in words, for staff: a fault of the credentials is said as that. */
export const refusal = (name: string, status: number, said: string | null | undefined) => ({
  kind: "refused" as const,
  reason:
    status === 401
      ? `${name} refused the credentials${said ? `: ${said}` : "."}`
      : `${name} refused the message: ${said || `it answered ${status}.`}`,
});
