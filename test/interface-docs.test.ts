import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { bodyOf, type Description, schemaOf, servedBy } from "../scripts/generated/interface.ts";
import { ERROR_STATUSES } from "../src/kernel/errors.ts";
import { codeSpans, interfaceSections, sectionsOf, tableAfter } from "./support/interface-docs.ts";
import { ROOT } from "./support/source.ts";

// docs/interface against the interface descriptions and the codes of errors: what is served is described, and what is
// described without "Not in this version" is served.

const description = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Description;
const client = description("openapi.json");
const dashboard = description("openapi-dashboard.json");
const sections = interfaceSections();
const present = sections.filter(({ toCome }) => !toCome);
const toCome = sections.filter((section) => section.toCome);
/** A table of what is not built yet begins directly below this text. */
const TO_COME_TABLE = "**Not in this version.**";
/** Left out of the search for events: its fields, such as `customer.id`, look like types of events. */
const LIMITS = /<!-- generated: limits -->[\s\S]*?<!-- \/generated -->/;
const where = ({ file, heading }: { file: string; heading: string }) => `${file}, ${heading}`;

test("a section knows its number and whether it, or the one above it, is to come", () => {
  const page = "# 4. A\n\n### 4.1 B\n\n**Not in this version.**\n\n#### C\n\ntext\n\n### 4.2 D\n";
  assert.deepEqual(
    sectionsOf("x.md", page).map(({ number, toCome }) => [number, toCome]),
    [
      ["4", false],
      ["4.1", true],
      [null, true],
      ["4.2", false],
    ],
  );
});

test("every number is given once, and sections stand in their part", () => {
  const numbers = sections.flatMap(({ number }) => number ?? []);
  assert.deepEqual(numbers.toSorted(), [...new Set(numbers)].toSorted());
  const misplaced = sections.filter(({ file, number }) => number && !file.startsWith(`${number.split(".")[0]}-`));
  assert.deepEqual(misplaced.map(where), []);
});

describe("endpoints", () => {
  const served = new Set([...servedBy(client), ...servedBy(dashboard)].map(({ name }) => name));
  const OPERATION = /^(GET|POST|PATCH|PUT|DELETE) \/(api\/v1|api\/billing-webhook|dashboard\/api)\//;
  const named = (of: typeof sections) =>
    of.flatMap((section) =>
      codeSpans(section.text)
        .filter((span) => OPERATION.test(span) && !span.endsWith("/openapi.json"))
        .map((span) => ({ section: where(section), span })),
    );

  test("that are served are described", () => {
    const described = new Set(named(present).map(({ span }) => span));
    // The dashboard's API serves the client API's endpoints as well (14.2).
    const missing = [...served].filter(
      (name) => !described.has(name) && !described.has(name.replace("/dashboard/api", "/api/v1")),
    );
    assert.deepEqual(missing, [], "name these endpoints in a section of docs/interface, with code marks");
  });

  test("that are described are served", () => {
    assert.deepEqual(
      named(present).filter(({ span }) => !served.has(span)),
      [],
    );
  });

  test("to come are not served", () => {
    assert.deepEqual(
      named(toCome).filter(({ span }) => served.has(span)),
      [],
    );
  });
});

test("events: those of this version are sent, those to come are not, and no section of this version names one of those", () => {
  const sent = new Set(Object.keys(client.webhooks ?? {}));
  const later = new Set(
    tableAfter(sections.find(({ number }) => number === "6.3")?.text ?? "", TO_COME_TABLE).flatMap(([names = ""]) =>
      codeSpans(names),
    ),
  );
  assert.deepEqual(
    [...later].filter((event) => sent.has(event)),
    [],
  );
  const families = new Set([...sent, ...later].map((event) => event.split(".")[0]));
  // The events of gateways have names of their own.
  const ours = sections.filter(({ file }) => !file.startsWith("17-"));
  const unknown = ours.flatMap((section) =>
    codeSpans(section.text.replace(LIMITS, ""))
      .filter((span) => /^[a-z_]+(\.[a-z_]+)+$/.test(span) && families.has(span.split(".")[0]))
      .filter((span) => !sent.has(span) && !(section.toCome && later.has(span)))
      .map((span) => `${where(section)}: ${span}`),
  );
  assert.deepEqual(unknown, []);
});

test("the guide to webhooks has each event in its table, once, and no other", () => {
  const guide = readFileSync(join(ROOT, "docs/integrators/webhooks.md"), "utf8");
  const rows = (guide.split("\n## Events\n")[1] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  assert.deepEqual(named.toSorted(), Object.keys(client.webhooks ?? {}).toSorted());
});

test("error codes: each with its statuses, and those to come are not in the code", () => {
  const [codes, later] = ["7.2", "7.3"].map((wanted) => sections.find(({ number }) => number === wanted)?.text ?? "");
  const described = tableAfter(codes ?? "", "<!-- error codes -->").map(
    ([status, code = ""]) => `${status} ${codeSpans(code)[0]}`,
  );
  const known = Object.entries(ERROR_STATUSES).flatMap(([code, statuses]) =>
    statuses.map((status) => `${status} ${code}`),
  );
  assert.deepEqual(described.toSorted(), known.toSorted());
  const coming = tableAfter(later ?? "", TO_COME_TABLE).flatMap(([, code = ""]) => codeSpans(code));
  assert(coming.length > 0);
  assert.deepEqual(
    coming.filter((code) => Object.hasOwn(ERROR_STATUSES, code)),
    [],
  );
});

describe("fields", () => {
  const tables = present.flatMap((section) =>
    [...section.text.matchAll(/<!-- fields: (.+?) -->/g)].map(([marker, what = ""]) => ({
      what,
      rows: tableAfter(section.text, marker),
    })),
  );
  assert(tables.length > 8);
  for (const { what, rows } of tables) {
    const schema = what.includes(" ") ? bodyOf(client, what) : schemaOf(client, what);
    test(`of ${what}: those that the code has, no other`, () => {
      const described = rows.flatMap(([names = ""]) => codeSpans(names));
      assert.deepEqual(described.toSorted(), Object.keys(schema?.properties ?? {}).toSorted());
    });
    const statuses = schema?.properties?.["status"]?.enum;
    if (statuses)
      test(`of ${what}: its statuses`, () => {
        const row = rows.find(([names]) => names === "`status`") ?? [];
        assert.deepEqual(codeSpans(row.at(-1) ?? "").toSorted(), statuses.toSorted());
      });
  }
});

test("statuses of the records without a table of fields are all named", () => {
  for (const [name, heading] of [
    ["AccountStanding", "Account standing"],
    ["CreditNote", "Credit note"],
  ] as const) {
    const statuses = schemaOf(client, name)?.properties?.["status"]?.enum ?? [];
    assert(statuses.length > 0);
    const spans = new Set(codeSpans(sections.find((section) => section.heading === heading)?.text ?? ""));
    assert.deepEqual(
      statuses.filter((status) => status !== null && !spans.has(status)),
      [],
      name,
    );
  }
});
