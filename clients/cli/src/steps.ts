import type { Tefo } from "../../typescript/src/index.ts";
import { Misuse } from "./arguments.ts";

/** A request, or a payment of a link as its payer makes it, at the sandbox gateway. */
export interface Step {
  /** What later steps call its answer: `${id.field}`. */
  readonly id?: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  /** The id of a payment link, which is paid. Its answer is the transaction. */
  readonly pay?: string;
  /** How the payment ends. Default: `complete`. */
  readonly outcome?: string;
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
    const step = filled(given, answers) as Step;
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
  const { method = "POST", path, body } = step;
  if (path === undefined) throw new Misuse("a step has a path, or pay");
  return tefo.request(method.toUpperCase(), path, { keyed: true, ...(body === undefined ? {} : { body }) });
}

/** Puts answers in the place of `${step.field}`; a value that is nothing else keeps its type. */
function filled(value: unknown, answers: Answers): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, answers));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, answers)]));
  if (typeof value !== "string") return value;
  const whole = /^\$\{([\w.-]+)\}$/.exec(value)?.[1];
  if (whole !== undefined) return found(whole, answers);
  return value.replaceAll(/\$\{([\w.-]+)\}/g, (_all, path: string) => String(found(path, answers)));
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
  const link = await tefo.paymentLinks.get(id);
  const accounts = (await tefo.gateways.list({ limit: 100 })).data;
  const sandbox = accounts.find((account) => account.type === "sandbox");
  if (!sandbox) throw new Error("the organisation has no sandbox gateway: add one in the dashboard, under Gateways");
  const page = await (await fetch(link.url)).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1];
  if (formToken === undefined) throw new Error(`the link cannot be paid: ${link.url}`);
  const body = new URLSearchParams({ gateway: sandbox.id, formToken });
  const posted = await fetch(link.url, { method: "POST", redirect: "manual", body });
  if (posted.status !== 303) throw new Error(`the payment was not begun (${posted.status}): ${link.url}`);
  const [payment] = (await tefo.paymentLinks.get(id)).payments;
  if (!payment) throw new Error("the payment was not begun");
  const { reference } = payment;
  await tefo.request("POST", "/sandbox/notify", { body: { reference, status: outcome } });
  return tefo.transactions.get(reference);
}
