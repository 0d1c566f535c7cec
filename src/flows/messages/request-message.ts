import { findProvider } from "../../gateways/messaging/registry.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import type { Channel, MessageParts } from "../../kernel/messages.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { isAnswer, leavesAt, phoneOf, plainText, segmentsOf } from "../../modules/messages/rules.ts";
import { findMessageAccount, insertMessage, optedOut } from "../../modules/messages/store.ts";
import type { Message, MessageAccount, MessageKind } from "../../modules/messages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { messageText, optOutText, shownParts } from "../../templates/messages.ts";
import type { Ctx } from "../context.ts";
import { mailBrandOf, senderOf } from "../mail/senders.ts";
import { currentSettings } from "../organisations/settings.ts";
import { messageCredentialsOf } from "./accounts.ts";

/** A message that somebody, or a setting, asks for. */
export interface MessageRequest {
  readonly channel: Channel;
  readonly kind: Exclude<MessageKind, "opt_out">;
  /** The id of the record. */
  readonly about: string;
  readonly customer: Pick<Customer, "id" | "phone"> | null;
  /** In place of the customer's number. */
  readonly phone?: string | null | undefined;
  readonly parts: MessageParts;
}

const CHANNEL_NAMES: Readonly<Record<Channel, string>> = { sms: "SMS", whatsapp: "WhatsApp" };

/** The name that messages come from. */
async function senderName(tx: Tx, ctx: Ctx): Promise<string> {
  const settings = await currentSettings(tx);
  return senderOf(settings, mailBrandOf(ctx.organisation, settings));
}

/** A message by a channel that is known otherwise. */
type ByChannel = Omit<MessageRequest, "channel">;

const numberOf = ({ phone, customer }: ByChannel): string | null => phoneOf(phone || customer?.phone || null);

/** What the messages say, to whom and when they leave; `fault` says why one cannot be sent, as without an account or a number. */
async function planAll(tx: Tx, ctx: Ctx, channel: Channel, requests: readonly ByChannel[]) {
  const numbers = requests.map(numberOf).filter((number) => number !== null);
  const [found, stopped, sender] = await Promise.all([
    findMessageAccount(tx, channel),
    optedOut(tx, numbers),
    senderName(tx, ctx),
  ]);
  // The account of a provider that this version does not have sends nothing, and fails nothing.
  const adapter = found && findProvider(channel, found.provider);
  const account = adapter ? found : null;
  const style = {
    sender,
    sandbox: ctx.organisation.sandbox,
    repliable: found && adapter ? adapter.takesReplies(messageCredentialsOf(ctx, found)) : false,
  };
  return requests.map((request) => {
    const { kind, parts, phone } = request;
    const to = numberOf(request);
    const written = messageText(kind, parts, style);
    const text = channel === "sms" ? plainText(written) : written;
    const segments = channel === "sms" ? segmentsOf(text) : null;
    const leaves = leavesAt(kind, ctx.now);
    const fault = faultOf(channel, account, stopped, { to, asked: Boolean(phone), kind });
    return { request, account, to, text, segments, leaves, fault };
  });
}
type Planned = Awaited<ReturnType<typeof planAll>>[number];

async function plan(tx: Tx, ctx: Ctx, { channel, ...request }: MessageRequest): Promise<Planned> {
  const [planned] = await planAll(tx, ctx, channel, [request]);
  assert(planned, "each request is planned");
  return planned;
}

function faultOf(
  channel: Channel,
  account: MessageAccount | null,
  stopped: ReadonlySet<string>,
  { to, asked, kind }: { readonly to: string | null; readonly asked: boolean; readonly kind: MessageKind },
): string | null {
  if (!account?.enabled)
    return `No provider of ${CHANNEL_NAMES[channel]} is set up. Connect one on the page Messaging of the settings.`;
  if (to === null)
    return asked
      ? "That is no number that messages can be sent to. Write a cellphone number such as 082 123 4567 or +27 82 123 4567."
      : "The customer has no cellphone number. Add one, or enter a number here.";
  if (!isAnswer(kind) && stopped.has(to)) return "The owner of this number has asked for no more messages.";
  return null;
}

/** What the message would say, where it would go and when; with `fault`, why it cannot be sent. */
export async function previewMessage(tx: Tx, ctx: Ctx, request: MessageRequest) {
  const { to, text, segments, leaves, fault } = await plan(tx, ctx, request);
  return { text, segments, recipient: to, leavesAt: toTimestamp(leaves), fault };
}

/**
 * Requests a message by inserting one row, in the transaction of the change that causes it; the worker gives it to the provider in sending
 * hours. Throws 400 for a number that messages cannot be sent to, 409 `invalid_state` when no provider is set up or the number's owner has
 * opted out.
 */
export async function requestMessage(tx: Tx, ctx: Ctx, request: MessageRequest): Promise<Message> {
  const planned = await plan(tx, ctx, request);
  const { account, to, fault } = planned;
  if (account?.enabled && to === null) throw invalidField(["phone"], fault ?? "It is no cellphone number.");
  const message = insertPlanned(tx, ctx, planned);
  if (!message) throw new ApiError("invalid_state", 409, fault ?? "The message cannot be sent.");
  return message;
}

/**
 * Requests the messages that a setting asks for by a channel, in the transaction of the change that causes them. One that cannot be sent is
 * left out, without a fault: where the channel has no provider, the customer no number that messages can be sent to, or its owner has
 * opted out.
 */
export async function requestMessages(
  tx: Tx,
  ctx: Ctx,
  channel: Channel,
  requests: readonly ByChannel[],
): Promise<void> {
  if (requests.length === 0) return;
  for (const planned of await planAll(tx, ctx, channel, requests)) insertPlanned(tx, ctx, planned);
}

/** Null, and nothing is inserted, when the message cannot be sent. */
function insertPlanned(tx: Tx, ctx: Ctx, planned: Planned): Message | null {
  const { request, account, to, fault } = planned;
  if (fault !== null || account === null || to === null) return null;
  const message = messageOf(ctx, account, {
    kind: request.kind,
    about: request.about,
    customerId: request.customer?.id ?? null,
    recipient: to,
    text: planned.text,
    parts: shownParts(request.parts),
    segments: planned.segments,
    leavesAt: planned.leaves,
  });
  insertMessage(tx, message);
  return message;
}

/** Answers STOP: the number gets one last message, at once. */
export async function confirmOptOut(tx: Tx, ctx: Ctx, account: MessageAccount, phone: string): Promise<void> {
  const text = optOutText(await senderName(tx, ctx));
  const sms = account.channel === "sms";
  const message = messageOf(ctx, account, {
    kind: "opt_out",
    about: account.id,
    customerId: null,
    recipient: phone,
    text: sms ? plainText(text) : text,
    parts: null,
    segments: sms ? segmentsOf(plainText(text)) : null,
    leavesAt: leavesAt("opt_out", ctx.now),
  });
  insertMessage(tx, message);
}

type Written = Pick<
  Message,
  "kind" | "about" | "customerId" | "recipient" | "text" | "parts" | "segments" | "leavesAt"
>;

const messageOf = (ctx: Ctx, account: MessageAccount, written: Written): Message => ({
  ...written,
  id: newId("msg"),
  channel: account.channel,
  provider: account.provider,
  providerRef: null,
  status: "queued",
  error: null,
  createdAt: ctx.now,
  sentAt: null,
  deliveredAt: null,
});
