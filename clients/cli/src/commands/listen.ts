import { setTimeout as sleep } from "node:timers/promises";
import { type Event, Tefo, TefoError } from "../../../typescript/src/index.ts";
import { newWebhookSecret, signedWebhook } from "../../../typescript/src/testing.ts";
import { Misuse } from "../arguments.ts";
import { type Command, type Context, clientOf, memoryOf, profileOf } from "../context.ts";
import { type Place, placeNow, readSince } from "../follow.ts";
import { readPrivate, writePrivate } from "../profiles.ts";

const POLL_MS = 2_000;
const ANSWER_MS = 10_000;
/** Waits after an answer other than 2xx; then the event is given up. */
const RETRY_MS = [10_000, 60_000, 300_000];
/** The wait when nobody listens at the address, which ends only when somebody does. */
const ABSENT_MS = 2_000;

/** An event that has to be sent again. */
interface Waiting {
  readonly id: string;
  readonly failures: number;
  readonly due: number;
}

/** What is kept between runs. */
interface Memory {
  readonly secret: string;
  readonly place: Place;
  readonly waiting: readonly Waiting[];
}

type Outcome = "delivered" | "refused" | "absent";

export const listen: Command = {
  name: "listen",
  usage: "--forward-to URL [--events TYPE,TYPE]",
  about: "Forwards each event to an address of yours, signed as in production.",
  async run(context) {
    const target = context.typed.option("forward-to");
    if (target === undefined || !URL.canParse(target))
      throw new Misuse("say where to: --forward-to http://localhost:3000/tefo");
    const { name } = profileOf(context);
    const path = memoryOf(context, `listen-${name}-${Buffer.from(target).toString("base64url").slice(0, 80)}`);
    const tefo = clientOf(context);
    const stored = readPrivate<Memory>(path);
    const memory = stored ?? { secret: newWebhookSecret(), place: await placeNow(events(tefo)), waiting: [] };
    if (!stored) writePrivate(path, memory);
    context.say(`The secret of deliveries: ${memory.secret}`);
    context.say(stored ? "Goes on where it ended." : "Begins now.");
    context.say(`Ready: events are forwarded to ${target}`);
    const types = context.typed.option("events")?.split(",") ?? [];
    await new Forwarding(context, tefo, target, types, memory, (next) => writePrivate(path, next)).run();
  },
};

const events = (tefo: Tefo) => (query: { limit: number; endingBefore?: string }) => tefo.events.list(query);

/** One run of the command. Memory is kept after each delivery, so that an event is sent twice rather than not at all. */
class Forwarding {
  readonly #context: Context;
  readonly #tefo: Tefo;
  readonly #target: string;
  readonly #types: readonly string[];
  readonly #keep: (memory: Memory) => void;
  #memory: Memory;
  #isAway = false;
  #absentUntil = 0;

  constructor(
    context: Context,
    tefo: Tefo,
    target: string,
    types: readonly string[],
    memory: Memory,
    keep: (memory: Memory) => void,
  ) {
    this.#context = context;
    this.#tefo = tefo;
    this.#target = target;
    this.#types = types;
    this.#memory = memory;
    this.#keep = keep;
  }

  async run(): Promise<void> {
    const { signal } = this.#context;
    while (!signal.aborted) {
      try {
        await this.#takeNew();
        this.#sayAway(null);
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#sayAway(error as TefoError);
      }
      await this.#sendWaiting();
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** New events wait like those that have failed, so that they are kept before anything is sent. */
  async #takeNew(): Promise<void> {
    const { found, next } = await readSince(events(this.#tefo), this.#memory.place);
    if (found.length === 0 && next.anchor === this.#memory.place.anchor) return;
    const wanted = found.filter(({ type }) => this.#types.length === 0 || this.#types.includes(type));
    const waiting = [...this.#memory.waiting, ...wanted.map(({ id }) => ({ id, failures: 0, due: 0 }))];
    this.#save({ place: next, waiting });
  }

  async #sendWaiting(): Promise<void> {
    if (Date.now() < this.#absentUntil) return;
    for (const one of this.#memory.waiting.filter(({ due }) => due <= Date.now())) {
      if (this.#context.signal.aborted) return;
      const outcome = await this.#send(one);
      if (outcome === null) return;
      const others = this.#memory.waiting.filter(({ id }) => id !== one.id);
      const wait = RETRY_MS[one.failures];
      if (outcome === "absent") {
        // Whoever listens at the address gets the events in their order once they are back.
        this.#absentUntil = Date.now() + ABSENT_MS;
        return;
      }
      if (outcome === "refused" && wait !== undefined)
        this.#save({ waiting: [...others, { id: one.id, failures: one.failures + 1, due: Date.now() + wait }] });
      else this.#save({ waiting: others });
      if (outcome === "refused" && wait === undefined) this.#context.say(`Given up: ${one.id}.`);
    }
  }

  /** Null: the service cannot be asked for the event now. */
  async #send({ id }: Waiting): Promise<Outcome | null> {
    let event: Event;
    try {
      event = await this.#tefo.events.get(id);
    } catch (error) {
      if (error instanceof TefoError && error.status === 404) return "delivered";
      if (isPassing(error)) return null;
      throw error;
    }
    return forward(this.#context, event, this.#target, this.#memory.secret);
  }

  #save(changed: Partial<Memory>): void {
    this.#memory = { ...this.#memory, ...changed };
    this.#keep(this.#memory);
  }

  #sayAway(error: TefoError | null): void {
    if (this.#isAway === (error !== null)) return;
    this.#isAway = error !== null;
    this.#context.say(
      error ? `The service does not answer (${error.message}); waiting for it.` : "The service is back.",
    );
  }
}

/** Whether waiting helps: the service is away, or has too much to do. */
const isPassing = (error: unknown): boolean =>
  error instanceof TefoError && (error.status === null || error.status === 429 || error.status >= 500);

/** Sends an event to an address, signed, and prints the answer. */
async function forward(context: Context, event: Event, target: string, secret: string): Promise<Outcome> {
  const started = Date.now();
  const told = (answer: string) =>
    context.print(
      `${event.created}  ${event.type}  ${event.subject} ${event.sequence}  ${event.id}  → ${answer} (${Date.now() - started} ms)`,
    );
  try {
    const { body, headers: signed } = await signedWebhook(event, secret);
    const headers = { ...signed, "User-Agent": `Tefo/${Tefo.version} (tefo listen)` };
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(ANSWER_MS)]);
    const response = await fetch(target, { method: "POST", headers, body, redirect: "manual", signal });
    const text = (await response.text()).slice(0, 200).trim();
    told(`${response.status}${response.ok || text === "" ? "" : ` ${text}`}`);
    return response.ok ? "delivered" : "refused";
  } catch (error) {
    if (context.signal.aborted) return "absent";
    told(error instanceof Error && error.name === "TimeoutError" ? "no answer within 10 s" : "nobody listens there");
    return error instanceof Error && error.name === "TimeoutError" ? "refused" : "absent";
  }
}
