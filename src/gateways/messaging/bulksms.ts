import { z } from "zod";
import { GatewayFailed } from "../http.ts";
import { parsed } from "../json-api.ts";
import { post, refusal } from "./ask.ts";
import type { MessageReport, MessagingAdapter } from "./contract.ts";

const HOST = "https://api.bulksms.com/v1";
const NAME = "BulkSMS";

const Sent = z.array(z.object({ id: z.coerce.string() })).min(1);
const Problem = z.object({ title: z.string().nullish(), detail: z.string().nullish() });

/** A number alone, or with what kind of number it is. */
const Address = z.union([z.string(), z.object({ address: z.string() }).transform(({ address }) => address)]);
const Body = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]);
const Report = z.array(
  z.object({
    id: z.coerce.string(),
    type: z.string().nullish(),
    from: Address.nullish(),
    body: Body.nullish(),
    userSuppliedId: z.string().nullish(),
    status: z
      .object({
        type: z.string().nullish(),
        subtype: z.string().nullish(),
        condition: z.string().nullish(),
        cause: z.string().nullish(),
      })
      .nullish(),
  }),
);

const STATUSES: Readonly<Record<string, "sent" | "delivered" | "failed">> = {
  SENT: "sent",
  DELIVERED: "delivered",
  FAILED: "failed",
};

/** BulkSMS, JSON REST API. It tells nothing by a signature, so the address for reports is the secret, as it advises. */
export const bulksms: MessagingAdapter = {
  type: "bulksms",
  name: NAME,
  channel: "sms",
  credentialFields: [
    {
      name: "tokenId",
      label: "Token ID",
      secret: false,
      required: true,
      where: "BulkSMS, Settings, Developer settings, API tokens",
    },
    {
      name: "tokenSecret",
      label: "Token secret",
      secret: true,
      required: true,
      where: "shown once, when the token is made",
    },
    {
      name: "from",
      label: "Sender ID",
      secret: false,
      required: false,
      pattern: "\\+?\\d{3,15}|[A-Za-z0-9 ]{1,11}",
      hint: "only if you have registered one: customers cannot reply STOP to a name, and leaving it empty lets them reply",
    },
  ],
  reports: "At BulkSMS, Settings, Advanced, Webhooks, add it twice: for sent messages and for received messages.",
  takesReplies: ({ from }) => !from,
  async send({ id, to, text }, { credentials, baseUrl, http }) {
    const { tokenId = "", tokenSecret = "", from } = credentials;
    const answer = await post(http, NAME, {
      url: `${baseUrl ?? HOST}/messages?auto-unicode=true&longMessageMaxParts=5`,
      authorization: `Basic ${Buffer.from(`${tokenId}:${tokenSecret}`).toString("base64")}`,
      json: [{ to, body: text, from: from || { type: "REPLIABLE" }, userSuppliedId: id }],
    });
    if (answer.kind === "later") return answer;
    if (answer.kind === "refused") {
      const problem = Problem.safeParse(answer.json).data;
      return refusal(NAME, answer.status, problem?.detail ?? problem?.title);
    }
    const sent = Sent.safeParse(answer.json);
    if (!sent.success) throw new GatewayFailed(`${NAME}: an answer that names no message`);
    return { kind: "accepted", ref: sent.data[0]?.id ?? null };
  },
  read({ headers, rawBody }) {
    const read = Report.safeParse(parsed(rawBody.toString("utf8")));
    if (!read.success) return { kind: "refused", reason: "It is no report of BulkSMS." };
    const received = headers["x-bulksms-event"] === "incoming-message";
    return read.data.flatMap((message): MessageReport[] => {
      if (received || message.type === "RECEIVED")
        return message.from && message.body ? [{ kind: "reply", from: message.from, text: message.body }] : [];
      const { type, subtype, condition, cause } = message.status ?? {};
      const status = STATUSES[type ?? condition ?? ""];
      if (!status) return [];
      const reason = status === "failed" ? (cause ?? subtype ?? "It was not delivered.") : null;
      return [{ kind: "status", id: message.userSuppliedId ?? null, ref: message.id, status, reason }];
    });
  },
};
