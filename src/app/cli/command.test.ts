import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { type Command, columns, helpOf, parseCommand, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { runCommandLine } from "./main.ts";

const SAMPLE: Command = {
  name: "thing make",
  summary: "Make a thing.",
  operands: ["slug"],
  options: {
    name: { value: "N", help: "its name", required: true },
    tag: { value: "T", help: "a tag", repeatable: true },
    big: { help: "not small" },
  },
  load: async () => async () => 0,
};

test("operands and options are read as declared", () => {
  const { operands, values } = parseCommand(SAMPLE, [
    "a",
    "--name=x y",
    "--tag",
    "1",
    "--tag",
    "b=c",
    "--big",
    "--json",
  ]);
  assert.deepEqual(operands, ["a"]);
  assert.deepEqual({ ...values }, { name: "x y", tag: ["1", "b=c"], big: true, json: true });
});

const WRONG: [string, string[], RegExp][] = [
  ["an unknown option", ["a", "--name", "x", "--colour", "red"], /^Unknown option '--colour'\.$/],
  ["a missing option", ["a"], /^--name is missing\.$/],
  ["a missing operand", ["--name", "x"], /^<slug> is missing\.$/],
  ["one operand too many", ["a", "b", "--name", "x"], /^Unexpected argument: b$/],
  ["an option without its value", ["a", "--name"], /--name/],
  ["a switch with a value", ["a", "--name", "x", "--big=1"], /--big/],
  ["a value that looks like an option", ["a", "--name", "-1"], /--name/],
];
for (const [name, args, message] of WRONG)
  test(`refused: ${name}`, () =>
    assert.throws(
      () => parseCommand(SAMPLE, args),
      (error) => error instanceof UsageError && message.test(error.message),
    ));

test("help needs nothing else, and names every option", () => {
  assert.equal(parseCommand(SAMPLE, ["--help"]).values["help"], true);
  assert.match(
    helpOf(SAMPLE),
    /^Make a thing\.\n\nUsage: tefo thing make <slug> \[options\]\n\nOptions:\n {2}--name N/,
  );
  assert.match(helpOf(SAMPLE), /--tag T +a tag \(may be repeated\)/);
});

test("columns line up and end where their text does", () => {
  const lines = columns([
    ["a", "bb", "c"],
    ["aaa", "b", ""],
  ]);
  assert.equal(lines, "a    bb  c\naaa  b");
});

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: string[][] = [[], []];
  const into = (chunks: string[] | undefined) =>
    new Writable({ write: (chunk, _encoding, done) => done(void chunks?.push(String(chunk)) as undefined) });
  const code = await runCommandLine(args, { environment: {}, stdout: into(out), stderr: into(err) });
  return { code, out: (out ?? []).join(""), err: (err ?? []).join("") };
}

test("every command can be asked for help without a database", async () => {
  for (const { name, summary } of COMMANDS) {
    const { code, out, err } = await run(...name.split(" "), "--help");
    assert.deepEqual([code, err], [0, ""], name);
    assert.ok(out.startsWith(summary), name);
  }
  const { code, out } = await run("--help");
  assert.equal(code, 0);
  for (const { name } of COMMANDS) assert.ok(out.includes(`  ${name}`), name);
});

const USAGE: [string, string[], RegExp][] = [
  ["no command", [], /^Name a command\.\n\nUsage: tefo <command>/],
  ["an unknown command", ["dance"], /^No such command: dance\n/],
  ["half a command", ["org", "paint"], /^No such command: org paint\n[\s\S]*org create/],
  ["a wrong plan", ["org", "create", "--name", "N", "--slug", "s", "--plan", "gold"], /^--plan must be one of starter/],
  [
    "days that are none",
    ["org", "create", "--name", "N", "--slug", "s", "--plan", "growth", "--trial-days", "x"],
    /^--trial-days must/,
  ],
  [
    "a short password",
    ["org", "create", "--name", "N", "--slug", "s", "--plan", "growth", "--owner-password", "short"],
    /^--owner-password must/,
  ],
  [
    "no address",
    ["org", "create", "--name", "N", "--slug", "s", "--plan", "growth", "--owner-email", "thandi"],
    /^--owner-email must/,
  ],
  ["no change", ["org", "update", "s"], /^Nothing to change/],
  ["an unknown quota", ["org", "update", "s", "--limit", "cats=3"], /^--limit must be NAME=N/],
  ["a limit below zero", ["org", "update", "s", "--limit", "customers=-3"], /^--limit customers must/],
  [
    "an unknown status",
    ["org", "update", "s", "--status", "expired"],
    /^--status must be one of active, suspended, cancelled/,
  ],
  ["half a moment", ["org", "update", "s", "--trial-ends-at", "2026-12-31"], /^--trial-ends-at must be ISO 8601/],
  ["an unknown permission", ["key", "create", "--org", "s", "--permission", "all"], /^--permission must be one of/],
];
for (const [name, args, message] of USAGE)
  test(`exit 2 with help: ${name}`, async () => {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, message);
    assert.match(err, /Usage: tefo/);
    const asJson = await run(...args, "--json");
    const document = JSON.parse(asJson.out) as { error: string; message: string };
    assert.equal(asJson.code, 2);
    assert.equal(document.error, "usage");
    assert.ok(asJson.err.startsWith(document.message));
  });

test("the interface descriptions are printed without a database", async () => {
  const [client, dashboard] = [await run("openapi", "--json"), await run("openapi", "--dashboard")];
  assert.deepEqual([client.code, dashboard.code, client.err], [0, 0, ""]);
  const documents = [client, dashboard].map(({ out }) => JSON.parse(out) as { openapi: string; paths: object });
  assert.deepEqual(
    documents.map(({ openapi }) => openapi),
    ["3.1.0", "3.1.0"],
  );
  assert.ok("/payment-links" in (documents[0]?.paths ?? {}));
  assert.ok("/settings" in (documents[1]?.paths ?? {}));
});
