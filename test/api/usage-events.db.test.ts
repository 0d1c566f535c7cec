import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Answer, openApi, type Refusal, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.17 and 16.24: usage events of metered items. */

interface Recorded extends Refusal {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly id: string; readonly reason: string }[];
}

interface ShownLine {
  readonly description: string;
  readonly amount: number;
  readonly quantity: number;
  readonly reason: { readonly kind: string; readonly late?: unknown };
}

type Event = Record<string, unknown>;

let api: TestApi;
let shop: SubscriptionShop;
let planId: string;
let ids = 0;

before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A metered item of 0.10 for one. */
const CALLS = { code: "calls", kind: "metered", description: "Calls", unitAmount: 0.1 };

const send = (events: readonly Event[], headers: Record<string, string> = {}): Promise<Answer<Recorded>> =>
  shop.shop.call<Recorded>("POST", "/usage-events", { body: { events }, headers });

async function record(...events: Event[]): Promise<Recorded> {
  const answer = await send(events);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** An event of an item `calls`, with an id of its own. */
const event = (subscriptionId: string, quantity: number, fields: Event = {}): Event => {
  ids++;
  return { id: `event-${ids}`, subscriptionId, item: "calls", quantity, ...fields };
};

const at = (day: string, time = "12:00:00") => ({ at: `${day}T${time}+02:00` });
const usageOf = async (id: string) =>
  ((await shop.now(id))["items"] as { kind: string; quantity: number }[])
    .filter(({ kind }) => kind === "metered")
    .map(({ quantity }) => quantity);

/** The lines for usage of the newest invoice. */
async function billed(id: string): Promise<ShownLine[]> {
  const [newest] = await shop.invoices(id);
  return ((newest?.["lines"] ?? []) as ShownLine[]).filter(({ reason }) => reason.kind === "usage");
}

const listed = async (query: string) =>
  (
    await shop.shop.get<{ data: Record<string, unknown>[]; hasMore: boolean; nextCursor: string | null }>(
      `/usage-events?${query}`,
    )
  ).body;

beforeEach(async () => {
  shop = await openSubscriptionShop(api);
  planId = await shop.addPlan();
});

const subscribe = (item: object = CALLS, fields: object = {}): Promise<ShownSubscription> =>
  shop.subscribe({ planId, items: [item], ...fields });

describe("usage events", () => {
  test("count once, are listed, and are billed with the period", async () => {
    const { id } = await subscribe(CALLS, { externalReference: "S-1" });
    const first = event(id, 5, { properties: { user: "u1", size: 3, paid: true } });
    assert.deepEqual(await record(first, event(id, 2.5)), { accepted: 2, duplicates: 0, rejected: [] });
    const { subscriptionId: _id, ...byReference } = event(id, 1);
    assert.deepEqual(await record(first, { ...byReference, externalReference: "S-1" }), {
      accepted: 1,
      duplicates: 1,
      rejected: [],
    });
    assert.deepEqual(await usageOf(id), [8.5]);
    const { data, hasMore } = await listed(`subscriptionId=${id}`);
    assert.deepEqual([data.length, hasMore], [3, false]);
    const { itemId, ...shown } = data.at(-1) ?? {};
    assert.match(String(itemId), /^csi_/);
    assert.deepEqual(shown, {
      object: "usage_event",
      id: first["id"],
      subscriptionId: id,
      item: "calls",
      quantity: 5,
      at: "2027-01-31T08:00:00.000Z",
      properties: { user: "u1", size: 3, paid: true },
      late: false,
      receivedAt: "2027-01-31T08:00:00.000Z",
    });
    await shop.move("2027-02-28");
    assert.deepEqual(
      (await billed(id)).map(({ description, quantity, amount }) => [description, quantity, amount]),
      [["Calls", 8.5, 0.85]],
    );
    assert.deepEqual(await usageOf(id), [0]);
    const [newer, older] = [await listed("externalReference=S-1&limit=2"), await listed("limit=2")];
    assert.deepEqual([newer.data.length, newer.hasMore, older.data.length], [2, true, 2]);
    const rest = await listed(`subscriptionId=${id}&limit=2&startingAfter=${newer.nextCursor}`);
    assert.deepEqual(
      rest.data.map((one) => one["id"]),
      [first["id"]],
    );
    const byId = await listed(`endingBefore=${first["id"]}&limit=1`);
    assert.deepEqual([byId.data.length, byId.hasMore], [1, true]);
    assert.equal((await shop.shop.get("/usage-events?startingAfter=nothing")).status, 400);
  });

  test("of one request with the same id count once, and so do two requests at once", async () => {
    const { id } = await subscribe();
    const same = event(id, 4);
    assert.deepEqual(await record(same, { ...same, quantity: 9 }), { accepted: 1, duplicates: 1, rejected: [] });
    const both = [event(id, 1), event(id, 1), event(id, 1)];
    const answers = await Promise.all([send(both), send(both.toReversed()), send(both)]);
    const total = (of: "accepted" | "duplicates") => answers.reduce((all, { body }) => all + body[of], 0);
    assert.deepEqual([total("accepted"), total("duplicates")], [3, 6]);
    assert.deepEqual(await usageOf(id), [7]);
  });

  test("with the same ids for two subscriptions at once count for one of them", async () => {
    const [{ id: one }, { id: other }] = [await subscribe(), await subscribe()];
    const events = Array.from({ length: 40 }, () => event(one, 1));
    const moved = events.map((of) => ({ ...of, subscriptionId: other })).toReversed();
    const answers = await Promise.all([send(events), send(moved)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(
      answers.reduce((all, { body }) => all + body.accepted, 0),
      40,
    );
    const [mine = 0, theirs = 0] = [...(await usageOf(one)), ...(await usageOf(other))];
    assert.equal(mine + theirs, 40);
  });

  test("are counted by sum, max, last and unique", async () => {
    const item = (code: string, fields: object = {}) => ({
      ...CALLS,
      code,
      description: code,
      aggregation: code,
      ...fields,
    });
    const items = [item("sum"), item("max"), item("last"), item("unique", { uniqueBy: "user" })];
    const { id } = await shop.subscribe({ planId, items });
    const shown = (await shop.now(id))["items"] as { aggregation: string; uniqueBy?: string }[];
    assert.deepEqual(
      shown.map(({ aggregation, uniqueBy }) => [aggregation, uniqueBy]),
      [
        ["sum", undefined],
        ["max", undefined],
        ["last", undefined],
        ["unique", "user"],
      ],
    );
    const of = (code: string, quantity: number, time: string, user: unknown) =>
      event(id, quantity, { item: code, ...at("2027-01-31", time), properties: { user } });
    for (const code of ["sum", "max", "last", "unique"])
      await record(
        of(code, 3, "09:00:00", "a"),
        of(code, 7, "09:30:00", "b"),
        of(code, 5, "09:45:00", "a"),
        of(code, 1, "08:00:00", "c"),
      );
    assert.deepEqual(await usageOf(id), [16, 7, 5, 3]);
    await record(of("unique", 1, "09:50:00", "a"), of("unique", 1, "09:50:00", 1), of("unique", 1, "09:50:00", "1"));
    assert.deepEqual(await usageOf(id), [16, 7, 5, 5]);
    await shop.move("2027-02-28");
    assert.deepEqual(
      (await billed(id)).map(({ amount }) => amount),
      [1.6, 0.7, 0.5, 0.5],
    );
    await record(...["a", "d"].map((user) => event(id, 1, { item: "unique", properties: { user } })));
    assert.deepEqual(await usageOf(id), [0, 0, 0, 2]);
  });

  test("of a period that was billed count in the next bill, which says so", async () => {
    const { id } = await subscribe();
    await record(event(id, 10));
    await shop.move("2027-02-28");
    const late = event(id, 3, at("2027-02-27"));
    await record(late, event(id, 20, at("2027-02-28", "00:00:00")));
    assert.deepEqual(
      (await listed(`subscriptionId=${id}`)).data.map((one) => one["late"]),
      [false, true, false],
    );
    assert.deepEqual(
      (await listed("late=true")).data.map((one) => one["id"]),
      [late["id"]],
    );
    await shop.move("2027-03-31");
    const [line] = await billed(id);
    assert.deepEqual([line?.description, line?.amount], ["Calls (of which 3 late)", 2.3]);
    assert.deepEqual(line?.reason.late, { events: 1, quantity: 3 });
    await record(event(id, 1));
    await shop.move("2027-04-30");
    assert.deepEqual(
      (await billed(id)).map(({ description }) => description),
      ["Calls"],
    );
  });

  test("of the minutes after the period's end count in the next one", async () => {
    const { id } = await subscribe({ ...CALLS, aggregation: "max" });
    await shop.move("2027-02-27T21:58:00.000Z");
    await record(event(id, 5), event(id, 9, at("2027-02-28", "00:01:00")));
    const refused = await record(event(id, 1, at("2027-02-28", "00:03:01")));
    assert.match(refused.rejected[0]?.reason ?? "", /5 minutes/);
    assert.deepEqual(await usageOf(id), [5]);
    await shop.move("2027-02-28");
    assert.deepEqual(
      (await billed(id)).map(({ quantity }) => quantity),
      [5],
    );
    assert.deepEqual(await usageOf(id), [9]);
    await shop.move("2027-03-31");
    assert.deepEqual(
      (await billed(id)).map(({ quantity }) => quantity),
      [9],
    );
  });

  test("of a trial are free, also when they come after it", async () => {
    const { id } = await subscribe(CALLS, { trialDays: 7 });
    await record(event(id, 5));
    await shop.move("2027-02-07");
    await record(event(id, 6, at("2027-02-06")), event(id, 2));
    assert.deepEqual(await usageOf(id), [2]);
  });

  test("are rejected one by one, with what to change, and may be sent again", async () => {
    const items = [
      CALLS,
      { kind: "addon", code: "seats", description: "Seats", unitAmount: 1 },
      { ...CALLS, code: "users", aggregation: "unique", uniqueBy: "user" },
    ];
    const { id } = await shop.subscribe({ planId, items });
    const { id: ended } = await subscribe();
    await shop.act(ended, "cancel", {});
    const good = event(id, 1);
    const wrong: [Event, RegExp][] = [
      [event("csub_unknown", 1), /No customer subscription has the id csub_unknown/],
      [{ ...event(id, 1), subscriptionId: undefined, externalReference: "none" }, /externalReference none/],
      [event(id, 1, { item: "other" }), /no item other/],
      [event(id, 1, { item: "seats" }), /not metered/],
      [event(id, 1, { item: "users" }), /properties.user is required/],
      [event(ended, 1), /cancelled/],
      [event(id, 1, at("2027-02-01")), /5 minutes/],
    ];
    const answer = await record(...wrong.map(([one]) => one), good);
    assert.deepEqual([answer.accepted, answer.duplicates, answer.rejected.length], [1, 0, wrong.length]);
    for (const [place, [one, why]] of wrong.entries()) {
      assert.equal(answer.rejected[place]?.id, one["id"]);
      assert.match(answer.rejected[place]?.reason ?? "", why);
    }
    const again = { ...event(id, 1), id: wrong[0]?.[0]["id"] };
    assert.deepEqual(await record(again, good), { accepted: 1, duplicates: 1, rejected: [] });
  });

  test("keep bills below the largest invoice", async () => {
    const { id } = await subscribe({ ...CALLS, unitAmount: 10_000_000 });
    const answer = await record(event(id, 60), event(id, 60), event(id, 20));
    assert.deepEqual([answer.accepted, answer.rejected.length], [2, 1]);
    assert.deepEqual(await usageOf(id), [80]);
  });

  test("have ids that count again after 90 days", async () => {
    const { id } = await subscribe(CALLS, {});
    const same = event(id, 1);
    await record(same);
    await shop.move("2027-05-01T07:59:59.000Z");
    assert.equal((await record({ ...same, ...at("2027-05-01", "09:00:00") })).duplicates, 1);
    await shop.move("2027-05-01T08:00:00.000Z");
    assert.equal((await record(same)).accepted, 1);
    await shop.move("2027-09-02");
    assert.deepEqual((await listed("limit=5")).data, []);
  });

  test("bad bodies are 400, and name the field", async () => {
    const { id } = await subscribe();
    const bodies: [unknown, string][] = [
      [{}, "events"],
      [{ events: [] }, "events"],
      [{ events: Array.from({ length: 1001 }, () => event(id, 1)) }, "events"],
      [{ events: [{ ...event(id, 1), id: undefined }] }, "events.0.id"],
      [{ events: [event(id, 1), { ...event(id, 1), quantity: "1" }] }, "events.1.quantity"],
      [{ events: [{ ...event(id, 1), quantity: -1 }] }, "events.0.quantity"],
      [{ events: [{ ...event(id, 1), at: "yesterday" }] }, "events.0.at"],
      [{ events: [{ ...event(id, 1), externalReference: "x" }] }, "events.0.subscriptionId"],
      [{ events: [{ ...event(id, 1), subscriptionId: undefined }] }, "events.0.subscriptionId"],
      [{ events: [{ ...event(id, 1), properties: { a: { b: 1 } } }] }, "events.0.properties.a"],
    ];
    for (const [body, path] of bodies) {
      const answer = await shop.shop.call<Refusal>("POST", "/usage-events", { body: body as object });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.issues?.[0]?.path.join("."), path, answer.text);
    }
  });

  test("a thousand of them fit, and are the same under one Idempotency-Key", async () => {
    const { id } = await subscribe();
    const events = Array.from({ length: 1000 }, () => event(id, 1, { properties: { path: "/".padEnd(200, "x") } }));
    const [first, again] = [
      await send(events, { "idempotency-key": "U1" }),
      await send(events, { "idempotency-key": "U1" }),
    ];
    assert.deepEqual([first.status, first.body.accepted, again.body], [200, 1000, first.body]);
    assert.deepEqual(await usageOf(id), [1000]);
  });

  test("beside usage that is recorded by hand", async () => {
    const { id } = await subscribe();
    await record(event(id, 5));
    await shop.act(id, "items/calls/usage", { quantity: 2 });
    await record(event(id, 1));
    assert.deepEqual(await usageOf(id), [8]);
    await shop.act(id, "items/calls/usage", { quantity: 3, action: "set" });
    await record(event(id, 1));
    assert.deepEqual(await usageOf(id), [4]);
  });

  test("how an item counts stays; a gauge keeps what it counted at another price", async () => {
    const { id } = await subscribe({ ...CALLS, aggregation: "max" });
    await record(event(id, 6));
    const refused = await shop.shop.call<Refusal>("PATCH", `/customer-subscriptions/${id}/items/calls`, {
      body: { aggregation: "sum" },
    });
    assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, ["aggregation"]]);
    await shop.shop.call("PATCH", `/customer-subscriptions/${id}/items/calls`, { body: { unitAmount: 1 } });
    assert.deepEqual(await usageOf(id), [6]);
    await shop.move("2027-02-28");
    assert.deepEqual(
      (await billed(id)).map(({ amount }) => amount),
      [6],
    );
    for (const fields of [{ aggregation: "unique" }, { uniqueBy: "x" }, { aggregation: "median" }]) {
      const answer = await shop.shop.call<Refusal>("POST", "/customer-subscriptions", {
        body: {
          customer: { id: shop.customer },
          planId,
          collectionMethod: "invoice",
          items: [{ ...CALLS, ...fields }],
        },
      });
      assert.equal(answer.status, 400, answer.text);
    }
  });

  test("each count once, in their period, whatever the order and the repeats", async () => {
    const days = fc.array(
      fc.record({
        month: fc.integer({ min: 0, max: 2 }),
        day: fc.integer({ min: 1, max: 28 }),
        quantity: fc.integer({ min: 0, max: 1000 }),
        lateBy: fc.constantFrom(0, 0, 1),
        again: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 40 },
    );
    const MONTHS = ["2027-03", "2027-04", "2027-05", "2027-06"] as const;
    await fc.assert(
      fc.asyncProperty(days, fc.integer(), async (uses, seed) => {
        shop = await openSubscriptionShop(api);
        await shop.move("2027-03-01");
        const { id } = await shop.subscribe({ planId: await shop.addPlan(), items: [CALLS] });
        let before: Event[] = [];
        for (const [month, name] of MONTHS.entries()) {
          await shop.move(`${name}-28T21:00:00.000Z`);
          const due = uses.flatMap((use, place) =>
            use.month + use.lateBy === month
              ? Array.from({ length: use.again }, () => ({
                  id: `use-${place}`,
                  subscriptionId: id,
                  item: "calls",
                  quantity: use.quantity,
                  at: `${MONTHS[use.month]}-${String(use.day).padStart(2, "0")}T12:00:00Z`,
                }))
              : [],
          );
          const shuffled = due.toSorted(
            (a, b) => (((seed ^ a.id.length) + a.quantity) % 7) - (((seed ^ b.id.length) + b.quantity) % 7),
          );
          for (let from = 0; from < shuffled.length; from += 7) await record(...shuffled.slice(from, from + 7));
          const sent = [...before, ...due];
          if (sent.length > 0) assert.equal((await record(...sent)).accepted, 0);
          before = due;
        }
        await shop.move("2027-07-01");
        const invoices = (await shop.invoices(id)).toReversed().slice(1);
        for (const [month] of MONTHS.entries()) {
          const counted = uses.filter((use) => use.month + use.lateBy === month).map(({ quantity }) => quantity);
          const lines = (invoices[month]?.["lines"] ?? []) as ShownLine[];
          const usage = lines.filter(({ reason }) => reason.kind === "usage").map(({ quantity }) => quantity);
          const expected = counted.reduce((all, one) => all + one, 0);
          assert.deepEqual(usage, expected === 0 ? [] : [expected]);
        }
      }),
      { numRuns: 5 },
    );
  });
});
