import type { z } from "zod";
import type { GatewayCall, Refusal } from "../contract.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { ErrorAnswer, Token } from "./wire.ts";

/** Live and sandbox are different hosts. */
const HOSTS = {
  token: { live: "https://dashboard.peachpayments.com", sandbox: "https://sandbox-dashboard.peachpayments.com" },
  checkout: { live: "https://secure.peachpayments.com", sandbox: "https://testsecure.peachpayments.com" },
  refunds: { live: "https://api.peachpayments.com", sandbox: "https://testapi.peachpayments.com" },
  cards: { live: "https://card.peachpayments.com", sandbox: "https://sandbox-card.peachpayments.com" },
} as const;

interface PeachRequest {
  readonly to: keyof typeof HOSTS;
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
}

/** One call of Peach. */
export const ask = <T>(call: GatewayCall, request: PeachRequest, answer: z.ZodType<T>): Promise<JsonAnswer<T>> => {
  const { to, method, path, bearer, headers, json, form } = request;
  return callJson(call.http, {
    gateway: "Peach",
    method,
    url: `${call.baseUrl ?? HOSTS[to][call.mode]}${path}`,
    ...(bearer ? { credential: { bearer } } : {}),
    ...(headers ? { headers } : {}),
    ...(json ? { content: { json } } : {}),
    ...(form ? { content: { form } } : {}),
    answer,
    reasonIn: (body) => {
      const { "result.description": description, message, error } = ErrorAnswer.safeParse(body).data ?? {};
      return description || message || error || null;
    },
    codeIn: (body) => ErrorAnswer.safeParse(body).data?.["result.code"] ?? null,
  });
};

/** An access token for Checkout, from the account's credentials. Each call requests a new one; none is stored. */
export async function accessToken(call: GatewayCall): Promise<string | Refusal> {
  const { clientId, clientSecret, merchantId } = call.credentials;
  const json = { clientId, clientSecret, merchantId };
  const answer = await ask(call, { to: "token", method: "POST", path: "/api/oauth/token", json }, Token);
  if (answer.kind === "answer") return answer.value.access_token;
  return answer.kind === "refused" ? answer : { kind: "refused", reason: "Peach does not know these credentials." };
}
