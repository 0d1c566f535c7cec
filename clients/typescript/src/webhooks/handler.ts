import { WebhookRefused } from "../errors.ts";
import type { EventData } from "../generated/types.ts";
import type { List } from "../lists.ts";
import { type EventStore, memoryStore } from "./store.ts";
import { type HeadersLike, type VerifyOptions, verify, type WebhookEvent } from "./verify.ts";

/** Your functions, by the types of events; `"*"` gets those that have none of their own. */
export type Reactions<Tx> = {
  readonly [Type in keyof EventData]?: (event: WebhookEvent<Type>, tx: Tx) => Promise<void> | void;
} & { readonly "*"?: (event: WebhookEvent, tx: Tx) => Promise<void> | void };

/** What a handler works with. */
export interface HandlerOptions<Tx> extends VerifyOptions {
  /** The endpoint's `whsec_…`. */
  readonly secret: string | readonly string[];
  readonly on: Reactions<Tx>;
  /** Default: in memory. */
  readonly store?: EventStore<Tx>;
  /** Told what a function of yours, the store or the service threw; the delivery is answered with 500 and comes again. */
  readonly onError?: (error: unknown) => void;
}

/** What is answered to a delivery. */
export interface HandlerAnswer {
  readonly status: 204 | 400 | 500;
  readonly message: string;
}

/** Receives deliveries. */
export interface WebhookHandler {
  /** Works on a delivery and says what to answer; it does not throw. */
  receive(payload: string | Uint8Array | ArrayBuffer, headers: HeadersLike): Promise<HandlerAnswer>;
  /** The same, for frameworks with the requests of the web: Next, Hono, Deno, Bun, workers. */
  fetch(request: Request): Promise<Response>;
  /**
   * Works on all events since a time that it has not had: after an outage that outlasted the retries. Answers how many
   * events it read; throws what a function of yours throws.
   */
  catchUp(since: string): Promise<number>;
}

/** Reads events of the service, newest first. */
export type EventReader = (query: { subject?: string; createdFrom?: string }) => List<unknown>;

/**
 * A handler that gives your functions each event once, and those of one subject in the order of `sequence`, however
 * deliveries come: twice, late, in the wrong order, or not at all. What is missing before an event is read from
 * `GET /events`. Once means: as far as store and effect are one transaction.
 */
export function createHandler<Tx = void>(events: EventReader, options: HandlerOptions<Tx>): WebhookHandler {
  const store = options.store ?? (memoryStore() as EventStore<unknown> as EventStore<Tx>);
  const act = async (event: WebhookEvent, tx: Tx) => {
    const own = options.on[event.type] as ((event: WebhookEvent, tx: Tx) => Promise<void> | void) | undefined;
    await (own ?? options.on["*"])?.(event, tx);
  };
  const work = (event: WebhookEvent) => take(event, events, store, act);
  const receive: WebhookHandler["receive"] = async (payload, headers) => {
    try {
      await work(await verify(payload, headers, options.secret, options));
      return { status: 204, message: "" };
    } catch (error) {
      if (error instanceof WebhookRefused) return { status: 400, message: error.message };
      options.onError?.(error);
      return { status: 500, message: "The event was not worked on." };
    }
  };
  return {
    receive,
    fetch: async (request) => {
      const { status, message } = await receive(await request.arrayBuffer(), request.headers);
      return new Response(status === 204 ? null : message, { status });
    },
    catchUp: async (since) => {
      const missed: WebhookEvent[] = [];
      for await (const event of events({ createdFrom: since })) missed.push(event as WebhookEvent);
      for (const event of missed.toSorted((a, b) => a.sequence - b.sequence)) await work(event);
      return missed.length;
    },
  };
}

const placeOf = ({ organisation, subject }: WebhookEvent): string => `${organisation.id}/${subject}`;

/** Works on an event once everything before it has been worked on. */
async function take<Tx>(
  event: WebhookEvent,
  events: EventReader,
  store: EventStore<Tx>,
  act: (event: WebhookEvent, tx: Tx) => Promise<void>,
): Promise<void> {
  let missing = false;
  await store.transact(placeOf(event), async (sequence, tx) => {
    missing = event.sequence > sequence + 1;
    if (missing || event.sequence <= sequence) return sequence;
    await act(event, tx);
    return event.sequence;
  });
  if (!missing) return;
  for (const one of await upTo(event, events))
    await store.transact(placeOf(event), async (sequence, tx) => {
      if (one.sequence <= sequence) return sequence;
      await act(one, tx);
      return one.sequence;
    });
}

/** The events of the same subject up to this one, in order. Those that are no longer kept are not among them. */
async function upTo(event: WebhookEvent, events: EventReader): Promise<WebhookEvent[]> {
  const found: WebhookEvent[] = [];
  for await (const one of events({ subject: event.subject }))
    if ((one as WebhookEvent).sequence < event.sequence) found.push(one as WebhookEvent);
  return [...found.reverse(), event];
}
