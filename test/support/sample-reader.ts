import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { freePort } from "../../src/app/listen.ts";
import { decideAt, pressPay } from "../gateways/payer.ts";
import type { ApiMerchant, TestApi } from "./api.ts";
import { choiceOf, postForm } from "./cards.ts";
import { eventually, type Test } from "./processes.ts";
import { openShell, type Shell } from "./sample-shell.ts";
import { type Act, differences, fileOf, filledIn, markOf, missingLines, type Sample, stepsOf } from "./samples.ts";
import { jpegOf } from "./uploads.ts";

/** Who reads a page: a merchant's developer, with the key and the sign-in that the service printed. */
export interface Reader {
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  readonly env: Readonly<Record<string, string>>;
  /** What this machine cannot run. */
  readonly lacks: readonly string[];
  /** Ports that pages name, and those that stand for them here. */
  readonly ports: ReadonlyMap<string, number>;
  say(words: string): void;
}

/** A page that is being read. */
interface Reading extends Reader {
  readonly t: Test;
  readonly shell: Shell;
  /** Where in what was printed the last command began; null when it was left out. */
  since: number | null;
  /** Where what runs on began. */
  started: number;
  saved: Set<string>;
}

/** Programs of samples that a machine may lack, with what they must be able to do. */
const PROGRAMS = {
  php: [
    "php",
    "-r",
    'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("mbstring") ? 0 : 1);',
  ],
  python3: ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"],
} as const;

/** The programs of samples that this machine lacks. */
export const lackingPrograms = (): string[] =>
  Object.entries(PROGRAMS).flatMap(([name, [program, ...args]]) =>
    spawnSync(program, args).status === 0 ? [] : [name],
  );

/** The ports that pages name, with a free one for each, and the service's for 8080. */
export async function samplePorts(service: number): Promise<Map<string, number>> {
  const ports = new Map([["8080", service]]);
  for (const named of ["3000", "4000", "9101"]) {
    let port = await freePort("127.0.0.1");
    while ([...ports.values()].includes(port)) port = await freePort("127.0.0.1");
    ports.set(named, port);
  }
  return ports;
}

