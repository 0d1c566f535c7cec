import type { Channel, MessageParts } from "../../kernel/messages.ts";
import type { CredentialField, Credentials, Refusal } from "../call.ts";
import type { GatewayHttp } from "../http.ts";

/** A message that leaves now. */
export interface OutgoingMessage {
  /** Ours, which the provider's reports repeat. */
  readonly id: string;
  /** `+` and digits. */
  readonly to: string;
  readonly text: string;
  /** What the message is, such as `payment_link`; its template has this name unless the account names another. */
  readonly kind: string;
  /** Null: an answer to a message of the recipient, as plain text. */
  readonly parts: MessageParts | null;
}

export interface MessagingCall {
  readonly credentials: Credentials;
  /** Replaces the provider's host; no trailing slash; null: the provider's own. */
  readonly baseUrl: string | null;
  readonly http: GatewayHttp;
}

/**
 * The provider's clear answer. `later`: it has not taken the message, which may be sent again. Without a clear answer `send` throws
 * `GatewayUnclear`: the message may have been taken, so it is not sent again.
 */
export type SendAnswer =
  | { readonly kind: "accepted"; readonly ref: string | null }
  | { readonly kind: "later"; readonly reason: string }
  | Refusal;

/** What a provider reports: what became of a message, or a message that somebody has sent to the merchant. */
export type MessageReport =
  | {
      readonly kind: "status";
      /** Our id, where the provider repeats it. */
      readonly id: string | null;
      readonly ref: string | null;
      readonly status: "sent" | "delivered" | "failed";
      readonly reason: string | null;
    }
  | { readonly kind: "reply"; readonly from: string; readonly text: string };

/** A report as it arrived. */
export interface RawReport {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Buffer;
}

/** A provider of messages behind one interface: stateless, without database and clock. */
export interface MessagingAdapter {
  /** Lower-case letters; names the account's type and, in upper case, `GATEWAY_URL_<TYPE>`. */
  readonly type: string;
  /** For people. */
  readonly name: string;
  readonly channel: Channel;
  readonly credentialFields: readonly CredentialField[];
  /** What staff do at the provider with the address for reports, in words. */
  readonly reports: string;
  /** Whether the phone can answer the message, as STOP needs. */
  readonly takesReplies: (credentials: Credentials) => boolean;
  readonly send: (message: OutgoingMessage, call: MessagingCall) => Promise<SendAnswer>;
  /** Verifies and reads a report. The signature of its address has been verified. */
  readonly read: (report: RawReport, credentials: Credentials) => readonly MessageReport[] | Refusal;
}
