import assert from "node:assert/strict";
import type { Observer } from "../support/api.ts";
import { ACCOUNT_NUMBER } from "../support/mandates.ts";
import { pairsOf, type StandIn } from "./stand-in.ts";

/*
 * What must never be logged or answered: credentials, tokens, full numbers, raw bodies. Everything that stand-ins know
 * of these is looked for in everything that the process has logged and answered.
 */

/** Fields of messages and requests whose values are secret, or charge a card. The token of a batch file is its name. */
const SECRET_FIELDS =
  /(?<!file)token|authorization_code|email_token|registrationid|payment_method$|passphrase|signature|secret|apikey|privatekey|servicekey|^hash|bankaccountnumber|^card$/i;
/** Full numbers that payers and merchants of the journeys enter. */
const NUMBERS = ["4242424242424242", "4084084084084081", "4084080000005408", "5555555555554444", ACCOUNT_NUMBER];
/** Shorter values are words, such as `on` or a brand. */
const SECRET_MIN = 12;
/** So long a piece of a body is no reference or name that was in it. */
const BODY_PIECE = 80;
/** What payers' browsers carry to these gateways, in the form that leads there. */
const IN_FORMS = { payfast: ["merchantKey"], netcash: ["payNowKey"] } as const;

/** Records what a process logs and answers. */
export interface Leaks extends Observer {
  /** Fails when something that is secret was logged or answered. */
  expectNone(standIns: Iterable<StandIn>): void;
}

/** Nothing recorded yet. */
export function recordLeaks(): Leaks {
  const lines: string[] = [];
  const answers = new Map<string, string>();
  return {
    logged: (line) => void lines.push(line),
    answered: (path, text) => void answers.set(text, path),
    expectNone(standIns) {
      assert.ok(lines.length > 100, `${lines.length} lines were logged`);
      assert.ok(answers.size > 100, `${answers.size} answers were given`);
      const log = lines.join("");
      const found: string[] = [];
      for (const standIn of standIns) {
        const { secrets, bodies } = knownTo(standIn);
        for (const secret of [...secrets, ...bodies, ...NUMBERS])
          if (log.includes(secret)) found.push(`${standIn.type}: in the log: ${secret}`);
        const inForms: readonly string[] = IN_FORMS[standIn.type as keyof typeof IN_FORMS] ?? [];
        const carried = inForms.map((name) => standIn.credentials[name]);
        const credentials = secrets.filter((secret) => Object.values(standIn.credentials).includes(secret));
        // The page that leads to the gateway has the form that is meant for it, with its signature.
        for (const [text, path] of answers)
          for (const secret of path.includes("/go/") ? credentials.filter((one) => !carried.includes(one)) : secrets)
            if (text.includes(secret)) found.push(`${standIn.type}: answered at ${path}: ${secret}`);
      }
      assert.deepEqual(found.slice(0, 20), []);
    },
  };
}

/** Values that the gateway and the merchant alone may know, and pieces of what was sent between them. */
function knownTo({ credentials, requests, notices }: StandIn) {
  const secrets = new Set(Object.values(credentials));
  const bodies = new Set<string>();
  const texts = [...requests.map(({ text }) => text), ...notices.map((notice) => notice.compose({}).body)];
  for (const { headers } of requests) {
    const { authorization = "", apikey } = headers;
    for (const value of [authorization.replace(/^\w+ /, ""), apikey]) if (value) secrets.add(value);
  }
  for (const text of texts) {
    if (text.length >= BODY_PIECE) bodies.add(text.slice(-BODY_PIECE));
    for (const [name, value] of fieldsOf(text)) if (SECRET_FIELDS.test(name)) secrets.add(value);
  }
  return { secrets: [...secrets].filter((secret) => secret.length >= SECRET_MIN), bodies };
}

/** Names and values of a message: in JSON at any depth, in XML by element, else a form. */
function fieldsOf(text: string): [name: string, value: string][] {
  if (text.startsWith("<"))
    return [...text.matchAll(/<(\w+)>([^<]+)</g)].map(([, name = "", value = ""]) => [name, value]);
  if (!/^[[{]/.test(text)) return pairsOf(text);
  const found: [string, string][] = [];
  JSON.parse(text, (name, value) => {
    if (typeof value === "string") found.push([name, value]);
    return value;
  });
  return found;
}
