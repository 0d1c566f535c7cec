import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { invoiceMessage } from "../../flows/invoices/message-invoice.ts";
import {
  messageAccountView,
  putMessageAccount,
  readMessaging,
  removeMessageAccount,
} from "../../flows/messages/accounts.ts";
import { previewMessage, requestMessage } from "../../flows/messages/request-message.ts";
import { linkMessage } from "../../flows/payment-links/message-link.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  ChannelParams,
  MessageAccountObject,
  MessageAccountPut,
  MessageObject,
  MessagePreview,
  MessagePreviewQuery,
  MessageQuery,
  MessageSend,
  MessagingObject,
  messageView,
  OptOutObject,
  OptOutQuery,
  optOutView,
  TestMessage,
} from "../../modules/messages/schema.ts";
import { deleteOptOut, findMessage, listMessages, listOptOuts } from "../../modules/messages/store.ts";
import type { Message } from "../../modules/messages/types.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { created } from "../replies.ts";

const common = {
  audience: "staff",
  tag: { name: "Messages", about: "Messages by SMS and WhatsApp, and the merchant's accounts at providers of them." },
} as const;
const params = z.object({ id: z.string() });

/** Messages without their texts, which hold addresses that give access to payments. */
const messagesCsv = listExport<Message, typeof MessageQuery>({
  columns: {
    id: (row) => row.id,
    channel: (row) => row.channel,
    kind: (row) => row.kind,
    about: (row) => row.about,
    customerId: (row) => row.customerId,
    recipient: (row) => row.recipient,
    segments: (row) => (row.segments === null ? null : String(row.segments)),
    provider: (row) => row.provider,
    status: (row) => row.status,
    error: (row) => row.error,
    createdAt: (row) => toTimestamp(row.createdAt),
    sentAt: (row) => toTimestampOrNull(row.sentAt),
    deliveredAt: (row) => toTimestampOrNull(row.deliveredAt),
  },
  list: listMessages,
});

/** The endpoints of interface 14.2, messages: what was sent. */
const sentEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/messages",
    summary: "List messages, newest first",
    permission: "emails:read",
    query: MessageQuery,
    replies: { 200: listOf(MessageObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listMessages(tx, wanted), messageView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/messages/{id}",
    summary: "Get a message",
    permission: "emails:read",
    params,
    replies: { 200: MessageObject },
    async handle({ params: { id } }, tx) {
      const message = await findMessage(tx, id);
      if (!message) throw notFound("message");
      return { status: 200, body: messageView(message) };
    },
  }),
  listEndpoint(
    "messages",
    "Messages, without their texts,",
    MessageQuery.omit(PAGING),
    messagesCsv,
    undefined,
    "staff",
  ),
];

/** The numbers that get no messages. */
const optOutEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/message-opt-outs",
    summary: "List the numbers whose owners have asked for no more messages",
    permission: "emails:read",
    query: OptOutQuery,
    replies: { 200: listOf(OptOutObject) },
    handle: (call, tx) =>
      listed(
        call,
        (wanted) => listOptOuts(tx, wanted),
        (one) => optOutView(one),
      ),
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/message-opt-outs/{phone}",
    summary: "Allow messages to a number again, because its owner has asked for them",
    permission: "settings:write",
    params: z.object({ phone: z.string() }),
    replies: { 200: OptOutObject },
    async handle({ params: { phone } }, tx) {
      const allowed = await deleteOptOut(tx, phone);
      if (!allowed) throw notFound("opt-out");
      return { status: 200, body: optOutView(allowed), audit: { subject: phone, before: optOutView(allowed) } };
    },
  }),
];

