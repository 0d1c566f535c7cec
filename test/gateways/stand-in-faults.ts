import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { StandInReply, StandInRequest } from "./stand-in.ts";

/** How an answer goes wrong. */
export interface AnswerFault {
  /** The beginning of method and path, such as `POST /refunds`; every request without one. */
  readonly on?: string;
  /**
   * `error`: HTTP 500, or `status`; `silence`: the connection is closed without an answer; `late`: after `delayMs`;
   * `half`: the connection is closed within the answer; `html`: a page in place of the answer; `redirect`: to another
   * host; `huge`: 10 MB; `garbled`: another shape.
   */
  readonly kind: "error" | "silence" | "late" | "half" | "html" | "redirect" | "huge" | "garbled";
  /** The request has taken effect before its answer goes wrong. */
  readonly done?: boolean;
  readonly status?: number;
  readonly delayMs?: number;
  /** How many answers; 1 when left out. */
  readonly times?: number;
}

/** How a notice goes wrong. */
export interface NoticeFault {
  /** `late`: it waits until it is released; `forged`: changed under its signature; `other amount`: genuine, of another amount. */
  readonly kind: "lost" | "late" | "twice" | "forged" | "half" | "other amount";
  /** Of `other amount`, in cents, with a fraction too; 1 when left out. */
  readonly amount?: number;
  /** How many notices; 1 when left out. */
  readonly times?: number;
}

/** Instructions that are not used up. */
export interface Faults {
  readonly answers: AnswerFault[];
  readonly notices: NoticeFault[];
  nextNotice(): NoticeFault | null;
  nextAnswer(request: StandInRequest): AnswerFault | null;
}

/** No faults yet. */
export function createFaults(): Faults {
  const answers: AnswerFault[] = [];
  const notices: NoticeFault[] = [];
  return {
    answers,
    notices,
    nextNotice: () => take(notices, () => true),
    nextAnswer: ({ method, path }) => take(answers, ({ on = "" }) => `${method} ${path}`.startsWith(on)),
  };
}

/** The first that fits, with one use less. */
function take<Fault extends { readonly times?: number }>(
  faults: Fault[],
  fits: (fault: Fault) => boolean,
): Fault | null {
  const at = faults.findIndex(fits);
  const fault = faults[at];
  if (!fault) return null;
  const { times = 1 } = fault;
  if (times > 1) faults[at] = { ...fault, times: times - 1 };
  else faults.splice(at, 1);
  return fault;
}

const HUGE = 10 * 1024 * 1024;

/** Answers a request, as the instructions say. */
export async function spoil(
  faults: Faults,
  request: StandInRequest,
  answer: () => StandInReply | Promise<StandInReply>,
  outgoing: ServerResponse,
): Promise<void> {
  const fault = faults.nextAnswer(request);
  const write = ({ status, headers = {}, body = "" }: StandInReply) =>
    void outgoing.writeHead(status, headers).end(body);
  if (!fault) return write(await answer());
  const told = fault.done || fault.kind === "late" || fault.kind === "half" ? await answer() : null;
  switch (fault.kind) {
    case "error":
      return write({ status: fault.status ?? 500, headers: { "content-type": "application/json" }, body: "{}" });
    case "silence":
      return void outgoing.destroy();
    case "late":
      await sleep(fault.delayMs ?? 1000);
      return told ? write(told) : undefined;
    case "half": {
      const body = Buffer.from(told?.body ?? "");
      outgoing.writeHead(told?.status ?? 200, { ...told?.headers, "content-length": String(body.length + 1) });
      outgoing.write(body.subarray(0, body.length >> 1), () => outgoing.destroy());
      return;
    }
    case "html":
      return write({
        status: 200,
        headers: { "content-type": "text/html" },
        body: "<!doctype html><h1>Maintenance</h1>",
      });
    case "redirect":
      return write({ status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } });
    case "huge":
      return write({
        status: 200,
        headers: { "content-type": "application/json" },
        body: `{"x":"${"x".repeat(HUGE)}"}`,
      });
    case "garbled":
      return write({ status: 200, headers: { "content-type": "application/json" }, body: '{"unexpected":[null]}' });
  }
}
