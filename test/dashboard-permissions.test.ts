import assert from "node:assert/strict";
import { test } from "node:test";
import { type JSXElement, Visitor } from "oxc-parser";
import { inSentence } from "../dashboard/src/lib/words.ts";
import { DASHBOARD_ENDPOINTS } from "../src/catalogue.ts";
import { permissionsOf } from "../src/http/endpoint.ts";
import { EVERYBODYS, type Permission, permissionWords } from "../src/modules/members/rules.ts";
import { readSources, type Source } from "./support/source.ts";

/* What the web app shows to a role is what the role may do: the permission of each button is that of the endpoint that it calls. */

const NEEDED = new Map(DASHBOARD_ENDPOINTS.map(({ method, path, permission }) => [`${method} ${path}`, permission]));
const CHANGE = /\bapi\s*\.(POST|PUT|PATCH|DELETE)\(\s*"([^"]+)"/g;

/** A change that the app asks for, and the permission by which the element around it is shown. */
interface Offered {
  readonly endpoint: string;
  readonly shownTo: string;
}

/** The changes inside of elements with a permission; the innermost such element counts. */
function offeredIn({ text, program }: Source): Offered[] {
  const guards: { start: number; end: number; permission: string }[] = [];
  new Visitor({
    JSXElement: (element) => {
      const permission = permissionOf(element);
      if (permission) guards.push({ start: element.start, end: element.end, permission });
    },
  }).visit(program);
  return [...text.matchAll(CHANGE)].flatMap(({ index, 1: method, 2: path }) => {
    const around = guards.filter(({ start, end }) => start <= index && index < end);
    const inner = around.toSorted((a, b) => b.start - a.start)[0];
    return inner ? [{ endpoint: `${method} ${path}`, shownTo: inner.permission }] : [];
  });
}

function permissionOf({ openingElement: { name, attributes } }: JSXElement): string | null {
  const guard = name.type === "JSXIdentifier" && name.name === "Permitted" ? "to" : "permission";
  for (const attribute of attributes) {
    if (attribute.type !== "JSXAttribute" || attribute.name.name !== guard) continue;
    if (attribute.value?.type === "Literal" && typeof attribute.value.value === "string") return attribute.value.value;
  }
  return null;
}

test("each button is shown to those who may call its endpoint", () => {
  const offered = readSources("dashboard").flatMap(offeredIn);
  assert.ok(offered.length > 25, `${offered.length} changes are compared`);
  const wrong = offered
    .map(({ endpoint, shownTo }) => ({ endpoint, shownTo, needed: NEEDED.get(endpoint) ?? "no such endpoint" }))
    .filter(({ shownTo, needed }) => shownTo !== needed);
  assert.deepEqual(wrong, []);
});

/** An area of a role's form. */
const AREA = /\{ name: "(\w+)", label: "([^"]+)"(?:, only: "(see|change)")? \}/g;

test("the form of a role offers each permission that an endpoint needs, and no other", () => {
  const { text } = readSources("dashboard").find(({ path }) => path.endsWith("components/areas.ts")) ?? assert.fail();
  const offered = [...text.matchAll(AREA)].flatMap(([, name, , only]) => [
    ...(only === "change" ? [] : [`${name}:read`]),
    ...(only === "see" ? [] : [`${name}:write`]),
  ]);
  const needed = new Set(DASHBOARD_ENDPOINTS.flatMap(permissionsOf).filter((name) => !EVERYBODYS.includes(name)));
  assert.deepEqual(offered.toSorted(), [...needed].toSorted());
});

test("a refusal calls a permission as the form of a role does", () => {
  const { text } = readSources("dashboard").find(({ path }) => path.endsWith("components/areas.ts")) ?? assert.fail();
  const areas = [...text.matchAll(AREA)];
  assert.ok(areas.length > 25);
  for (const [, name, label = ""] of areas)
    assert.equal(permissionWords(`${name}:read` as Permission), `see ${inSentence(label)} (${name}:read)`);
});
