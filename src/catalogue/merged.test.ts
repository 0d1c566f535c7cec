import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { record } from "../domain/records.ts";
import { event } from "../events/event.ts";
import { NOTHING } from "../platform/database.ts";
import { dueWork } from "../platform/due-work.ts";
import type { HandledWork } from "../worker/job.ts";
import { merged } from "./merged.ts";

const SENT = event("thing.sent", { about: "The thing.", data: z.object({}), reacts: true });
const EXPIRE = dueWork("thing.expire");
const THINGS = record({
  kinds: [{ prefix: "thg", permission: "overview:read", path: "/things", names: async () => [] }],
  held: { things: () => NOTHING },
});
const handled: HandledWork = { work: EXPIRE, handler: () => async () => "done" };

describe("the catalogue", () => {
  test("takes events from what a module declares, and finds their reactions wherever they stand", () => {
    const react = async () => {};
    const { events, reactions, work } = merged([
      { declared: { SENT, EXPIRE, PAGE: { path: "thing", kind: "thg" } }, work: [handled] },
      { reactions: [[SENT, react]] },
    ]);
    assert.deepEqual(events, [SENT]);
    assert.deepEqual(reactions.get("thing.sent"), [react]);
    assert.deepEqual(work, [handled]);
  });

  test("passes the kinds of records of all resources to endpoints over all resources", () => {
    const seen: string[] = [];
    merged([
      {
        endpointsOver: ({ records, held }) => {
          seen.push(...records.keys(), ...Object.keys(held));
          return [];
        },
      },
      { record: THINGS },
    ]);
    assert.deepEqual(seen, ["thg", "things"]);
  });

  test("refuses a reaction to an event that does not say so", () => {
    const quiet = event("thing.quiet", { about: "The thing.", data: z.object({}) });
    const react = async () => {};
    assert.throws(
      () => merged([{ declared: { quiet }, reactions: [[quiet, react]] }]),
      /thing\.quiet says that it reacts/,
    );
  });

  test("refuses due work that nothing handles", () => {
    assert.throws(() => merged([{ declared: { EXPIRE } }]), /thing\.expire has a handler/);
  });

  test("refuses what is declared twice", () => {
    assert.throws(() => merged([{ declared: { SENT } }, { declared: { SENT } }]), /thing\.sent is declared once/);
    assert.throws(() => merged([{ work: [handled, handled] }]), /thing\.expire is declared once/);
    assert.throws(() => merged([{ record: THINGS }, { record: THINGS }]), /thg is declared once/);
  });
});
