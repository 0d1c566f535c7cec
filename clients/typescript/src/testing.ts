import type { Tefo } from "./client.ts";
import { Conflict, TimedOut } from "./errors.ts";
import { API_VERSION } from "./generated/resources.ts";
import type {
  CreateSandboxOutcomes,
  EventData,
  SandboxRequestKind,
  SandboxResult,
  TestClockMove,
} from "./generated/types.ts";
import type { WebhookEvent } from "./webhooks/verify.ts";

/*
 * For tests of your own, in a sandbox organisation: its clock, its snapshots, what its gateway does next, and webhooks that
 * are signed as the service signs them.
 */

/** What a sandbox organisation offers to tests. */
export interface Sandbox {
  /** Where the organisation's clock stands. */
  now(): Promise<string>;
  /**
   * Moves the clock on by `90m`, `12h`, `30d`, `2w`, `1mo` or `1y`. Everything that is due by then has been done when it
   * answers.
   */
  forward(by: string): Promise<TestClockMove>;
  /** Moves the clock to a time, as `forward` does. */
  to(time: string | Date): Promise<TestClockMove>;
  /** Runs a test and puts the organisation back as it was before, clock included, whether the test ends well or throws. */
  rewinding<Result>(test: () => Promise<Result>): Promise<Result>;
  /**
   * Says how the next attempts of a kind end, in their order; null leaves one to its course: `next("renewal", [null, null,
   * "insufficient_funds"])` lets the third renewal fail.
   */
  next(kind: SandboxRequestKind, outcomes: readonly (SandboxResult | null)[], of?: OutcomesOf): Promise<void>;
}

/** Whose attempts, and how many days later they are settled. */
export interface OutcomesOf {
  readonly customerId?: string;
  readonly subscriptionId?: string;
  readonly delayDays?: number;
}

const MOVE_TIMEOUT_MS = 600_000;

/** The tools of a sandbox organisation, by a key that has `test_clock:write`. A live organisation refuses them with 403. */
export function sandboxOf(tefo: Tefo): Sandbox {
  const now = async () => (await tefo.testClock.get()).now;
  const to = async (time: string | Date) => {
    const until = typeof time === "string" ? time : time.toISOString();
    return move(tefo, until, await now());
  };
  return {
    now,
    to,
    forward: async (by) => to(later(await now(), by)),
    async rewinding(test) {
      const { id } = await tefo.testClock.createSnapshot({ name: "rewinding" });
      try {
        return await test();
      } finally {
        await tefo.testClock.rewindSnapshot(id, { timeoutMs: MOVE_TIMEOUT_MS });
        await tefo.testClock.deleteSnapshot(id);
      }
    },
    async next(kind, outcomes, { delayDays, ...of } = {}) {
      const steps = outcomes.flatMap((outcome, at) =>
        outcome === null
          ? []
          : [{ match: { kind, nth: at + 1, ...of }, outcome, ...(delayDays === undefined ? {} : { delayDays }) }],
      );
      await tefo.sandbox.createOutcomes({ steps } satisfies CreateSandboxOutcomes);
    },
  };
}

/** A move that takes longer than one request may has come some way; the same request goes on from there (interface 13.1). */
async function move(tefo: Tefo, until: string, from: string): Promise<TestClockMove> {
  try {
    return await tefo.testClock.move({ now: until }, { timeoutMs: MOVE_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof Conflict || error instanceof TimedOut)) throw error;
    const { now } = await tefo.testClock.get();
    if (Date.parse(now) <= Date.parse(from)) throw error;
    return move(tefo, until, now);
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const MONTHS: Readonly<Record<string, number>> = { mo: 1, y: 12 };

/**
 * A time so much later: `90m`, `12h`, `30d`, `2w`, `1mo`, `1y`. In a month that has no such day it is the last one. Throws a
 * RangeError for anything else.
 */
export function later(time: string, by: string): string {
  const [, count = "", unit = ""] = /^(\d{1,5})(m|h|d|w|mo|y)$/.exec(by) ?? [];
  if (count === "") throw new RangeError(`${by} is no duration: 90m, 12h, 30d, 2w, 1mo, 1y`);
  const at = new Date(time);
  const months = MONTHS[unit];
  if (months === undefined) return new Date(at.getTime() + Number(count) * (UNITS_MS[unit] ?? 0)).toISOString();
  const month = at.getUTCMonth() + months * Number(count);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate();
  at.setUTCFullYear(at.getUTCFullYear(), month, Math.min(at.getUTCDate(), lastDay));
  return at.toISOString();
}

/** A delivery: what your receiver gets. */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an event is made of, where you do not say; `data` has the shape of its type. */
export type EventFacts<Type extends keyof EventData> = {
  readonly type: Type;
  readonly data: EventData[Type];
} & Partial<Omit<WebhookEvent<Type>, "type" | "data">>;

/** An event of a sandbox organisation, for tests of your receiver: with what you give, and made-up values for the rest. */
export function eventOf<Type extends keyof EventData>(facts: EventFacts<Type>): WebhookEvent<Type> {
  const { id, reference } = facts.data as { readonly id?: string; readonly reference?: string };
  return {
    id: `evt_${crypto.randomUUID().replaceAll("-", "")}`,
    created: new Date().toISOString(),
    subject: id ?? reference ?? `test_${crypto.randomUUID()}`,
    sequence: 1,
    apiVersion: API_VERSION,
    sandbox: true,
    organisation: { id: "org_test", slug: "test" },
    ...facts,
  } as WebhookEvent<Type>;
}

/**
 * Body and headers of an event's delivery, signed with the secret as the service signs it, in its own form and in that of
 * Standard Webhooks. `at` is the signature's time, in milliseconds; default: now.
 */
export async function signedWebhook(
  event: { readonly id: string; readonly type: string },
  secret: string,
  { at = Date.now() }: { readonly at?: number } = {},
): Promise<SignedWebhook> {
  const body = JSON.stringify(event);
  const time = Math.floor(at / 1000);
  const bytes = new TextEncoder();
  const own = await hmac(bytes.encode(secret), `${time}.${body}`);
  const key = Uint8Array.from(atob(secret.replace("whsec_", "")), (char) => char.charCodeAt(0));
  const standard = await hmac(key, `${event.id}.${time}.${body}`);
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "Service-Event-Id": event.id,
      "Service-Event-Type": event.type,
      "Service-Signature": `t=${time},v1=${[...own].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
      "webhook-id": event.id,
      "webhook-timestamp": String(time),
      "webhook-signature": `v1,${btoa(String.fromCharCode(...standard))}`,
    },
  };
}

/** A secret as the service makes them, for `signedWebhook` and the receiver that is tested with it. */
export const newWebhookSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
}
