import { setTimeout as sleep } from "node:timers/promises";
import type { Event, List, Request } from "../../../typescript/src/index.ts";
import { type Command, type Context, clientOf, word } from "../context.ts";
import { placeNow, readSince } from "../follow.ts";

const POLL_MS = 2_000;
const LIST_LIMIT = "20";

const eventLine = ({ created, type, subject, sequence, id }: Event): string =>
  `${created}  ${type}  ${subject} ${sequence}  ${id}`;

const requestLine = ({ at, method, path, status, error, durationMs, id }: Request): string =>
  `${at}  ${status}  ${method} ${path}  ${durationMs} ms${error === null ? "" : `  ${error}`}  ${id}`;

/** Prints records as they come, until Ctrl+C. */
async function tail<Item extends { readonly id: string }>(
  context: Context,
  read: (query: { limit: number; endingBefore?: string }) => List<Item>,
  line: (item: Item) => string,
  isWanted: (item: Item) => boolean = () => true,
): Promise<void> {
  let place = await placeNow(read);
  context.say("Ready. Ctrl+C ends it.");
  while (!context.signal.aborted) {
    const { found, next } = await readSince(read, place);
    for (const item of found.filter(isWanted))
      context.print(context.typed.has("json") ? JSON.stringify(item) : line(item));
    place = next;
    await sleep(POLL_MS, undefined, { signal: context.signal }).catch(() => {});
  }
}

const filters = ({ typed }: Context) => ({
  type: typed.option("type"),
  subject: typed.option("subject"),
  createdFrom: typed.option("since"),
});

export const eventsList: Command = {
  name: "events list",
  usage: "[--type TYPE] [--subject ID] [--since TIME] [--limit N] [--json]",
  about: "Lists events, newest first.",
  async run(context) {
    let left = Number(context.typed.option("limit") ?? LIST_LIMIT);
    const limit = Math.min(left, 100);
    for await (const event of clientOf(context).events.list({ ...filters(context), limit })) {
      if (left-- <= 0) break;
      context.print(context.typed.has("json") ? JSON.stringify(event) : eventLine(event));
    }
  },
};

export const eventsTail: Command = {
  name: "events tail",
  usage: "[--type TYPE] [--subject ID] [--json]",
  about: "Prints events as they come.",
  async run(context) {
    const tefo = clientOf(context);
    await tail(context, (query) => tefo.events.list({ ...filters(context), ...query }), eventLine);
  },
};

export const eventsResend: Command = {
  name: "events resend",
  usage: "EVENT [--endpoint ID]",
  about: "Sends an event again to your webhook endpoints, or to one of them.",
  async run(context) {
    const id = word(context, 2, "the event's id");
    const tefo = clientOf(context);
    const one = context.typed.option("endpoint");
    const endpoints =
      one === undefined ? (await tefo.webhookEndpoints.list({ limit: 100 })).data : [{ id: one, url: one }];
    const enabled = endpoints.filter((endpoint) => !("enabled" in endpoint) || endpoint.enabled);
    if (enabled.length === 0) context.say("There is no webhook endpoint that is switched on.");
    for (const endpoint of enabled) {
      const path = `/events/${encodeURIComponent(id)}/send`;
      const delivery = await tefo.request<{ id: string; status: string }>("POST", path, {
        body: { endpointId: endpoint.id },
      });
      context.print(`${delivery.id}  ${delivery.status}  → ${endpoint.url}`);
    }
  },
};

export const logsTail: Command = {
  name: "logs tail",
  usage: "[--json]",
  about: "Prints requests to the API as they come, without its own.",
  async run(context) {
    const tefo = clientOf(context);
    await tail(
      context,
      (query) => tefo.requestLog.listRequests(query),
      requestLine,
      ({ path }) => !path.endsWith("/request-log"),
    );
  },
};
