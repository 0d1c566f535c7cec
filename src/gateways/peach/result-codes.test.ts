import assert from "node:assert/strict";
import { test } from "node:test";
import { isHardDecline, isTestResult, resultOf } from "./result-codes.ts";

for (const [code, result] of [
  ["000.000.000", "complete"],
  ["000.000.100", "complete"],
  ["000.100.110", "complete"],
  ["000.100.112", "complete"],
  ["000.300.000", "complete"],
  ["000.310.100", "complete"],
  ["000.600.000", "complete"],
  ["000.400.000", "complete"],
  ["000.400.020", "complete"],
  ["000.400.040", "complete"],
  ["000.400.090", "complete"],
  ["000.400.100", "complete"],
  ["000.400.110", "complete"],
  ["000.400.120", "complete"],
  ["000.400.030", "failed"],
  ["000.400.037", "failed"],
  ["000.400.101", "failed"],
  ["000.400.102", "failed"],
  ["000.400.200", "failed"],
  ["000.100.200", "chargeback"],
  ["000.100.299", "chargeback"],
  ["000.200.000", "pending"],
  ["000.200.100", "pending"],
  ["800.400.500", "pending"],
  ["100.400.500", "pending"],
  ["100.396.104", "pending"],
  ["100.396.101", "cancelled"],
  ["900.100.300", "timeout"],
  ["900.100.100", "failed"],
  ["800.100.155", "failed"],
  ["000.000.0000", "failed"],
  ["x000.000.000", "failed"],
  ["000.000.000\n", "failed"],
  ["000-000-000", "failed"],
  ["", "failed"],
] as const)
  test(`${JSON.stringify(code)} is ${result}`, () => assert.equal(resultOf(code), result));

// The account's mode, whether another host stands in, the code, and whether a test mode made it.
for (const [mode, baseUrl, code, isTest] of [
  ["live", null, "000.100.110", true],
  ["live", null, "000.100.112", true],
  ["live", null, "000.000.000", false],
  ["live", null, "000.100.105", false],
  ["sandbox", null, "000.100.110", false],
  ["live", "http://127.0.0.1:1", "000.100.110", false],
] as const)
  test(`${code} at a ${mode} account${baseUrl ? " of a stand-in" : ""} is ${isTest ? "a" : "no"} result of a test mode`, () =>
    assert.equal(isTestResult({ mode, baseUrl }, code), isTest));

for (const [code, hard] of [
  ["800.100.159", true],
  ["800.100.171", true],
  ["100.150.200", true],
  ["100.100.303", true],
  ["800.100.155", false],
  ["800.100.153", false],
] as const)
  test(`after ${code} the card ${hard ? "will never pay" : "may pay later"}`, () =>
    assert.equal(isHardDecline(code), hard));
