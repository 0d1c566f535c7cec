import assert from "node:assert/strict";
import { test } from "node:test";
import { listOf } from "../../typescript/src/lists.ts";
import { fieldsOf, readArguments } from "../src/arguments.ts";
import { type Place, readSince } from "../src/follow.ts";

test("words and options are told apart", () => {
  const typed = readArguments(["events", "list", "--type", "invoice.paid", "-d", "a=1", "--data=b=2", "--json"]);
  assert.deepEqual(typed.words, ["events", "list"]);
  assert.equal(typed.option("type"), "invoice.paid");
  assert.deepEqual(typed.all("data"), ["a=1", "b=2"]);
  assert.ok(typed.has("json"));
  assert.throws(() => readArguments(["listen", "--forward-to"]), /needs a value/);
});

test("fields make an object, with places and names below", () => {
  assert.deepEqual(
    fieldsOf(["title=Order 1", "amount=12.5", "lines.0.quantity=1", "lines[1][quantity]=2", "a.b=null"]),
    {
      title: "Order 1",
      amount: 12.5,
      lines: [{ quantity: 1 }, { quantity: 2 }],
      a: { b: null },
    },
  );
  assert.deepEqual(fieldsOf(['phone="0821234567"', 'list=["a"]']), { phone: "0821234567", list: ["a"] });
  for (const wrong of [["x"], ["=1"], ["a=1", "a.b=2"], ["__proto__.x=1"]]) assert.throws(() => fieldsOf(wrong));
});

test("what appears below a known record is found, and nothing twice", async () => {
  let stored = ["e1", "e3"];
  const read = ({ limit, endingBefore }: { limit: number; endingBefore?: string }) =>
    listOf({ endingBefore }, async (query: { endingBefore?: string | undefined }) => {
      const from = query.endingBefore === undefined ? 0 : stored.findIndex((id) => id > String(query.endingBefore));
      const data = (from === -1 ? [] : stored.slice(from, from + limit)).toReversed().map((id) => ({ id }));
      const more = from !== -1 && from + limit < stored.length;
      return { data, hasMore: more, nextCursor: more ? (data[0]?.id ?? null) : null };
    });
  const ids = ({ found }: { found: { id: string }[] }) => found.map(({ id }) => id);
  let place: Place = { anchor: null, known: [] };
  const step = async (now: number) => {
    const outcome = await readSince(read, place, now);
    place = outcome.next;
    return ids(outcome);
  };
  assert.deepEqual(await step(0), ["e1", "e3"]);
  stored = ["e1", "e2", "e3", "e4"];
  assert.deepEqual(await step(1_000), ["e2", "e4"]);
  assert.deepEqual(await step(2_000), []);
  stored.push("e5");
  assert.deepEqual(await step(70_000), ["e5"]);
  assert.ok(place.known.length <= 1, "what is certain is forgotten");
  stored.push("e6");
  assert.deepEqual(await step(80_000), ["e6"]);
});
