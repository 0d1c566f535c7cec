import type { Tefo } from "../../typescript/src/index.ts";
import { later, sandboxOf } from "../../typescript/src/testing.ts";
import { Misuse } from "./arguments.ts";
import { type Filled, visit } from "./pages.ts";

/** A request, or what a payer, or time, does: one of `path`, `pay`, `visit` and `forward`. */
export interface Step {
  /** What later steps call its answer: `${id.field}`. */
  readonly id?: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  /** Fields of an upload; a file is `{"name": "slip.pdf", "data": "…"}`. */
  readonly form?: Readonly<Record<string, unknown>>;
  /** Whether the service refuses the request; its answer is the refusal. */
  readonly refused?: boolean;
  /** The id of a payment link, which is paid at the sandbox gateway. Its answer is the transaction. */
  readonly pay?: string;
  /** How the payment ends. Default: `complete`. */
  readonly outcome?: string;
  /** The address of a hosted page, whose form is sent, and those of the pages that it leads to. */
  readonly visit?: string;
  /** What the visitor fills in, form by form. */
  readonly forms?: readonly Filled[];
  /** How far the clock is moved: `30d`. */
  readonly forward?: string;
}

/** Answers by the ids of their steps. */
export type Answers = Readonly<Record<string, unknown>>;

/** Takes steps one after the other. `told` hears each answer. Throws what the service refuses, with the step's place. */
export async function takeSteps(
  tefo: Tefo,
  steps: readonly Step[],
  told: (step: Step, answer: unknown) => void,
): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  for (const [at, given] of steps.entries()) {
    const step = (await filled(given, answers, () => sandboxOf(tefo).now())) as Step;
    const answer = await takeStep(tefo, step).catch((error: unknown) => {
      throw new Error(`step ${at + 1}${step.id === undefined ? "" : ` (${step.id})`}: ${messageOf(error)}`, {
        cause: error,
      });
    });
    if (step.id !== undefined) answers[step.id] = answer;
    told(step, answer);
  }
  return answers;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function takeStep(tefo: Tefo, step: Step): Promise<unknown> {
  if (step.pay !== undefined) return payLink(tefo, step.pay, step.outcome ?? "complete");
  if (step.visit !== undefined) return { url: await visit(tefo, step.visit, step.forms ?? [{}]) };
  if (step.forward !== undefined) return sandboxOf(tefo).forward(step.forward);
  const { method = "POST", path, body, form } = step;
  if (path === undefined) throw new Misuse("a step has a path, or pay, visit or forward");
  const sent = form === undefined ? (body === undefined ? {} : { body }) : { form };
  const asked = tefo.request(method.toUpperCase(), path, { keyed: true, ...sent });
  if (step.refused !== true) return asked;
  const refusal = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal === null) throw new Error("the service did not refuse it");
  return { message: messageOf(refusal) };
}

/** Puts answers in the place of `${step.field}`; a value that is nothing else keeps its type. */
async function filled(value: unknown, answers: Answers, now: () => Promise<string>): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => filled(one, answers, now)));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(async ([key, one]) => [key, await filled(one, answers, now)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }
  if (typeof value !== "string") return value;
  const named = (path: string) => dated(path, now) ?? found(path, answers);
  const whole = /^\$\{([\w.+-]+)\}$/.exec(value)?.[1];
  if (whole !== undefined) return named(whole);
  let text = value;
  for (const [all, path = ""] of value.matchAll(/\$\{([\w.+-]+)\}/g))
    text = text.replace(all, String(await named(path)));
  return text;
}

/** `today+7d`, by the organisation's clock, as 2027-03-08, and `expiry+2mo` as a card has it, 05/27; null for another path. */
function dated(path: string, now: () => Promise<string>): Promise<string> | null {
  const [, form, by] = /^(today|expiry)(?:\+(\w+))?$/.exec(path) ?? [];
  if (form === undefined) return null;
  return now().then((time) => {
    // South African time, which has no other hours in summer.
    const local = later(time, "2h");
    const [year = "", month = "", day = ""] = (by === undefined ? local : later(local, by)).slice(0, 10).split("-");
    return form === "today" ? `${year}-${month}-${day}` : `${month}/${year.slice(2)}`;
  });
}

function found(path: string, answers: Answers): unknown {
  const value = path
    .split(".")
    .reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? (at as Answers)[key] : undefined), answers);
  if (value === undefined) throw new Misuse(`\${${path}}: no step before has it`);
  return value;
}

/** Opens the link as its payer does, goes to the sandbox gateway, and has the gateway report how it ends. */
async function payLink(tefo: Tefo, id: string, outcome: string): Promise<unknown> {
  await visit(tefo, (await tefo.paymentLinks.get(id)).url, [{}]);
  const [payment] = (await tefo.paymentLinks.get(id)).payments;
  if (!payment) throw new Error("the payment was not begun");
  const { reference } = payment;
  await tefo.request("POST", "/sandbox/notify", { body: { reference, status: outcome } });
  return tefo.transactions.get(reference);
}
