import { assert } from "./assert.ts";
import { unixMilliseconds } from "./time.ts";

/**
 * Text that names a record. It begins with its kind, a few small letters, so that a reader of a log knows what an id
 * names (docs/architecture.md, Data). The kinds that several modules use are declared here; the kind of one module
 * alone is declared in its `types.ts`.
 */
export type Id<Kind extends string> = string & { readonly __id: Kind };

export type OrganisationId = Id<"org">;
export type ApiKeyId = Id<"key">;
export type MemberId = Id<"mem">;
export type CustomerId = Id<"cus">;
export type ProductId = Id<"prod">;
export type PackageId = Id<"pkg">;
export type PlanId = Id<"plan">;
export type PlanVersionId = Id<"plv">;
export type CouponId = Id<"cpn">;
export type PaymentLinkId = Id<"plink">;
export type TransactionId = Id<"txn">;
export type RefundId = Id<"ref">;
export type ReversalId = Id<"rev">;
export type DisputeId = Id<"dsp">;
export type EvidenceId = Id<"evd">;
export type GatewayAccountId = Id<"gw">;
export type EventId = Id<"evt">;
export type WebhookEndpointId = Id<"we">;
export type DeliveryId = Id<"whd">;
export type EmailId = Id<"mail">;
export type InvoiceId = Id<"inv">;
export type InvoicePaymentId = Id<"ipm">;
export type QuoteId = Id<"quo">;
export type CreditNoteId = Id<"cn">;
export type EftOrderId = Id<"eft">;
export type ProofId = Id<"prf">;
export type CardId = Id<"card">;
export type CardSetupId = Id<"cset">;
export type CheckoutSessionId = Id<"chk">;
export type DebitBatchId = Id<"dbat">;
export type MandateId = Id<"man">;
export type MandateAgreementId = Id<"agr">;
export type GatewaySubscriptionId = Id<"gsub">;
export type CustomerSubscriptionId = Id<"csub">;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** What an id is made of: 48 bits of Unix time in milliseconds, and two halves of 40 bits. */
export interface IdParts {
  readonly ms: number;
  readonly high: number;
  readonly low: number;
}

/** `<kind>_` and 26 characters of Crockford base 32; ids of one kind sort as their parts do. */
export const idOf = <Kind extends string>(kind: Kind, { ms, high, low }: IdParts): Id<Kind> =>
  `${kind}_${base32(ms, 10)}${base32(high, 8)}${base32(low, 8)}` as Id<Kind>;

/** Interface 6: `evt_` plus hex; sorts as other ids do. */
export const eventIdOf = ({ ms, high, low }: IdParts): EventId =>
  `evt_${hex(ms, 12)}${hex(high, 10)}${hex(low, 10)}` as EventId;

/** The kind that an id begins with, `inv` of an invoice's; empty for a text that is no id, such as a payment's reference. */
export const kindOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf("_")));

/** A lower bound: every id of this kind that was made at `at` or later, by the machine's clock, sorts at or after it. */
export const firstIdAt = (kind: string, at: Date): string =>
  kind === "evt" ? `evt_${hex(unixMilliseconds(at), 12)}` : `${kind}_${base32(unixMilliseconds(at), 10)}`;

/** The 16 bytes behind an id, for tokens that carry it. Null when the text is not an id. */
export function idToBytes(id: string): Buffer | null {
  const match = /^[a-z]+_([0-7][0-9a-hjkmnp-tv-z]{9})([0-9a-hjkmnp-tv-z]{8})([0-9a-hjkmnp-tv-z]{8})$/.exec(id);
  if (!match) return null;
  const [ms = 0, high = 0, low = 0] = match.slice(1).map((part) => {
    let value = 0;
    for (const character of part) value = value * 32 + ALPHABET.indexOf(character);
    return value;
  });
  return Buffer.from(hex(ms, 12) + hex(high, 10) + hex(low, 10), "hex");
}

/** The reverse of `idToBytes`. */
export function idFromBytes<Kind extends string>(kind: Kind, bytes: Buffer): Id<Kind> {
  assert(bytes.length === 16, "an id has 16 bytes");
  return idOf(kind, { ms: bytes.readUIntBE(0, 6), high: bytes.readUIntBE(6, 5), low: bytes.readUIntBE(11, 5) });
}

/**
 * The sort position of an id among ids of all kinds: the part after `<kind>_`, as other ids write it (`base32`) and as
 * ids of events write it (`hex`).
 */
export interface Position {
  readonly base32: string;
  readonly hex: string;
}

/** The position of an id of any kind. Null when the text is not an id. */
export function positionOf(id: string): Position | null {
  const [, ofEvent] = /^evt_([0-9a-f]{32})$/.exec(id) ?? [];
  const bytes = ofEvent === undefined ? idToBytes(id) : Buffer.from(ofEvent, "hex");
  return bytes && { base32: idFromBytes("id", bytes).slice(3), hex: bytes.toString("hex") };
}

/** Compares ids of any kinds, for sorting newest first. */
export function newestFirst(one: string, other: string): number {
  const [a = "", b = ""] = [one, other].map((id) => positionOf(id)?.hex);
  return a < b ? 1 : a > b ? -1 : 0;
}

const hex = (value: number, length: number): string => value.toString(16).padStart(length, "0");

function base32(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text;
  return text;
}
