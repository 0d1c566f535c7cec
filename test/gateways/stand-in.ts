import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { CONTROL, controlled } from "./stand-in-control.ts";
import { type AnswerFault, createFaults, type Faults, type NoticeFault, spoil } from "./stand-in-faults.ts";

/*
 * The frame of the gateways' stand-ins: a listener, the record of what came and what was sent, faults by instruction,
 * pages for payers, and a control surface that is the same for all (`GET /_stand-in`). A stand-in is written from its
 * gateway's protocol and imports nothing of `src/gateways/<type>` (decisions.md#stand-ins-share-nothing-with-adapters),
 * so that it refuses what the gateway would refuse.
 */

/** One request that the gateway received, as it came. */
export interface StandInRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawBody: Buffer;
  /** The body in UTF-8. */
  readonly text: string;
}

/** What the gateway answers. */
export interface StandInReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A message to the merchant's notification address. `compose` is called for each delivery, since a signature may hold the time. */
export interface Notice {
  /** For tests and people, such as `payment TEFO-20260101-0A1B2C3D complete`. */
  readonly about: string;
  readonly url: string;
  /** With `amount` (cents), a genuine message about another amount. */
  compose(changed: { readonly amount?: number }): {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** A page on which the payer decides, shown at the gateway's own address. */
export interface PayerPage {
  readonly title: string;
  /** Shown to the payer, such as what is paid and to whom. */
  readonly lines: readonly string[];
  /** The choices: `outcome` and the words of its button. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Further fields of the form, such as the number of a card, with the values that they begin with. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What the payer's choice does at the gateway. Answers the URL that their browser goes to. */
  decide(outcome: string, fields: Readonly<Record<string, string>>): string | Promise<string>;
}

/** What a stand-in's protocol gets from the frame. */
export interface StandInFrame {
  /** The stand-in's own origin, such as `http://127.0.0.1:9000`. */
  readonly url: string;
  /** Sends a notice as the instructions say, and keeps it so that it can be sent again. Never throws. */
  send(notice: Notice): Promise<void>;
  /** The page as an answer to the request that leads the payer to it. */
  payerPage(page: PayerPage): StandInReply;
  /** A page of the gateway that is not the answer to a request. Answers its URL. */
  payerUrl(page: PayerPage): string;
  /** The time by the machine, or the one that `setNow` was told. */
  now(): Date;
}

/** A payment in the gateway's own books. Amounts in whole cents. */
export interface StandInPayment {
  /** The merchant's reference. */
  readonly reference: string;
  readonly status: "pending" | "paid" | "failed" | "cancelled" | "reversed";
  readonly amount: number;
  readonly refunded: number;
}

/** A subscription, or a schedule, in the gateway's own books. */
export interface StandInSubscription {
  readonly status: "active" | "past_due" | "paused" | "cancelled";
  /** Of the next collection, whole cents. */
  readonly amount: number;
  /** YYYY-MM-DD; null when nothing is collected any more. */
  readonly nextDate: string | null;
}

/**
 * What happens at the gateway without a request of the merchant. A stand-in has those that its gateway can. `reference` is the merchant's
 * reference of the payment, or of the payment that began the subscription. Each sends the notices that the gateway would send.
 */
export interface StandInActs {
  /** The merchant pastes the address for notifications in the gateway's dashboard. */
  notifyAt?(url: string): void;
  /** The gateway collects the next period. */
  renews?(reference: string, outcome: "paid" | "declined"): Promise<void>;
  /** The payer, or the gateway, ends the subscription there. */
  endsSubscription?(reference: string): Promise<void>;
  /** What the gateway has of the subscription. */
  subscription?(reference: string): StandInSubscription | null;
  /** A refund that was accepted is paid out, or fails later. */
  endsRefund?(reference: string, outcome: "processed" | "failed"): Promise<void>;
  /** Staff cancel what a payment began, and give it back, in the gateway's dashboard. */
  givesBack?(reference: string): Promise<void>;
  /** The bank takes back what was paid. */
  reverses?(reference: string): Promise<void>;
  /** A payer disputes what was paid, and the merchant wins. */
  winsDispute?(reference: string): Promise<void>;
  /** How a debit, or a charge that takes days, ends. */
  endsDebit?(reference: string, outcome: "paid" | "unpaid"): Promise<void>;
  /** One line about a debit on the statement of its action date, as it is when a statement is read while its day goes on. */
  standsOnStatement?(reference: string, what: "collected" | "returned"): void;
  /** What the payer does with an electronic mandate. */
  decidesMandate?(accountReference: string, outcome: "accepted" | "rejected"): Promise<void>;
  /** How the next charges of a stored card end; `unclear`: they are made, and no answer comes. */
  nextCharges?(outcome: "paid" | "declined" | "hard" | "unclear"): void;
}

/** The protocol of one gateway. `test/gateways/<type>/stand-in.ts` exports it as `standIn`. */
export interface StandInProtocol {
  /** As `GatewayAdapter.type`. */
  readonly type: string;
  /** The merchant that it knows, by the names of the adapter's credential fields. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Credentials that the gateway refuses when the account is saved; null where it cannot be asked. */
  readonly wrongCredentials: Readonly<Record<string, string>> | null;
  /** The address that its notices come from, sent as X-Forwarded-For; the machine's own without one. */
  readonly sender?: string;
  /** False: what a notice says proves nothing, and the merchant has to ask the gateway what is true. */
  readonly signs?: boolean;
  /** The beginning of method and path of a refund; the first POST without one. */
  readonly refundCall?: string;
  /** The beginning of method and path of a call that comes before each refund. */
  readonly beforeRefund?: string;
  open(frame: StandInFrame): OpenProtocol;
}

export interface OpenProtocol {
  /** Answers a request; 404 for what the gateway does not have. */
  answer(request: StandInRequest): StandInReply | Promise<StandInReply>;
  /** Every payment in the gateway's books, oldest first: also those that the merchant should not have made. */
  payments(): readonly StandInPayment[];
  readonly acts: StandInActs;
}

/** One delivery of a notice. */
export interface Delivery {
  readonly about: string;
  readonly at: string;
  /** The merchant's answer; null: none. */
  readonly status: number | null;
}

/** A stand-in that listens. */
export interface StandIn {
  readonly type: string;
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly wrongCredentials: Readonly<Record<string, string>> | null;
  readonly signs: boolean;
  readonly refundCall: string;
  readonly beforeRefund: string | null;
  readonly requests: readonly StandInRequest[];
  /** In the order in which they were first sent; `resend` takes the index. */
  readonly notices: readonly Notice[];
  readonly deliveries: readonly Delivery[];
  readonly acts: StandInActs;
  payments(): readonly StandInPayment[];
  /** What the next answers suffer; instructions are used up in their order. */
  failAnswers(fault: AnswerFault): void;
  /** What the next notices suffer. */
  failNotices(fault: NoticeFault): void;
  /** Drops the instructions that are left: a gateway may have sent fewer answers or notices than they were for. */
  mend(): void;
  /** Delivers those that are late. */
  release(): Promise<void>;
  /** Delivers a notice again, or for the first time when it was lost; answers the merchant's status. */
  resend(index: number, fault?: NoticeFault): Promise<number | null>;
  /** Null: by the machine. */
  setNow(now: Date | null): void;
  close(): Promise<void>;
}

/** An answer in JSON. */
export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): StandInReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** An answer in plain text. */
export const plain = (status: number, body: string): StandInReply => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body,
});

