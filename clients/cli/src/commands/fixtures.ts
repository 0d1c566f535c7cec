import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event, Tefo } from "../../../typescript/src/index.ts";
import { Misuse } from "../arguments.ts";
import { type Command, type Context, clientOf, word } from "../context.ts";
import { type Step, takeSteps } from "../steps.ts";
import { movesClock, NOT_BY_KEY, TRIGGERS } from "../triggers.ts";

/** How long an event may take that the service's worker makes. */
const WORKER_MS = 30_000;
const POLL_MS = 200;

const stepLine = (step: Step, answer: unknown): string => {
  const { id, reference, now, url } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const asked = `${step.method ?? "POST"} ${step.path}`;
  const [what] = [
    step.pay && `pay ${step.pay}`,
    step.visit && "visit",
    step.forward && `forward ${step.forward}`,
    asked,
  ].filter((one) => one !== undefined);
  return `${what}  → ${String(step.refused ? "refused" : (id ?? reference ?? now ?? url ?? "done"))}`;
};

export const fixturesRun: Command = {
  name: "fixtures run",
  usage: "FILE",
  about: "Takes the steps of a file of JSON, which name answers of steps before them: ${customer.id}.",
  async run(context) {
    const path = word(context, 2, "the file");
    const content = JSON.parse(readFileSync(path, "utf8")) as { steps?: Step[] } | Step[];
    const steps = Array.isArray(content) ? content : content.steps;
    if (!steps)
      throw new Misuse(`${path} has no steps: {"steps": [{"id": "customer", "path": "/customers", "body": {…}}]}`);
    const answers = await takeSteps(clientOf(context), steps, (step, answer) => context.say(stepLine(step, answer)));
    context.print(JSON.stringify(answers, null, 2));
  },
};

export const trigger: Command = {
  name: "trigger",
  usage: "EVENT [--move-clock]",
  about: "Makes an event really happen, in a sandbox. Without an event it lists all.",
  async run(context) {
    const type = context.typed.words[1];
    if (type === undefined) {
      for (const one of Object.keys(TRIGGERS)) context.print(movesClock(one) ? `${one}  (moves the clock)` : one);
      for (const [one, why] of Object.entries(NOT_BY_KEY)) context.say(`${one} is not among them: ${why}.`);
      return;
    }
    const steps = stepsTo(type);
    const tefo = clientOf(context);
    const { organisation } = await tefo.me.get();
    if (!organisation.sandbox) throw new Error(`${organisation.name} is no sandbox: its money is real`);
    if (movesClock(type) && !context.typed.has("move-clock"))
      throw new Misuse(
        `${type} needs time, and a clock that was moved does not go back: add --move-clock to move that of ` +
          `${organisation.name}. After "tefo clock snapshot", "tefo clock rewind" puts everything back`,
      );
    const before = await newest(tefo, type);
    await takeSteps(tefo, steps, (step, answer) => context.say(stepLine(step, answer)));
    const event = await next(context, tefo, type, before);
    context.print(`${event.type}  ${event.subject} ${event.sequence}  ${event.id}`);
  },
};

/** Throws Misuse for what is no event, or none that a key can cause. */
function stepsTo(type: string): readonly Step[] {
  const steps = TRIGGERS[type];
  if (steps) return steps;
  const why = NOT_BY_KEY[type];
  throw new Misuse(
    why === undefined ? `${type} is no event: tefo trigger lists them` : `${type} cannot be triggered: ${why}`,
  );
}

const newest = async (tefo: Tefo, type: string): Promise<Event | undefined> =>
  (await tefo.events.list({ type, limit: 1 })).data[0];

/** The event of a type that comes after another one. */
async function next(context: Context, tefo: Tefo, type: string, before: Event | undefined): Promise<Event> {
  const until = Date.now() + WORKER_MS;
  for (;;) {
    const found = await newest(tefo, type);
    if (found && found.id !== before?.id) return found;
    if (Date.now() > until) throw new Error(`the steps were taken, but ${type} did not come: is a worker running?`);
    await sleep(POLL_MS, undefined, { signal: context.signal });
  }
}
