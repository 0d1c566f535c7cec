import type { CustomerId, Id } from "../../kernel/ids.ts";
import type { Channel, MessageParts } from "../../kernel/messages.ts";
import type { Instant } from "../../kernel/time.ts";

/** What a message says. `test` is the one that staff send to themselves, `opt_out` the answer to STOP. */
export const MESSAGE_KINDS = ["payment_link", "invoice", "reminder", "payment_failed", "test", "opt_out"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/**
 * `unknown`: the provider did not answer, so it may have been sent; its report may still tell. `not_sent`: a sandbox
 * sends nothing to phones, or what it asks for was paid before it left.
 */
export const MESSAGE_STATUSES = ["queued", "sending", "sent", "delivered", "failed", "unknown", "not_sent"] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export type MessageId = Id<"msg">;
export type MessageAccountId = Id<"macc">;

/** A message to one phone. */
export interface Message {
  readonly id: MessageId;
  readonly channel: Channel;
  readonly kind: MessageKind;
  /** The record that it is about. */
  readonly about: string;
  readonly customerId: CustomerId | null;
  /** `+` and digits; empty once its customer is erased. */
  readonly recipient: string;
  readonly text: string;
  readonly parts: MessageParts | null;
  /** In how many parts an SMS goes; null on WhatsApp. */
  readonly segments: number | null;
  readonly provider: string;
  /** The provider's id. */
  readonly providerRef: string | null;
  readonly status: MessageStatus;
  /** Why it was not sent, or not yet. */
  readonly error: string | null;
  readonly createdAt: Instant;
  /** Not before this time, by the organisation's clock. */
  readonly leavesAt: Instant;
  readonly sentAt: Instant | null;
  readonly deliveredAt: Instant | null;
}

/** The merchant's account at a provider of messages: one for each channel. */
export interface MessageAccount {
  readonly id: MessageAccountId;
  readonly channel: Channel;
  readonly provider: string;
  readonly enabled: boolean;
  readonly credentialsSealed: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A number whose owner wants no messages. */
export interface OptOut {
  readonly phone: string;
  readonly createdAt: Instant;
}
