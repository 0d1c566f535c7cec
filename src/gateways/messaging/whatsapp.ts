import { z } from "zod";
import { GatewayFailed } from "../http.ts";
import { parsed } from "../json-api.ts";
import { hmac, sameSignature } from "../signatures.ts";
import { post, refusal } from "./ask.ts";
import type { MessageReport, MessagingAdapter, OutgoingMessage } from "./contract.ts";

const HOST = "https://graph.facebook.com";
const VERSION = "v23.0";
const NAME = "WhatsApp";

const Sent = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) });
const Fault = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  title: z.string().optional(),
  error_data: z.object({ details: z.string().optional() }).optional(),
});
const Refused = z.object({ error: Fault });
/** Faults that pass: too many calls, of the app, the account or the number. */
const PASSING = new Set([4, 80007, 130429, 131056]);

const Report = z.object({
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          value: z.object({
            statuses: z
              .array(
                z.object({
                  id: z.string(),
                  status: z.string(),
                  biz_opaque_callback_data: z.string().optional(),
                  errors: z.array(Fault).optional(),
                }),
              )
              .default([]),
            messages: z
              .array(
                z.object({
                  from: z.string(),
                  text: z.object({ body: z.string() }).optional(),
                  button: z.object({ text: z.string() }).optional(),
                }),
              )
              .default([]),
          }),
        }),
      ),
    }),
  ),
});

const STATUSES: Readonly<Record<string, "sent" | "delivered" | "failed">> = {
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  failed: "failed",
};

const inWords = (fault: z.output<typeof Fault> | undefined): string | null =>
  fault?.error_data?.details ?? fault?.message ?? fault?.title ?? null;

/** A template with the three values, or plain text within a conversation that the recipient has begun. */
const contentOf = ({ kind, parts, text }: OutgoingMessage, language: string) =>
  parts === null
    ? { type: "text", text: { body: text } }
    : {
        type: "template",
        template: {
          name: TEMPLATES[kind] ?? kind,
          language: { code: language },
          components: [
            {
              type: "body",
              parameters: [parts.what, parts.amount, parts.url].map((value) => ({ type: "text", text: value })),
            },
          ],
        },
      };

/** Messages that have no template of their own. */
const TEMPLATES: Readonly<Record<string, string>> = { test: "payment_link" };

/** WhatsApp Cloud API. Messages that the merchant begins must be templates which Meta has approved (docs/integrators/messages.md). */
export const whatsapp: MessagingAdapter = {
  type: "whatsapp_cloud",
  name: "WhatsApp Cloud API",
  channel: "whatsapp",
  credentialFields: [
    {
      name: "phoneNumberId",
      label: "Phone number ID",
      secret: false,
      required: true,
      where: "Meta for Developers, your app, WhatsApp, API setup",
      pattern: "\\d{5,25}",
      hint: "the digits of the ID, not the phone number",
    },
    {
      name: "accessToken",
      label: "Access token",
      secret: true,
      required: true,
      where: "a system user's permanent token, in Meta Business settings",
    },
    {
      name: "appSecret",
      label: "App secret",
      secret: true,
      required: true,
      where: "Meta for Developers, your app, App settings, Basic",
    },
    {
      name: "language",
      label: "Language of the templates",
      secret: false,
      required: false,
      pattern: "[a-z]{2,3}(_[A-Z]{2})?",
      hint: "such as en or en_GB; en when left empty",
      fallback: () => "en",
    },
  ],
  reports:
    "In your app at Meta, WhatsApp, Configuration, enter it as the callback URL with the verify token below, and subscribe to messages.",
  takesReplies: () => true,
  async send(message, { credentials, baseUrl, http }) {
    const { phoneNumberId = "", accessToken = "", language = "en" } = credentials;
    const answer = await post(http, NAME, {
      url: `${baseUrl ?? HOST}/${VERSION}/${phoneNumberId}/messages`,
      authorization: `Bearer ${accessToken}`,
      json: {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: message.to.slice(1),
        biz_opaque_callback_data: message.id,
        ...contentOf(message, language),
      },
    });
    if (answer.kind === "later") return answer;
    if (answer.kind === "refused") {
      const fault = Refused.safeParse(answer.json).data?.error;
      if (fault?.code !== undefined && PASSING.has(fault.code))
        return { kind: "later", reason: `${NAME} asked to wait: ${inWords(fault) ?? "too many messages"}` };
      return refusal(NAME, answer.status, inWords(fault));
    }
    const sent = Sent.safeParse(answer.json);
    if (!sent.success) throw new GatewayFailed(`${NAME}: an answer that names no message`);
    return { kind: "accepted", ref: sent.data.messages[0]?.id ?? null };
  },
  read({ headers, rawBody }, { appSecret = "" }) {
    if (!appSecret || !sameSignature(headers["x-hub-signature-256"], `sha256=${hmac("sha256", appSecret, rawBody)}`))
      return { kind: "refused", reason: "The signature is wrong." };
    const read = Report.safeParse(parsed(rawBody.toString("utf8")));
    // Subscriptions to other fields are acknowledged, or Meta would repeat them and give the address up.
    if (!read.success) return [];
    return read.data.entry
      .flatMap(({ changes }) => changes.map(({ value }) => value))
      .flatMap(({ statuses, messages }): MessageReport[] => [
        ...statuses.flatMap((one): MessageReport[] => {
          const status = STATUSES[one.status];
          if (!status) return [];
          const reason = status === "failed" ? (inWords(one.errors?.[0]) ?? "It was not delivered.") : null;
          return [{ kind: "status", id: one.biz_opaque_callback_data ?? null, ref: one.id, status, reason }];
        }),
        ...messages.flatMap(({ from, text, button }): MessageReport[] => {
          const said = text?.body ?? button?.text;
          return said === undefined ? [] : [{ kind: "reply", from, text: said }];
        }),
      ]);
  },
};
