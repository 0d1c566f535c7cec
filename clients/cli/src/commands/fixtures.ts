import { readFileSync } from "node:fs";
import { Misuse } from "../arguments.ts";
import { type Command, clientOf, word } from "../context.ts";
import { type Step, takeSteps } from "../steps.ts";
import { TRIGGERS } from "../triggers.ts";

const stepLine = (step: Step, answer: unknown): string => {
  const { id, reference } = (answer ?? {}) as { id?: unknown; reference?: unknown };
  const what = step.pay === undefined ? `${step.method ?? "POST"} ${step.path}` : `pay ${step.pay}`;
  return `${what}  → ${String(id ?? reference ?? "done")}`;
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
  usage: "EVENT",
  about: "Makes an event really happen, in a sandbox. Without an event it lists those that it can.",
  async run(context) {
    const type = context.typed.words[1];
    if (type === undefined) {
      for (const one of Object.keys(TRIGGERS)) context.print(one);
      return;
    }
    const steps = TRIGGERS[type];
    if (!steps) throw new Misuse(`${type} cannot be triggered; those that can: ${Object.keys(TRIGGERS).join(", ")}`);
    const tefo = clientOf(context);
    const { organisation } = await tefo.me.get();
    if (!organisation.sandbox) throw new Error(`${organisation.name} is no sandbox: its money is real`);
    await takeSteps(tefo, steps, (step, answer) => context.say(stepLine(step, answer)));
    const [event] = (await tefo.events.list({ type, limit: 1 })).data;
    context.print(
      event ? `${event.type}  ${event.subject} ${event.sequence}  ${event.id}` : `${type} comes with the worker`,
    );
  },
};
