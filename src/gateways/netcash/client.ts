import type { GatewayCall, Refusal } from "../contract.ts";
import { GatewayFailed } from "../http.ts";
import { callJson, type JsonAnswer } from "../json-api.ts";
import { envelope, readResult, type SoapArguments, type SoapElement } from "./soap.ts";
import { CHECK_PATH, HOSTS, PAY_NOW_PATH, PayNowResult, RESULT_CODES, SERVICES } from "./wire.ts";

/** Long enough for a file of the largest batch. */
const UPLOAD_TIMEOUT_MS = 120_000;

const unclear = (why: string): GatewayFailed => new GatewayFailed(`netcash: ${why}`);

/** One call of a SOAP method. */
interface SoapCall {
  readonly service?: keyof typeof SERVICES;
  readonly method: string;
  readonly args: SoapArguments;
  /** A read, which may be repeated. */
  readonly repeatable: boolean;
}

/**
 * Calls a method and answers its result. Throws `GatewayFailed` for anything but 200 with a well-formed envelope that holds it. The message
 * names the method only: arguments hold keys and account numbers.
 */
export async function callMethod(call: GatewayCall, request: SoapCall): Promise<SoapElement> {
  const { service = "nif", method, args, repeatable } = request;
  const { path, contract } = SERVICES[service];
  const isFile = args.some(([, value]) => typeof value !== "string");
  const pieces = envelope(method, args);
  const answer = await call.http({
    method: "POST",
    url: `${call.baseUrl ?? HOSTS.services}${path}`,
    headers: {
      "content-type": "text/xml; charset=utf-8",
      soapaction: `http://tempuri.org/${contract}/${method}`,
    },
    body: isFile ? encoded(pieces) : (await Array.fromAsync(pieces)).join(""),
    repeatable,
    ...(isFile ? { timeoutMs: UPLOAD_TIMEOUT_MS } : {}),
  });
  const result = answer.status === 200 ? readResult(answer.body, method) : null;
  if (result) return result;
  throw unclear(`HTTP ${answer.status} to ${method} with an answer that cannot be used`);
}

/** As `callMethod`, for a method whose result is text. */
export async function callText(call: GatewayCall, request: SoapCall): Promise<string> {
  const result = await callMethod(call, request);
  if (result.children.length > 0) throw unclear(`another kind of result of ${request.method}`);
  return result.text;
}

/** The refusal for a result code; null for a result that is no code. */
export function refusalOf(result: string): Refusal | null {
  const reason = RESULT_CODES[result.trim()];
  return reason === undefined ? null : { kind: "refused", reason };
}

/** Asks Netcash about a payment on its pages; it finds one only by its own trace. */
export const checkPayNow = (call: GatewayCall, trace: string): Promise<JsonAnswer<PayNowResult>> =>
  callJson(call.http, {
    gateway: "netcash",
    method: "GET",
    url: `${call.baseUrl ?? HOSTS.services}${CHECK_PATH}?RequestTrace=${encodeURIComponent(trace)}`,
    answer: PayNowResult,
    reasonIn: () => null,
  });

/** The page that the payer's browser posts to. */
export const payNowUrl = ({ baseUrl }: Pick<GatewayCall, "baseUrl">): string =>
  `${baseUrl ?? HOSTS.payNow}${PAY_NOW_PATH}`;

/** Pieces are joined to some thousand characters before they are sent, since a piece may be a single field. */
const CHARACTERS_TOGETHER = 16_384;

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let together = "";
  for await (const piece of pieces) {
    together += piece;
    if (together.length < CHARACTERS_TOGETHER) continue;
    yield Buffer.from(together);
    together = "";
  }
  yield Buffer.from(together);
}
