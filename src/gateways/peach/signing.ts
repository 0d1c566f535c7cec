import { hmac, sameSignature } from "../signatures.ts";

type Pairs = readonly (readonly [name: string, value: string])[];

const SIGNATURE = "signature";

/**
 * The signature of a form: names and values of all parameters but `signature`, empty ones included, sorted by name in byte order and joined
 * without a separator; HMAC-SHA256 with the secret token, hex.
 */
export function signatureOf(pairs: Pairs, secretToken: string): string {
  const signed = pairs
    .filter(([name]) => name !== SIGNATURE)
    .map(([name, value]) => ({ bytes: Buffer.from(name), text: name + value }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return hmac("sha256", secretToken, signed.map(({ text }) => text).join(""));
}

/**
 * Why a form is not signed with this secret token; null when it is. A form in which a name comes twice is refused,
 * since its order is not defined.
 */
export function formFault(pairs: Pairs, secretToken: string): string | null {
  const names = new Set(pairs.map(([name]) => name));
  if (names.size < pairs.length) return "A field comes twice.";
  const given = pairs.find(([name]) => name === SIGNATURE)?.[1];
  if (!given) return "There is no signature.";
  return sameSignature(given.toLowerCase(), signatureOf(pairs, secretToken)) ? null : "The signature is wrong.";
}

/** A message as received: the headers' names in lower case, the address as it was given to Peach. */
interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Uint8Array;
}

/** Whether a message is signed in its headers, which staff switch on in Peach's dashboard. */
export const isSignedInHeaders = ({ headers }: Message): boolean => headers["x-webhook-signature"] !== undefined;

/**
 * Why a message is not signed in its headers; null when it is. Time, id, address and body are signed, joined by dots.
 * The time is not compared with the clock: Peach repeats messages for thirty days.
 */
export function headerFault({ url, headers, rawBody }: Message, secretToken: string): string | null {
  const [time, id, given] = ["timestamp", "id", "signature"].map((name) => headers[`x-webhook-${name}`]);
  if (!time || !id || !given) return "There is no signature.";
  const expected = hmac("sha256", secretToken, Buffer.concat([Buffer.from(`${time}.${id}.${url}.`), rawBody]));
  return sameSignature(given.toLowerCase(), expected) ? null : "The signature is wrong.";
}
