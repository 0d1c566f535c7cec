import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

/* Servers that speak the protocols of the providers of messages. They check what the providers check. */

/** What a stand-in does with the next messages, in place of taking them. `silent`: it takes one and does not answer. */
export type Fault = "busy" | "broken" | "silent" | "bad number" | "no credit";

/** A message that a stand-in has taken. */
export interface Taken {
  readonly ref: string;
  /** Our id, as the service sent it. */
  readonly ours: string;
  readonly to: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a provider tells of a message, as a request to the address for reports. */
export interface Told {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The protocol of a provider. */
export interface Protocol {
  readonly type: string;
  readonly channel: "sms" | "whatsapp";
  readonly credentials: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
  answer(request: Received): { readonly status: number; readonly json: unknown; readonly taken?: Taken };
  status(taken: Taken, status: "sent" | "delivered" | "failed"): Told;
  reply(from: string, text: string): Told;
}

interface Received {
  readonly url: string;
  readonly authorization: string;
  readonly json: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  readonly fault: Fault | null;
  readonly ref: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const told = (json: unknown, headers: Readonly<Record<string, string>> = {}): Told => ({
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(json),
});

const CLICKATELL_CODES = {
  sent: [4, "SENT_TO_SUPPLIER"],
  delivered: [5, "DEVICE_ACK"],
  failed: [23, "DELIVERY_FAILURE"],
} as const;

export const CLICKATELL: Protocol = {
  type: "clickatell",
  channel: "sms",
  credentials: { apiKey: "clickatell-key==", from: "27600000000" },
  wrong: { apiKey: "another-key" },
  answer({ url, authorization, json, fault, ref }) {
    if (url !== "/v1/message") return { status: 404, json: {} };
    const whole = (status: number, code: number, description: string) => ({
      status,
      json: { messages: [], error: { code, description } },
    });
    if (authorization !== "clickatell-key==") return whole(401, 1, "Invalid or missing integration API Key");
    if (fault === "busy") return whole(400, 43, "Rate limit");
    const [message = {}] = (json as { messages: Record<string, string>[] }).messages;
    const { to = "", content = "", clientMessageId = "" } = message;
    const refused = (status: number, code: number, description: string) => ({
      status,
      json: { messages: [{ apiMessageId: null, accepted: false, to, error: { code, description } }], error: null },
    });
    if (fault === "no credit") return refused(402, 20, "Insufficient account balance");
    if (fault === "bad number") return refused(400, 25, `Invalid recipient address: ${to}`);
    return {
      status: 202,
      json: { messages: [{ apiMessageId: ref, accepted: true, to, error: null }], error: null },
      taken: { ref, ours: clientMessageId, to: `+${to}`, text: content, body: message },
    };
  },
  status({ ref, ours }, status) {
    const [statusCode, said] = CLICKATELL_CODES[status];
    const update = { channel: "sms", messageId: ref, clientMessageId: ours, timestamp: 1, statusCode, status: said };
    return told({ integrationId: "i", integrationName: "n", event: { messageStatusUpdate: [update] } });
  },
  reply: (from, content) =>
    told({
      integrationId: "i",
      event: { moText: [{ channel: "sms", messageId: "mo", from: from.slice(1), to: "1", content }] },
    }),
};

const BULKSMS: Protocol = {
  type: "bulksms",
  channel: "sms",
  credentials: { tokenId: "token-id", tokenSecret: "token-secret" },
  wrong: { tokenId: "token-id", tokenSecret: "another" },
  answer({ url, authorization, json, fault, ref }) {
    if (!url.startsWith("/messages?")) return { status: 404, json: {} };
    const problem = (status: number, title: string, detail?: string) => ({
      status,
      json: { type: "https://example", title, status, ...(detail && { detail }) },
    });
    if (authorization !== `Basic ${Buffer.from("token-id:token-secret").toString("base64")}`)
      return problem(401, "Unauthorized");
    if (fault === "busy") return problem(429, "Too Many Requests");
    if (fault === "no credit") return problem(403, "Insufficient Credits");
    const [message = {}] = json as Record<string, string>[];
    if (fault === "bad number") return problem(400, "Bad Request", "The to address is invalid");
    const { to = "", body: text = "", userSuppliedId: ours = "" } = message;
    const sent = {
      id: ref,
      type: "SENT",
      to,
      body: text,
      userSuppliedId: ours,
      status: { id: "ACCEPTED", type: "ACCEPTED" },
    };
    return { status: 201, json: [sent], taken: { ref, ours, to, text, body: message } };
  },
  status({ ref, ours, to }, status) {
    const type = status.toUpperCase();
    const message = {
      id: ref,
      type: "SENT",
      to,
      from: "1",
      userSuppliedId: ours,
      status: { id: type, type, subtype: "HANDSET_ERROR" },
    };
    return told([message], { "x-bulksms-event": "status-report" });
  },
  reply: (from, body) =>
    told(
      [{ id: "9", type: "RECEIVED", from: { type: "INTERNATIONAL", address: from }, to: "1", body: { value: body } }],
      {
        "x-bulksms-event": "incoming-message",
      },
    ),
};

const signed = (json: unknown): Told => {
  const body = JSON.stringify(json);
  const signature = createHmac("sha256", "app-secret").update(body).digest("hex");
  return { headers: { ...JSON_TYPE, "x-hub-signature-256": `sha256=${signature}` }, body };
};
const change = (value: object): Told =>
  signed({ object: "whatsapp_business_account", entry: [{ id: "1", changes: [{ field: "messages", value }] }] });

export const WHATSAPP: Protocol = {
  type: "whatsapp_cloud",
  channel: "whatsapp",
  credentials: { phoneNumberId: "123456789", accessToken: "access-token", appSecret: "app-secret", language: "en" },
  wrong: { phoneNumberId: "123456789", accessToken: "another", appSecret: "app-secret" },
  answer({ url, authorization, json, fault, ref }) {
    const error = (status: number, code: number, message: string) => ({
      status,
      json: {
        error: {
          code,
          message,
          type: "OAuthException",
          error_data: { messaging_product: "whatsapp", details: message },
        },
      },
    });
    if (url !== "/v23.0/123456789/messages") return error(400, 100, "Unsupported post request");
    if (authorization !== "Bearer access-token") return error(401, 190, "Invalid OAuth access token");
    if (fault === "busy") return error(400, 130429, "Rate limit hit");
    if (fault === "no credit") return error(402, 131042, "Business eligibility payment issue");
    if (fault === "bad number") return error(400, 131026, "Message undeliverable");
    const message = json as Readonly<Record<string, unknown>>;
    const { template, text } = message as {
      template?: { name: string; components: { parameters: { text: string }[] }[] };
      text?: { body: string };
    };
    const values = template?.components[0]?.parameters.map((one) => one.text) ?? [];
    return {
      status: 200,
      json: { messaging_product: "whatsapp", contacts: [{ wa_id: message["to"] }], messages: [{ id: ref }] },
      taken: {
        ref,
        ours: String(message["biz_opaque_callback_data"]),
        to: `+${String(message["to"])}`,
        text: template ? [template.name, ...values].join(" | ") : (text?.body ?? ""),
        body: message,
      },
    };
  },
  status: ({ ref, ours }, status) =>
    change({
      statuses: [
        {
          id: ref,
          status,
          biz_opaque_callback_data: ours,
          ...(status === "failed" && { errors: [{ code: 131026, title: "Message undeliverable" }] }),
        },
      ],
    }),
  reply: (from, body) => change({ messages: [{ from: from.slice(1), id: "wamid.in", type: "text", text: { body } }] }),
};

export const PROTOCOLS = [CLICKATELL, BULKSMS, WHATSAPP];

/** A provider's server on this machine. */
export interface MessagingStandIn {
  readonly url: string;
  /** The messages that it has taken, in order. */
  readonly taken: Taken[];
  /** How many requests have come. */
  requests(): number;
  /** What it does with the next message. */
  fail(fault: Fault | null): void;
  /** Ends the calls that it does not answer. */
  close(): Promise<void>;
}

/** Opens the server of a provider. */
export async function openMessagingStandIn(protocol: Protocol): Promise<MessagingStandIn> {
  const taken: Taken[] = [];
  let requests = 0;
  let fault: Fault | null = null;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const now = fault;
    const body = await textOf(request);
    if (now === "broken") {
      response.writeHead(500).end("<html>oops</html>");
      return;
    }
    const {
      status,
      json,
      taken: one,
    } = protocol.answer({
      url: request.url ?? "",
      authorization: request.headers.authorization ?? "",
      json: JSON.parse(body),
      fault: now,
      ref: `ref-${requests}`,
    });
    if (one) taken.push(one);
    // As a connection that breaks after the message was taken.
    if (now === "silent") response.destroy();
    else response.writeHead(status, JSON_TYPE).end(JSON.stringify(json));
  };
  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    requests: () => requests,
    fail: (next) => {
      fault = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
