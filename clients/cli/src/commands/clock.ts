import { later, sandboxOf } from "../../../typescript/src/testing.ts";
import { Misuse } from "../arguments.ts";
import { type Command, type Context, clientOf, word } from "../context.ts";

/** As `later`, of what was typed. Throws Misuse. */
function laterBy(now: string, by: string): string {
  try {
    return later(now, by);
  } catch (error) {
    throw error instanceof RangeError ? new Misuse(error.message) : error;
  }
}

async function move(context: Context, time: string): Promise<void> {
  const { now, ran } = await sandboxOf(clientOf(context)).to(time);
  context.print(now);
  for (const [kind, times] of Object.entries(ran)) context.say(`  ${kind}: ${times}`);
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
    await move(context, laterBy(now, word(context, 2, "the duration")));
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
