import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIL_SEND } from "../modules/emails/declarations.ts";
import { PAYMENT_CHECK } from "../modules/payments/declarations.ts";
import { WEBHOOK_DELIVER } from "../modules/webhooks/declarations.ts";
import { type DueWork, laneKey, type Work } from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { newId } from "../platform/new-id.ts";
import { createLanes } from "./lanes.ts";

const KINDS = [WEBHOOK_DELIVER, MAIL_SEND, PAYMENT_CHECK];
let count = 0;
const workOf = ({ kind }: DueWork, lane: string, organisation = newId("org")): Work => ({
  organisation,
  kind,
  subject: `s${++count}`,
  lane,
  dueAt: machineNow(),
  attempt: 1,
  token: "t",
});

test("the limit of a busy endpoint falls to zero, and another's does not change", () => {
  const lanes = createLanes(KINDS);
  const whole = lanes.limits().laneLimit;
  const [first, ...rest] = Array.from({ length: whole }, () => workOf(WEBHOOK_DELIVER, "we_busy", newId("org")));
  assert(first);
  const same = rest.map((work) => ({ ...work, organisation: first.organisation }));
  lanes.begin(first);
  for (const work of same) lanes.begin(work);
  assert.equal(lanes.limits().laneLimits[laneKey(first)], 0);
  assert.equal(lanes.limits().laneLimit, whole);
  lanes.end(first, "done");
  assert.equal(lanes.limits().laneLimits[laneKey(first)], 1);
});

test("a silent endpoint has a low limit until it answers", () => {
  const lanes = createLanes(KINDS);
  const work = workOf(WEBHOOK_DELIVER, "we_dead");
  lanes.begin(work);
  lanes.end(work, "silent");
  assert.equal(lanes.limits().laneLimits[laneKey(work)], 2);
  lanes.begin(work);
  assert.equal(lanes.limits().laneLimits[laneKey(work)], 1);
  lanes.end(work, "done");
  assert.equal(lanes.limits().laneLimits[laneKey(work)], undefined);
});

test("a kind has a limit in all and in each organisation", () => {
  const lanes = createLanes(KINDS);
  const { laneLimits } = lanes.limits();
  assert.equal(laneLimits["mail.send"], 4);
  const mails = Array.from({ length: 10 }, () => workOf(MAIL_SEND, MAIL_SEND.kind));
  for (const work of mails) lanes.begin(work);
  assert.equal(lanes.limits().laneLimits["mail.send"], 0);
  assert.equal(lanes.limits().laneLimits[laneKey(mails[0]!)], 0);
  assert.equal(lanes.limits().laneLimits["payment.check"], 8, "other kinds are not held up");
});