/** The accounts at providers. */
const accountEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/messaging",
    operationId: "getMessaging",
    summary: "Get the providers of messages, and the accounts there",
    permission: "settings:read",
    replies: { 200: MessagingObject },
    async handle({ ctx }, tx) {
      return { status: 200, body: await readMessaging(tx, ctx) };
    },
  }),
  endpoint({
    ...common,
    method: "PUT",
    path: "/messaging/{channel}",
    operationId: "connectMessaging",
    summary: "Connect a channel to a provider, or change its account; credentials that are not given stay",
    permission: "settings:write",
    params: ChannelParams,
    body: MessageAccountPut,
    replies: { 200: MessageAccountObject },
    async handle({ ctx, params: { channel }, body }, tx) {
      const { before, after } = await putMessageAccount(tx, ctx, channel, body);
      const view = messageAccountView(ctx, after);
      const { reportsUrl: _reportsUrl, ...shown } = view;
      // Names of the changed credentials, without their values.
      const credentialsGiven = Object.keys(body.credentials).sort();
      const { reportsUrl: _before, ...was } = before ? messageAccountView(ctx, before) : { reportsUrl: null };
      return {
        status: 200,
        body: view,
        audit: { subject: after.id, before: before && was, after: { ...shown, credentialsGiven } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/messaging/{channel}",
    operationId: "disconnectMessaging",
    summary: "Disconnect a channel from its provider",
    permission: "settings:write",
    params: ChannelParams,
    replies: { 200: MessageAccountObject },
    async handle({ ctx, params: { channel } }, tx) {
      const account = await removeMessageAccount(tx, channel);
      const view = messageAccountView(ctx, account);
      const { reportsUrl: _reportsUrl, ...before } = view;
      return { status: 200, body: view, audit: { subject: account.id, before } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/messaging/{channel}/test",
    operationId: "sendTestMessage",
    summary: "Send a test message to a number, at any hour",
    permission: "settings:write",
    params: ChannelParams,
    body: TestMessage,
    replies: { 201: MessageObject },
    async handle({ ctx, params: { channel }, body: { phone } }, tx) {
      const message = await requestMessage(tx, ctx, {
        channel,
        kind: "test",
        about: ctx.organisation.id,
        customer: null,
        phone,
        parts: { what: "This is a test message", amount: "R 1.00", url: ctx.baseUrl },
      });
      return created(messageView(message));
    },
  }),
];

/** Sending of payment links. */
const linkEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/payment-links/{id}/message-preview",
    operationId: "previewPaymentLinkMessage",
    summary: "Show the message that would send a payment link, without sending it",
    permission: "payment_links:read",
    feature: "payment_links",
    params,
    query: MessagePreviewQuery,
    replies: { 200: MessagePreview },
    async handle({ ctx, params: { id }, query }, tx) {
      return { status: 200, body: await previewMessage(tx, ctx, await linkMessage(tx, ctx, id, query)) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/payment-links/{id}/messages",
    operationId: "messagePaymentLink",
    summary: "Send a payment link by SMS or WhatsApp",
    permission: "payment_links:write",
    feature: "payment_links",
    idempotent: true,
    params,
    body: MessageSend,
    replies: { 201: MessageObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return created(messageView(await requestMessage(tx, ctx, await linkMessage(tx, ctx, id, body))));
    },
  }),
];

/** Sending of invoices. */
const invoiceEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/invoices/{id}/message-preview",
    operationId: "previewInvoiceMessage",
    summary: "Show the message that would send an invoice, without sending it",
    permission: "invoices:read",
    feature: "invoicing",
    params,
    query: MessagePreviewQuery,
    replies: { 200: MessagePreview },
    async handle({ ctx, params: { id }, query }, tx) {
      return { status: 200, body: await previewMessage(tx, ctx, await invoiceMessage(tx, ctx, id, query)) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/invoices/{id}/messages",
    operationId: "messageInvoice",
    summary: "Send an invoice by SMS or WhatsApp; once its due date has passed, as a reminder",
    permission: "invoices:write",
    feature: "invoicing",
    idempotent: true,
    params,
    body: MessageSend,
    replies: { 201: MessageObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return created(messageView(await requestMessage(tx, ctx, await invoiceMessage(tx, ctx, id, body))));
    },
  }),
];

/** The endpoints of interface 14.2, messages. */
export const messageEndpoints = [
  ...sentEndpoints,
  ...optOutEndpoints,
  ...accountEndpoints,
  ...linkEndpoints,
  ...invoiceEndpoints,
];
