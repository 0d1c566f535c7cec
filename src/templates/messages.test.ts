import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText, segmentsOf } from "../modules/messages/rules.ts";
import { messageText } from "./messages.ts";

const parts = {
  what: "invoice INV-000042",
  amount: "R\u00a01\u00a0499.00",
  url: "https://pay.karoo.example/p/7Kq2mXb9TzR4wLc",
};
const style = { sender: "Karoo Fitness Centre", sandbox: false, repliable: true };

const FAILED: readonly (readonly [string, Partial<typeof parts>, Partial<typeof style>, number])[] = [
  ["of an invoice, to a phone that can reply", {}, {}, 1],
  ["of an invoice, to one that cannot", {}, { repliable: false }, 1],
  ["of a debit order", { what: "Gym, one year" }, {}, 1],
  ["of a long description, which is cut", { what: "x".repeat(500) }, {}, 2],
];
for (const [name, given, styled, segments] of FAILED)
  test(`a message about a failed payment ${name} goes in ${segments}`, () => {
    const text = plainText(messageText("payment_failed", { ...parts, ...given }, { ...style, ...styled }));
    assert.equal(segmentsOf(text), segments, text);
    assert.match(
      text,
      /^(TEST: )?Karoo Fitness Centre: Payment of R 1 499\.00 for .+ failed\. Pay here: https:\S+( Reply STOP to opt out\.)?$/,
    );
  });
