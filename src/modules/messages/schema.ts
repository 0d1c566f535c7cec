import { z } from "zod";
import { CHANNELS } from "../../kernel/messages.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { filter, limit, listQuery, oneOf, optional, text, timestamp } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { MESSAGE_KINDS, MESSAGE_STATUSES, type Message, type OptOut } from "./types.ts";

/** The channel in a path or a body. */
const channel = () => z.enum(CHANNELS, "must be sms or whatsapp");

/** Query of `GET /messages`. */
export const MessageQuery = listQuery(["msg"], {
  kind: oneOf(MESSAGE_KINDS),
  channel: oneOf(CHANNELS),
  status: oneOf(MESSAGE_STATUSES),
  customerId: filter(),
  from: dateAsked().optional().describe("The first South African day on which it was requested."),
});

/** Query of `GET /message-opt-outs`: by number, whose cursors are numbers too. `q`: the beginning of a number. */
export const OptOutQuery = z.object({ limit: limit(), startingAfter: filter(), endingBefore: filter(), q: filter() });

/** A number whose owner has asked for no more messages (interface 14.2). */
export const OptOutObject = z
  .object({
    object: z.literal("message_opt_out"),
    phone: z.string().describe("In international form, such as `+27821234567`."),
    createdAt: timestamp(),
  })
  .meta({ id: "MessageOptOut" });

/** Interface 14.2. */
export const optOutView = ({ phone, createdAt }: OptOut) => ({
  object: "message_opt_out" as const,
  phone,
  createdAt: toTimestamp(createdAt),
});

/** Body of `POST …/messages`: where it goes. */
export const MessageSend = z.object({
  channel: channel(),
  phone: optional(text(1, 30)).describe("Left out: the customer's number."),
});

/** A message by SMS or WhatsApp (interface 14.2). */
export const MessageObject = z
  .object({
    id: z.string(),
    channel: z.enum(CHANNELS),
    kind: z.enum(MESSAGE_KINDS),
    about: z.string().describe("The id of the record that it is about."),
    customerId: z.string().nullable(),
    recipient: z.string().describe("Empty once its customer is erased."),
    text: z.string(),
    segments: z
      .number()
      .nullable()
      .describe("In how many parts an SMS goes, each of which is paid for; null on WhatsApp."),
    provider: z.string(),
    status: z.enum(MESSAGE_STATUSES),
    error: z.string().nullable(),
    createdAt: timestamp(),
    leavesAt: timestamp().describe("Not before this time, since messages keep to sending hours."),
    sentAt: timestamp().nullable(),
    deliveredAt: timestamp().nullable(),
  })
  .meta({ id: "Message" });

/** A message as the dashboard shows it (interface 14.2). */
export const messageView = (message: Message) => ({
  id: message.id,
  channel: message.channel,
  kind: message.kind,
  about: message.about,
  customerId: message.customerId,
  recipient: message.recipient,
  text: message.text,
  segments: message.segments,
  provider: message.provider,
  status: message.status,
  error: message.error,
  createdAt: toTimestamp(message.createdAt),
  leavesAt: toTimestamp(message.leavesAt),
  sentAt: toTimestampOrNull(message.sentAt),
  deliveredAt: toTimestampOrNull(message.deliveredAt),
});

/** What a message would say, where it would go and when; with `fault`, why it cannot be sent. */
export const MessagePreview = z
  .object({
    text: z.string(),
    segments: z.number().nullable().describe("Null on WhatsApp."),
    recipient: z.string().nullable().describe("Null: the customer has no number that messages can be sent to."),
    leavesAt: timestamp(),
    fault: z.string().nullable(),
  })
  .meta({ id: "MessagePreview" });

/** Query of a preview. */
export const MessagePreviewQuery = z.object({
  channel: channel().default("sms"),
  phone: z.string().max(30).optional(),
});

/** Parameters of an account's path. */
export const ChannelParams = z.object({ channel: channel() });

/** Body of `PUT /messaging/{channel}`: credentials that are not given stay while the provider does. */
export const MessageAccountPut = z.object({
  provider: text(1, 60),
  enabled: z.boolean().default(true),
  credentials: z
    .record(z.string(), z.unknown(), "must be an object")
    .default({})
    .meta({ type: "object", additionalProperties: { type: ["string", "null"] } }),
});
export type MessageAccountPutBody = z.output<typeof MessageAccountPut>;

/** Body of a test message. */
export const TestMessage = z.object({ phone: text(1, 30) });

/** The account of a channel, without its credentials. */
export const MessageAccountObject = z
  .object({
    channel: z.enum(CHANNELS),
    provider: z.string(),
    enabled: z.boolean(),
    credentialsSet: z.array(z.string()).describe("Names of the credentials that it has."),
    reportsUrl: z.string().describe("The address to which the provider sends reports and replies. It is a secret."),
    verifyToken: z.string().nullable().describe("What WhatsApp is told beside the address; null for other providers."),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "MessageAccount" });

/** Providers of messages, and the merchant's accounts there. */
export const MessagingObject = z
  .object({
    providers: z.array(
      z.object({
        type: z.string(),
        name: z.string(),
        channel: z.enum(CHANNELS),
        credentialFields: z.array(
          z.object({
            name: z.string(),
            label: z.string(),
            secret: z.boolean(),
            required: z.boolean(),
            where: z.string().nullable(),
            hint: z.string().nullable(),
          }),
        ),
        reports: z.string().describe("What to do at the provider with `reportsUrl`, in words."),
      }),
    ),
    accounts: z.array(MessageAccountObject),
  })
  .meta({ id: "Messaging" });
