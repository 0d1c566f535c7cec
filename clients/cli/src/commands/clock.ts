import { Misuse } from "../arguments.ts";
import { type Command, type Context, clientOf, word } from "../context.ts";

interface Moved {
  readonly now: string;
  readonly ran: Readonly<Record<string, number>>;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const MONTHS: Readonly<Record<string, number>> = { mo: 1, y: 12 };

/** A time so much later: `30d`, `12h`, `90m`, `2w`, `1mo`, `1y`. The last day of a month stays one. Throws Misuse for anything else. */
export function later(now: string, by: string): string {
  const [, count = "", unit = ""] = /^(\d{1,5})(m|h|d|w|mo|y)$/.exec(by) ?? [];
  if (count === "") throw new Misuse(`${by} is no duration: 90m, 12h, 30d, 2w, 1mo, 1y`);
  const at = new Date(now);
  const months = MONTHS[unit];
  if (months === undefined) return new Date(at.getTime() + Number(count) * (UNITS[unit] ?? 0)).toISOString();
  const month = at.getUTCMonth() + months * Number(count);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate();
  at.setUTCFullYear(at.getUTCFullYear(), month, Math.min(at.getUTCDate(), lastDay));
  return at.toISOString();
}

async function move(context: Context, now: string): Promise<void> {
  const moved = await clientOf(context).request<Moved>("POST", "/test-clock", {
    body: { now },
    options: { timeoutMs: 600_000 },
  });
  context.print(moved.now);
  for (const [kind, times] of Object.entries(moved.ran)) context.say(`  ${kind}: ${times}`);
}

export const clockNow: Command = {
  name: "clock now",
  usage: "",
  about: "Prints the time of the organisation's clock.",
  async run(context) {
    const { now, set } = await clientOf(context).testClock.get();
    context.print(now);
    context.say(set ? "It stands still there." : "It runs with real time.");
  },
};

export const clockForward: Command = {
  name: "clock forward",
  usage: "DURATION",
  about: "Moves a sandbox's clock: 90m, 12h, 30d, 2w, 1mo, 1y. Everything that is due by then is done.",
  async run(context) {
    const { now } = await clientOf(context).testClock.get();
    await move(context, later(now, word(context, 2, "the duration")));
  },
};

export const clockTo: Command = {
  name: "clock to",
  usage: "TIME",
  about: "Moves a sandbox's clock to a time, such as 2027-03-01T08:00:00Z.",
  run: async (context) => move(context, word(context, 2, "the time")),
};

export const clockSnapshot: Command = {
  name: "clock snapshot",
  usage: "[NAME]",
  about: "Keeps everything that a sandbox has, to rewind to.",
  async run(context) {
    const name = context.typed.words[2];
    const body = name === undefined ? {} : { name };
    const { id, now } = await clientOf(context).request<{ id: string; now: string }>("POST", "/test-clock/snapshots", {
      body,
    });
    context.print(`${id}  ${now}${name === undefined ? "" : `  ${name}`}`);
  },
};

export const clockSnapshots: Command = {
  name: "clock snapshots",
  usage: "",
  about: "Lists snapshots.",
  async run(context) {
    const path = "/test-clock/snapshots";
    const { data } = await clientOf(context).request<{ data: { id: string; now: string; name: string | null }[] }>(
      "GET",
      path,
    );
    for (const { id, now, name } of data) context.print(`${id}  ${now}  ${name ?? ""}`.trimEnd());
  },
};

export const clockRewind: Command = {
  name: "clock rewind",
  usage: "SNAPSHOT",
  about: "Puts a sandbox back to a snapshot.",
  async run(context) {
    const id = encodeURIComponent(word(context, 2, "the snapshot's id"));
    const path = `/test-clock/snapshots/${id}/rewind`;
    const { now } = await clientOf(context).request<{ now: string }>("POST", path, { options: { timeoutMs: 600_000 } });
    context.print(now);
  },
};
