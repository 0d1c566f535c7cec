import type { z } from "zod";
import type { GatewayCall, Refusal } from "../contract.ts";
import { beforehand, GatewayUnclear } from "../http.ts";
import { callJson } from "../json-api.ts";
import { refused } from "../refusals.ts";
import { graphql, reasonOf, Token } from "./v2-wire.ts";

const HOST = "https://api.stitch.money";
const TOKEN_HOST = "https://secure.stitch.money";
const TOKEN_PATH = "/connect/token";

/** What an access token is for. */
type Scope = "client_paymentrequest" | "client_refund";

/** The clear answer of Stitch's API. */
type Answer<T> = { readonly kind: "answer"; readonly value: T } | { readonly kind: "absent" } | Refusal;

/** An access token of Stitch's API, or why there is none. Each call requests a new one; none is stored. */
export async function accessToken(call: GatewayCall, scope: Scope): Promise<string | Refusal> {
  const { clientId = "", clientSecret = "" } = call.credentials;
  const answer = await callJson(call.http, {
    gateway: "Stitch",
    method: "POST",
    url: `${call.baseUrl ?? TOKEN_HOST}${TOKEN_PATH}`,
    content: {
      form: {
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: clientSecret,
        // The name of the token's address, wherever the call goes.
        audience: `${TOKEN_HOST}${TOKEN_PATH}`,
        scope,
      },
    },
    repeatable: true,
    answer: Token,
    reasonIn: reasonOf,
  });
  if (answer.kind === "answer") return answer.value.access_token;
  return refused(answer.kind === "refused" ? answer.reason : "Stitch does not know this client.");
}

interface ApiRequest<T> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly repeatable?: true;
  readonly answer: z.ZodType<T>;
}

async function send<T>(call: GatewayCall, scope: Scope, request: ApiRequest<T>): Promise<Answer<T>> {
  const token = await beforehand(() => accessToken(call, scope));
  if (typeof token !== "string") return token;
  const { method, path, body, repeatable, answer } = request;
  return callJson(call.http, {
    gateway: "Stitch",
    method,
    url: `${call.baseUrl ?? HOST}${path}`,
    credential: { bearer: token },
    ...(body ? { content: { json: body } } : {}),
    ...(repeatable ? { repeatable } : {}),
    answer,
    reasonIn: reasonOf,
  });
}

/** One call about payment requests; `path` is below `/v2`. Throws `GatewayNotReached` without an access token. */
export const ask = <T>(call: GatewayCall, { path, ...request }: ApiRequest<T>): Promise<Answer<T>> =>
  send(call, "client_paymentrequest", { ...request, path: `/v2${path}` });

/** An error of the server's own, which does not say whether anything was done. */
const PASSING = /INTERNAL|UNAVAILABLE|TIMEOUT|RATE/i;

/** One call about refunds, in GraphQL. It may be repeated: what it makes carries a nonce. Throws as `ask`. */
export async function askGraphql<T>(
  call: GatewayCall,
  body: { readonly query: string; readonly variables: object },
  data: z.ZodType<T>,
): Promise<{ readonly kind: "answer"; readonly value: T } | Refusal> {
  const request = { method: "POST", path: "/graphql", body, repeatable: true, answer: graphql(data) } as const;
  const answer = await send(call, "client_refund", request);
  if (answer.kind === "absent") throw new GatewayUnclear("Stitch: its API for refunds was not found");
  if (answer.kind === "refused") return answer;
  if (!("errors" in answer.value)) return { kind: "answer", value: answer.value.data };
  const { errors } = answer.value;
  if (errors.some(({ extensions }) => PASSING.test(extensions?.code ?? "")))
    throw new GatewayUnclear("Stitch: its API for refunds failed");
  return refused(errors.map(({ message }) => message).join("; "));
}
