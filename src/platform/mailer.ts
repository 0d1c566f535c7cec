import { Readable } from "node:stream";
import { createTransport, type NodemailerError } from "nodemailer";
import { assert } from "../kernel/assert.ts";
import { singleLine, truncate } from "../kernel/text.ts";

export interface MailMessage {
  /** `<…@…>`, the same at every attempt, so that a receiving server can recognise a repeat. */
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: string | null;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * The outcome of sending a mail.
 * - `sent`: the server took responsibility for it, for the recipients in `accepted`.
 * - `temporary`: not sent, and may be retried.
 * - `permanent`: not sent, and trying again is useless.
 * - `unknown`: the server has the whole message and did not say whether it took it. Must not be retried: mail is
 *   never sent twice.
 */
export type MailResult =
  | {
      readonly outcome: "sent";
      readonly messageId: string;
      readonly response: string;
      readonly accepted: readonly string[];
      readonly rejected: readonly string[];
    }
  | { readonly outcome: "temporary" | "permanent" | "unknown"; readonly error: string };

export interface Mailer {
  /** False without SMTP_URL: mail is recorded and not sent (interface 11.1), and `send` answers `temporary`. */
  readonly sends: boolean;
  /** Sends one mail, in at most two minutes. Errors of network and server are outcomes; nothing is thrown for them. */
  send(message: MailMessage): Promise<MailResult>;
  /** Connects and signs in, and sends nothing. Throws the server's refusal. */
  verify(): Promise<void>;
  /** Closes idle connections at once and busy ones after their mail. */
  close(): void;
}

const CONNECT_MS = 10_000;
/** Servers scan a message before they answer. RFC 5321 recommends ten minutes. */
const SILENCE_MS = 60_000;
const SEND_MS = 120_000;
const CONNECTIONS_MAX = 5;
const ERROR_MAX = 500;
/** Addresses that need no quoting in an SMTP command or a header. */
const ADDRESS = /^[^\s@<>(),:;"\\[\]\p{Cc}\p{Cs}]{1,64}@[^\s@<>(),:;"\\[\]\p{Cc}\p{Cs}]{1,255}$/u;
const MESSAGE_ID = /^<[\w.+-]+@[\w.-]+>$/;

const UNSET: MailResult = { outcome: "temporary", error: "SMTP_URL is not set." };

/** Takes SMTP_URL (`smtp://user:pass@host:port`, `smtps://` for TLS from the start; a server that offers STARTTLS gets it). */
export function createMailer(smtpUrl: string | null): Mailer {
  if (smtpUrl === null) return { sends: false, send: async () => UNSET, verify: async () => {}, close() {} };
  /** Signals of the sends whose message was read to its end: the server may have the message. */
  const handedOver = new WeakSet<AbortSignal>();
  const transport = createTransport(poolOptions(smtpUrl)).use("stream", ({ message, data }, done) => {
    message.processFunc((content) => Readable.from(watched(content, () => data.signal && handedOver.add(data.signal))));
    done();
  });

  return {
    sends: true,
    async send(message) {
      assert(MESSAGE_ID.test(message.messageId), `not a Message-ID: ${message.messageId}`);
      const addresses = [message.from.address, message.replyTo, ...message.recipients];
      const wrong = addresses.find((address) => address !== null && !ADDRESS.test(address)) ?? null;
      if (wrong !== null) return { outcome: "permanent", error: `Not an email address: ${singleLine(wrong)}` };
      const signal = AbortSignal.timeout(SEND_MS);
      try {
        const { response, accepted, rejected } = await transport.sendMail({ ...compose(message), signal });
        return { outcome: "sent", messageId: message.messageId, response, accepted, rejected };
      } catch (error) {
        return failureOf(error as NodemailerError, handedOver.has(signal));
      }
    },
    verify: async () => void (await transport.verify()),
    close: () => transport.close(),
  };
}

/** Names and subject become one line each, so that no text can add a header. */
function compose({ messageId, from, replyTo, recipients, subject, text, html }: MailMessage) {
  return {
    messageId,
    from: { name: singleLine(from.name), address: from.address },
    ...(replyTo === null ? {} : { replyTo: { name: singleLine(from.name), address: replyTo } }),
    to: recipients.map((address) => ({ name: "", address })),
    subject: singleLine(subject),
    text,
    html,
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function* watched(content: Readable, atEnd: () => void) {
  yield* content;
  atEnd();
}

/**
 * A reply of the server about this mail is clear. Without one the outcome is unknown when the message had been handed over.
 * Permanent is only a refusal of this mail: after a wrong password or a stopped server is mended, the mail can be sent.
 */
function failureOf(error: NodemailerError, handedOver: boolean): MailResult {
  const text = truncate(singleLine(error.message), ERROR_MAX);
  const aboutThisMail = error.code === "EENVELOPE" || error.code === "EMESSAGE";
  if (handedOver && !(aboutThisMail && error.responseCode)) return { outcome: "unknown", error: text };
  const authenticationWanted = error.responseCode === 530;
  // Refusals by the library itself (such as a mail too large for the server) have no code and are permanent too.
  const permanent = aboutThisMail && error.permanent !== false && !authenticationWanted;
  return { outcome: permanent ? "permanent" : "temporary", error: text };
}

function poolOptions(smtpUrl: string) {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "")
    throw new Error("SMTP_URL must look like smtp://user:pass@host:port (or smtps:// for TLS from the start).");
  // On this machine nobody can intercept the connection, and local servers use self-signed certificates.
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(url.hostname);
  return {
    url: smtpUrl,
    pool: true as const,
    maxConnections: CONNECTIONS_MAX,
    // A connection that was closed while idle is replaced once; nothing of the message was sent then.
    maxRequeues: 1,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...(local ? { tls: { rejectUnauthorized: false } } : {}),
  };
}
