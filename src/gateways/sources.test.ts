import assert from "node:assert/strict";
import { test } from "node:test";
import { isFrom, isSource } from "./sources.ts";

const RANGES = ["197.97.145.144/28", "144.126.193.139", "2001:db8::/32"];
const ADDRESSES: [string, readonly string[], boolean][] = [
  ["197.97.145.143", RANGES, false],
  ["197.97.145.144", RANGES, true],
  ["197.97.145.159", RANGES, true],
  ["197.97.145.160", RANGES, false],
  ["144.126.193.139", RANGES, true],
  ["144.126.193.138", RANGES, false],
  ["2001:db8::1", RANGES, true],
  ["2001:db9::1", RANGES, false],
  ["127.0.0.1", RANGES, false],
  ["127.0.0.1", ["any"], true],
  ["127.0.0.1", [], false],
  ["", RANGES, false],
  ["not an address", ["0.0.0.0/0"], false],
];
for (const [address, sources, from] of ADDRESSES)
  test(`${address || "nothing"} is ${from ? "" : "not "}from ${sources.join(", ")}`, () =>
    assert.equal(isFrom(sources, address), from));

const TEXTS: [string, boolean][] = [
  ["any", true],
  ["127.0.0.1", true],
  ["10.0.0.0/8", true],
  ["::1", true],
  ["2001:db8::/129", false],
  ["10.0.0.0/33", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["payfast.co.za", false],
  ["", false],
];
for (const [text, is] of TEXTS) test(`"${text}" is ${is ? "a" : "no"} source`, () => assert.equal(isSource(text), is));