/** An answer for what the gateway does not have. */
export const UNKNOWN: StandInReply = json(404, { error: "not_found" });

/** The pairs of a form body, in order, decoded. */
export const pairsOf = (body: string): [name: string, value: string][] => [...new URLSearchParams(`&${body}`)];

/** A random id of the gateway's own. */
export const newGatewayId = (prefix = "", bytes = 8): string => `${prefix}${randomBytes(bytes).toString("hex")}`;

/** Whole cents as decimal text of two places. */
export const randText = (amount: number): string =>
  Number.isInteger(amount)
    ? `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, "0")}`
    : (amount / 100).toFixed(3);

/**
 * Opens a stand-in on a port of its own, or on the one given; `host` is the address that it listens on. It is called by
 * this machine's in any case.
 */
export async function openStandIn(protocol: StandInProtocol, port = 0, host = "127.0.0.1"): Promise<StandIn> {
  const faults = createFaults();
  const requests: StandInRequest[] = [];
  const pages = new Map<string, PayerPage>();
  // Longer than callers keep a connection: none is closed at the moment at which it is used again.
  const server = createServer({ keepAliveTimeout: 72_000 });
  server.listen(port, host);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let set: Date | null = null;
  // What happens later has a later time, also while the clock stands.
  let last = 0;
  const post = poster(protocol, faults);
  const payerUrl = (page: PayerPage): string => {
    const id = newGatewayId();
    pages.set(id, page);
    return `${url}${CONTROL}/pages/${id}`;
  };
  const gateway = protocol.open({
    url,
    send: post.send,
    payerUrl,
    payerPage: (page) => pageReply(page, payerUrl(page)),
    now: () => {
      last = Math.max((set ?? new Date()).getTime(), last + 1);
      return new Date(last);
    },
  });
  const { type, credentials, wrongCredentials, signs = true, refundCall = "POST", beforeRefund = null } = protocol;
  const standIn: StandIn = {
    ...{ type, url, credentials, wrongCredentials, signs, refundCall, beforeRefund, requests, acts: gateway.acts },
    payments: () => gateway.payments(),
    ...{ notices: post.notices, deliveries: post.deliveries, release: post.release, resend: post.resend },
    failAnswers: (fault) => void faults.answers.push({ ...fault }),
    failNotices: (fault) => void faults.notices.push({ ...fault }),
    mend: () => {
      faults.answers.length = 0;
      faults.notices.length = 0;
    },
    setNow: (now) => {
      set = now;
      last = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.on("request", async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      const request = await received(incoming, url);
      if (request.path.startsWith(`${CONTROL}/pages/`)) return await reply(outgoing, await payerAnswer(pages, request));
      if (request.path.startsWith(CONTROL)) return await reply(outgoing, await controlled(standIn, request));
      requests.push(request);
      await spoil(faults, request, () => gateway.answer(request), outgoing);
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "text/plain" });
      outgoing.end(`The stand-in failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
  });
  return standIn;
}

async function received(incoming: IncomingMessage, origin: string): Promise<StandInRequest> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", origin);
  const rawBody = await buffer(incoming);
  return {
    method: incoming.method ?? "",
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
    ),
    rawBody,
    text: rawBody.toString(),
  };
}

async function reply(outgoing: ServerResponse, { status, headers = {}, body = "" }: StandInReply): Promise<void> {
  outgoing.writeHead(status, headers).end(body);
}

/** Sends notices and keeps them. */
function poster({ sender }: StandInProtocol, faults: Faults) {
  const notices: Notice[] = [];
  const deliveries: Delivery[] = [];
  const late: Notice[] = [];
  const deliver = async (notice: Notice, fault: NoticeFault | null): Promise<number | null> => {
    const { headers, body } = notice.compose(fault?.kind === "other amount" ? { amount: fault.amount ?? 1 } : {});
    const sent = fault?.kind === "forged" ? forged(body) : fault?.kind === "half" ? halfOf(body) : body;
    const status = await fetch(notice.url, {
      method: "POST",
      headers: { ...headers, ...(sender ? { "x-forwarded-for": sender } : {}) },
      body: sent,
      redirect: "manual",
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => null,
    );
    deliveries.push({ about: notice.about, at: new Date().toISOString(), status });
    return status;
  };
  return {
    notices,
    deliveries,
    async send(notice: Notice) {
      notices.push(notice);
      const fault = faults.nextNotice();
      if (fault?.kind === "lost") return;
      if (fault?.kind === "late") return void late.push(notice);
      await deliver(notice, fault);
      if (fault?.kind === "twice") await deliver(notice, null);
    },
    async release() {
      for (const notice of late.splice(0)) await deliver(notice, null);
    },
    async resend(index: number, fault?: NoticeFault) {
      const notice = notices[index];
      if (!notice) throw new Error(`no notice ${index}; there are ${notices.length}`);
      return deliver(notice, fault ?? null);
    },
  };
}

/** The message with one of its characters changed, under the signature of the original. */
function forged(body: string): string {
  const at = body.search(/\d/);
  return at < 0 ? `${body} ` : `${body.slice(0, at)}${(Number(body[at]) + 1) % 10}${body.slice(at + 1)}`;
}

const halfOf = (body: string): string => body.slice(0, Math.trunc(body.length / 2));

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function pageReply(page: PayerPage, action: string): StandInReply {
  const fields = Object.entries(page.fields ?? {}).map(
    ([name, value]) =>
      `<p><label>${escaped(name)} <input name="${escaped(name)}" value="${escaped(value)}"></label></p>`,
  );
  const buttons = Object.entries(page.outcomes).map(
    ([outcome, words]) => `<button name="outcome" value="${escaped(outcome)}">${escaped(words)}</button>`,
  );
  const body = `<!doctype html><html lang="en"><title>${escaped(page.title)}</title><h1>${escaped(page.title)}</h1>
${page.lines.map((line) => `<p>${escaped(line)}</p>`).join("\n")}
<form method="post" action="${action}">${fields.join("\n")}${buttons.join(" ")}</form></html>`;
  return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

/** Shows a payer's page, or does what they chose on it. */
async function payerAnswer(pages: Map<string, PayerPage>, request: StandInRequest): Promise<StandInReply> {
  const page = pages.get(request.path.split("/").at(-1) ?? "");
  if (!page) return UNKNOWN;
  if (request.method !== "POST") return pageReply(page, request.path);
  const { outcome = "", ...fields } = Object.fromEntries(pairsOf(request.text));
  if (!Object.hasOwn(page.outcomes, outcome)) return plain(400, `outcome: ${Object.keys(page.outcomes).join(", ")}`);
  return { status: 303, headers: { location: await page.decide(outcome, fields) } };
}
