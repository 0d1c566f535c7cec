import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { trialEndingMail } from "./customer-subscription.ts";

const brand = { name: "Acme", accentColour: null, contact: null };
const on = "2027-02-01" as CalendarDay;
const mailOf = (total: number, metered: readonly string[]) =>
  trialEndingMail({
    brand: brand as never,
    planName: "Gold",
    accountUrl: "https://x",
    lastDay: "2027-01-31" as CalendarDay,
    charges: [{ on, total: cents(total), times: null, frequency: "monthly" }],
    currency: "ZAR",
    metered,
  }).text.replaceAll("\u00a0", " ");

test("the mail at a trial's end says that what is used is added, also where nothing else is charged", () => {
  assert.match(mailOf(230_00, []), /R 230\.00/);
  assert.doesNotMatch(mailOf(230_00, []), /what you use/);
  assert.match(mailOf(230_00, ["Calls"]).replace(/\s+/g, " "), /R 230\.00.*VAT included, and what you use of .*Calls/);
  assert.match(mailOf(0, ["Calls"]).replace(/\s+/g, " "), /For what you use of .*Calls/);
  assert.match(mailOf(0, []), /costs nothing/);
});
