import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "./child.ts";

/* A merchant's receiver of webhooks: one that answers every delivery at once, and one that accepts connections and never answers. */

export type ReceiverRequest =
  /** Answers the URLs of both. */
  | { readonly kind: "open" }
  /** Forgets what was received. */
  | { readonly kind: "reset" }
  /** Answers when the live one has received `events` different events, or after `seconds`. */
  | { readonly kind: "await"; readonly events: number; readonly seconds: number };

export interface Received {
  readonly live: string;
  readonly dead: string;
  readonly events: number;
  /** From the first delivery to the last. */
  readonly seconds: number;
  /** Requests that the dead one received. */
  readonly deadRequests: number;
}

const events = new Set<string>();
let firstAt = 0;
let lastAt = 0;
let deadRequests = 0;

const live = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(204).end();
    lastAt = performance.now();
    if (events.size === 0) firstAt = lastAt;
    events.add(String(request.headers["service-event-id"]));
  });
});
const dead = createServer((request) => {
  deadRequests++;
  request.resume();
});

const urlOf = (server: typeof live): Promise<string> =>
  new Promise((resolve) => {
    const told = () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    if (server.listening) told();
    else server.listen(0, "127.0.0.1", told);
  });

serveParent(async (request: ReceiverRequest): Promise<Received> => {
  if (request.kind === "reset") {
    events.clear();
    deadRequests = 0;
  }
  if (request.kind === "await") {
    const until = performance.now() + request.seconds * 1000;
    while (events.size < request.events && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (lastAt - firstAt) / 1000;
  return { live: await urlOf(live), dead: await urlOf(dead), events: events.size, seconds, deadRequests };
});