/** Does what a page says, from its first sample to its last. */
export async function readPage(t: Test, reader: Reader, markdown: string): Promise<void> {
  const shell = await openShell(t, reader.env);
  const reading: Reading = { ...reader, t, shell, since: null, started: 0, saved: new Set() };
  const text = markdown.replaceAll(/\b(8080|3000|4000|9101)\b/g, (port) => String(reader.ports.get(port) ?? port));
  const steps = stepsOf(text);
  for (const step of steps) {
    try {
      await (step.kind === "act" ? act(reading, step) : take(reading, step));
    } catch (error) {
      const [first = ""] = step.kind === "act" ? [step.words] : step.text.split("\n");
      throw new Error(`line ${step.line}, ${first}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
  for (const name of reading.saved) {
    const [stem = name] = name.split(".");
    const uses = steps.filter((step) => step.kind === "sample" && fileOf(step) !== name && step.text.includes(stem));
    assert.ok(uses.length > 0 || FUNCTIONS.has(stem), `nothing on the page uses ${name}`);
  }
}

/** Files of functions, which a test of their own calls. */
const FUNCTIONS = new Set(["is_from_tefo", "is-standard-webhook", "is_standard_webhook"]);

async function take(reading: Reading, sample: Sample): Promise<void> {
  if (markOf(sample, "not run,") !== null) return;
  const file = fileOf(sample);
  if (file !== null) {
    writeFileSync(join(reading.shell.folder, file), `${sample.text}\n`);
    reading.saved.add(file);
    return;
  }
  if (sample.language === "sh") return command(reading, sample);
  if (reading.since === null) return;
  if (sample.language === "json") return compareAnswer(reading, sample.text);
  if (sample.language === "") return comparePrinted(reading, sample.text, reading.since);
  throw new Error(`samples of ${sample.language} name their file in their first line, or say why they are not run`);
}

async function command(reading: Reading, sample: Sample): Promise<void> {
  const { shell, lacks, ports } = reading;
  const needed = markOf(sample, "needs") ?? /^(php|python3) /m.exec(sample.text)?.[1];
  const lacking = lacks.find((program) => program === needed);
  reading.since = lacking === undefined ? shell.printed().length : null;
  if (lacking !== undefined) return reading.say(`line ${sample.line} was left out: this machine has no ${lacking}`);
  const text = filledIn(sample.text, shell.printed());
  shell.answers();
  if (markOf(sample, "stays running") !== null) {
    if (!shell.isRunning()) reading.started = shell.printed().length;
    return shell.start(text, ports.get("4000") ?? 0);
  }
  const typed = markOf(sample, "types");
  const { code, printed } = await shell.run(text, typed === null ? "" : await evaluated(shell, typed));
  const refusal = markOf(sample, "answers");
  if (refusal === null) assert.equal(code, 0, printed);
  else assert.match(printed, new RegExp(`^HTTP ${refusal}$`, "m"));
}

/** What the shell makes of words with variables. */
async function evaluated(shell: Shell, words: string): Promise<string> {
  const { code, printed } = await shell.run(`printf %s "${words}"`);
  assert.equal(code, 0, printed);
  return printed;
}

function compareAnswer({ shell }: Reading, shown: string): void {
  const answers = shell.answers();
  assert.ok(answers.length > 0, "no answer precedes it");
  const found = answers.map((body) => differences(JSON.parse(shown), JSON.parse(body)));
  if (!found.some((one) => one.length === 0)) assert.fail(`${found.at(-1)?.join("\n")}\n${answers.at(-1)}`);
}

/** What runs on may print it later. */
async function comparePrinted({ shell, started }: Reading, shown: string, last: number): Promise<void> {
  const since = shell.isRunning() ? Math.min(started, last) : last;
  const missing = () => missingLines(shown, shell.printed().slice(since));
  if (shell.isRunning())
    await eventually(`printed: ${shown}`, async () => missing().length === 0).catch(() => undefined);
  assert.deepEqual(missing(), [], shell.printed().slice(since));
}

/** What readers do in a browser, or have already. */
const ACTS: readonly (readonly [RegExp, (reading: Reading, ...words: string[]) => Promise<void>])[] = [
  [/^pays (\S+|\$\(.+\))(?: with (\d+))?(?: at (\w+))?$/, pay],
  [/^stops what runs$/, ({ shell }) => shell.stop()],
  [/^answers at (\d+)$/, serve],
  [/^has (\S+\.jpg)$/, async ({ shell }, name = "") => writeFileSync(join(shell.folder, name), jpegOf())],
  [/^saves (\S+) of (\S+)$/, copy],
];

async function act(reading: Reading, { words }: Act): Promise<void> {
  for (const [form, does] of ACTS) {
    const found = form.exec(words);
    if (found) return does(reading, ...found.slice(1));
  }
  throw new Error(`"${words}" is nothing that the test knows to do`);
}

/** Pays on a hosted page: at the sandbox gateway, with a card that is saved where one is named, or at a gateway's stand-in. */
async function pay({ api, shop, shell }: Reading, words = "", card = "", type = "sandbox"): Promise<void> {
  const { body } = await shop.get<{ data: { id: string; type: string }[] }>("/gateways");
  const gateway = body.data.find((one) => one.type === type)?.id ?? "";
  const location = await pressPay(api, await evaluated(shell, words), { gateway });
  const back =
    type === "sandbox"
      ? await postForm(api, location, card === "" ? { outcome: "complete" } : choiceOf(card, { expiry: "12/39" }))
      : { headers: await decideAt(api, location, "paid") };
  let url = new URL(String(back.headers.location), api.baseUrl);
  for (let step = 0; step < 5 && url.origin === new URL(api.baseUrl).origin; step++) {
    const answer = await fetch(url, { redirect: "manual" });
    await answer.arrayBuffer();
    if (answer.status !== 303 && answer.status !== 302) break;
    url = new URL(answer.headers.get("location") ?? "", url);
  }
  shell.note(`${url}\n`);
}

/** A receiver that answers 204. */
async function serve({ t, ports }: Reading, named = ""): Promise<void> {
  const port = Number(named);
  assert.ok([...ports.values()].includes(port));
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
}

/** Saves a file that another page shows. */
async function copy({ shell, ports }: Reading, name = "", page = ""): Promise<void> {
  const text = readFileSync(join(import.meta.dirname, "../../docs/integrators", page), "utf8");
  const found = stepsOf(text).find((step) => step.kind === "sample" && fileOf(step) === name);
  assert.ok(found?.kind === "sample", `${page} has no ${name}`);
  const code = found.text.replaceAll(/\b4000\b/g, String(ports.get("4000")));
  writeFileSync(join(shell.folder, name), `${code}\n`);
}
