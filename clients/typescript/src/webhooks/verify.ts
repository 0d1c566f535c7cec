import { WebhookRefused } from "../errors.ts";
import type { Event, EventData } from "../generated/types.ts";

/** An event as it is delivered, and as `GET /events` shows it, with the data of its type. */
export type WebhookEvent<Type extends keyof EventData = keyof EventData> = {
  [T in Type]: Omit<Event, "type" | "data"> & { readonly type: T; readonly data: EventData[T] };
}[Type];

/** The headers of a request, as a framework has them. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How strictly a delivery is verified. */
export interface VerifyOptions {
  /** Seconds that the signature's time may be away from the clock. Default: 300. */
  readonly tolerance?: number;
  /** The clock, in milliseconds, for tests. */
  readonly now?: () => number;
}

const TOLERANCE_SECONDS = 300;
const SIGNATURE = "service-signature";

function headerOf(headers: HeadersLike, name: string): string {
  if (typeof headers.get === "function")
    return (headers.get as (name: string) => string | null | undefined)(name) ?? "";
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : "";
}

const bytesOf = (payload: string | Uint8Array | ArrayBuffer): Uint8Array =>
  typeof payload === "string" ? new TextEncoder().encode(payload) : new Uint8Array(payload);

/** The bytes of `v1`; null for what is no SHA-256 in hex. */
const macOf = (part: string): Uint8Array<ArrayBuffer> | null =>
  /^v1=[0-9a-f]{64}$/.test(part)
    ? Uint8Array.from(part.slice(3).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    : null;

/**
 * The event of a delivery that Tefo has signed. `payload` is the body as it was received, before anything parses it;
 * `secret` is the endpoint's, or several while your own configuration changes. Of the two signatures that a delivery has
 * for a day after a rotation, one has to match. Compared in constant time. Rejects with WebhookRefused.
 */
export async function verify(
  payload: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [first = "", ...parts] = headerOf(headers, SIGNATURE).split(",");
  const time = /^t=(\d{1,12})$/.exec(first)?.[1];
  if (time === undefined) throw new WebhookRefused("The header Service-Signature is missing or malformed.");
  const age = Math.abs((options.now ?? Date.now)() / 1000 - Number(time));
  const tolerance = options.tolerance ?? TOLERANCE_SECONDS;
  if (age > tolerance) throw new WebhookRefused(`The signature's time is more than ${tolerance} seconds away.`);
  const body = bytesOf(payload);
  const signed = new Uint8Array([...new TextEncoder().encode(`${time}.`), ...body]);
  const macs = parts.map(macOf).filter((mac) => mac !== null);
  for (const one of [secret].flat())
    if (await isMadeWith(one, signed, macs)) return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  throw new WebhookRefused("The signature does not match: another secret, or a body that was parsed and written anew.");
}

async function isMadeWith(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  macs: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  if (secret === "") throw new TypeError("the webhook secret is empty");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
  const matches = await Promise.all(macs.map((mac) => crypto.subtle.verify("HMAC", key, mac, signed)));
  return matches.includes(true);
}
