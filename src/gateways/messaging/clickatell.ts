import { z } from "zod";
import { GatewayFailed } from "../http.ts";
import { parsed } from "../json-api.ts";
import { post, refusal } from "./ask.ts";
import type { MessageReport, MessagingAdapter } from "./contract.ts";

const HOST = "https://platform.clickatell.com";
const NAME = "Clickatell";

const Fault = z.object({ code: z.number().optional(), description: z.string().optional() }).nullish();
/** The answer about each message, and that about all when the call is refused as a whole. */
const Sent = z.object({
  messages: z.array(z.object({ apiMessageId: z.string().nullish(), accepted: z.boolean(), error: Fault })).default([]),
  error: Fault,
});

/** Faults that pass: an internal error to be repeated, and too many messages a second. */
const PASSING = new Set([19, 43]);

const Report = z.object({
  event: z.object({
    messageStatusUpdate: z
      .array(
        z.object({
          messageId: z.string().nullish(),
          clientMessageId: z.string().nullish(),
          statusCode: z.coerce.number(),
          status: z.string().nullish(),
        }),
      )
      .default([]),
    moText: z.array(z.object({ from: z.coerce.string(), content: z.string() })).default([]),
  }),
});

/** 4 is with the network, 5 and 6 on the phone and read; from 20 on it has failed. What comes before says nothing new. */
const statusOf = (code: number): "sent" | "delivered" | "failed" | null =>
  code >= 20 ? "failed" : code === 5 || code === 6 ? "delivered" : code === 4 ? "sent" : null;

const inWords = (status: string | null | undefined): string | null =>
  status ? `${status.charAt(0)}${status.slice(1).toLowerCase().replaceAll("_", " ")}.` : null;

/** Clickatell, One API, for SMS. */
export const clickatell: MessagingAdapter = {
  type: "clickatell",
  name: NAME,
  channel: "sms",
  credentialFields: [
    {
      name: "apiKey",
      label: "API key",
      secret: true,
      required: true,
      where: "Clickatell portal, SMS, the settings of your API",
    },
    {
      name: "from",
      label: "Your number",
      secret: false,
      required: false,
      pattern: "\\d{5,15}",
      hint: "digits of a two-way number, to which customers can reply STOP",
    },
  ],
  reports:
    "In the settings of your API at Clickatell, enter it as the callback address for status updates and for replies.",
  takesReplies: ({ from }) => Boolean(from),
  async send({ id, to, text }, { credentials, baseUrl, http }) {
    const { apiKey = "", from } = credentials;
    const message = { channel: "sms", to: to.slice(1), content: text, clientMessageId: id, ...(from && { from }) };
    const answer = await post(http, NAME, {
      url: `${baseUrl ?? HOST}/v1/message`,
      authorization: apiKey,
      json: { messages: [message] },
    });
    if (answer.kind === "later") return answer;
    const read = Sent.safeParse(answer.json);
    const [first] = read.data?.messages ?? [];
    const fault = first?.error ?? read.data?.error;
    if (fault?.code !== undefined && PASSING.has(fault.code))
      return { kind: "later", reason: `${NAME} asked to wait: ${fault.description ?? "try again"}` };
    if (first?.accepted) return { kind: "accepted", ref: first.apiMessageId ?? null };
    if (answer.kind === "refused") return refusal(NAME, answer.status, fault?.description);
    if (first) return refusal(NAME, 200, fault?.description);
    throw new GatewayFailed(`${NAME}: an answer that names no message`);
  },
  read({ rawBody }) {
    const read = Report.safeParse(parsed(rawBody.toString("utf8")));
    if (!read.success) return { kind: "refused", reason: "It is no report of Clickatell." };
    const { messageStatusUpdate, moText } = read.data.event;
    const statuses = messageStatusUpdate.flatMap(
      ({ messageId, clientMessageId, statusCode, status }): MessageReport[] => {
        const became = statusOf(statusCode);
        if (!became) return [];
        const reason = became === "failed" ? inWords(status) : null;
        return [{ kind: "status", id: clientMessageId ?? null, ref: messageId ?? null, status: became, reason }];
      },
    );
    return [...statuses, ...moText.map(({ from, content }) => ({ kind: "reply" as const, from, text: content }))];
  },
};
