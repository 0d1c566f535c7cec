import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { endpoint, gatewayEndpoint, type Reply } from "../../src/http/endpoint.ts";
import { ApiError } from "../../src/kernel/errors.ts";
import { updateOrganisation } from "../../src/modules/organisations/store.ts";
import { newId } from "../../src/platform/new-id.ts";
import type { Answered } from "../support/dashboard.ts";
import { type Merchant, openMerchant } from "../support/merchant.ts";

type Outcome = "done" | "conflict" | "gateway_error" | "dies";

/** The requests to the gateway, and its next answers. */
const asked: { intent: string; again: boolean }[] = [];
let outcomes: Outcome[] = [];
let open: Promise<void> = Promise.resolve();
const settled = new Map<string, Reply | ApiError>();

const answers: Record<Exclude<Outcome, "dies">, (intent: string) => Reply | ApiError> = {
  done: (intent) => ({ status: 201, body: { id: intent } }),
  conflict: (intent) => new ApiError("invalid_state", 409, "It is there.", { shown: { charge: { id: intent } } }),
  gateway_error: () => new ApiError("gateway_error", 502, "The gateway refused."),
};

const common = {
  audience: "clients",
  tag: { name: "x", about: "x" },
  summary: "x",
  permission: "settings:write",
  replies: {},
} as const;
const endpoints = [
  gatewayEndpoint({
    ...common,
    method: "POST",
    path: "/charges",
    body: z.object({ amount: z.number().positive() }),
    idempotent: true,
    steps: {
      async record() {
        const intent = newId("ref");
        return { intent, audit: { subject: intent } };
      },
      async ask(_call, intent, again) {
        if (settled.has(intent)) return null;
        asked.push({ intent, again });
        await open;
        const outcome = outcomes.shift() ?? "done";
        if (outcome === "dies") throw new Error("the process ended here");
        return outcome;
      },
      async settle(_call, _tx, intent, outcome) {
        if (outcome) settled.set(intent, answers[outcome](intent));
        return settled.get(intent) ?? { status: 201, body: { id: intent, pending: true } };
      },
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/plans",
    body: z.object({ name: z.string(), dryRun: z.boolean().optional() }),
    idempotent: true,
    preview: async ({ body }) => ({ status: 200, body: { dryRun: true, name: body.name } }),
    handle: async ({ body }) => ({ status: 201, body: { name: body.name }, audit: { subject: body.name } }),
  }),
];

let merchant: Merchant;
let cookie: string;
let keys = 0;
const newKey = () => `key ${++keys}`;
before(async () => {
  merchant = await openMerchant(endpoints);
  const email = `steps@${merchant.organisation.slug}.example`;
  await merchant.dashboard.addMember(merchant.organisation, email, "owner");
  cookie = await merchant.dashboard.signIn(email);
});
after(() => merchant.close());
beforeEach(() => {
  asked.length = 0;
  outcomes = [];
  open = Promise.resolve();
});

const send = (path: string, key: string | null, body: unknown): Promise<Answered> =>
  merchant.dashboard.call("POST", path, { cookie, body, headers: key === null ? {} : { "idempotency-key": key } });
const charge = (key: string | null, amount = 1) => send("/charges", key, { amount });
const isReplay = ({ headers }: Answered) => headers["idempotent-replayed"] === "true";
const rows = <Row>(read: "keys" | "audit") =>
  merchant.dashboard.services.db.read(merchant.organisation.id, (tx) =>
    read === "keys"
      ? tx.sql<Row>`select * from idempotency_keys where organisation_id = ${tx.organisation}`
      : tx.sql<Row>`select * from audit_log where organisation_id = ${tx.organisation}`,
  );
/** Makes the key older by so many seconds and whole days. */
const grow = (key: string, seconds: number, days = 0) =>
  merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) => {
    tx.queue`select maintain_partitions(clock_timestamp() - make_interval(days => ${days}))`;
    tx.queue`
      update idempotency_keys
         set claimed_at = claimed_at - make_interval(days => ${days}, secs => ${seconds}),
             recorded_at = recorded_at - make_interval(days => ${days})
       where organisation_id = ${tx.organisation} and key = ${key}`;
  });

/** A cancelled account is read-only. */
const become = (state: "active" | "cancelled") =>
  merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) => {
    updateOrganisation(tx, { ...merchant.organisation, state });
  });

describe("a gateway call behind an Idempotency-Key", () => {
  test("a repeat is answered by the stored reply; the gateway is asked once, and the audit log has one entry", async () => {
    const before = (await rows("audit")).length;
    const key = newKey();
    const [first, second] = [await charge(key), await charge(key)];
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
    assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
    assert.deepEqual(asked, [{ intent: first.body["id"], again: false }]);
    assert.equal((await rows("audit")).length, before + 1);
    assert.equal((await charge(key, 2)).body["error"], "idempotency_conflict", "another body");
  });

  test("without a key each is one of its own", async () => {
    const ids = [(await charge(null)).body["id"], (await charge(null)).body["id"]];
    assert.deepEqual(
      ids,
      asked.map(({ intent }) => intent),
    );
  });

  test("a refusal that settles carries its record, and is stored", async () => {
    outcomes = ["conflict"];
    const key = newKey();
    const first = await charge(key);
    assert.equal(first.status, 409);
    assert.partialDeepStrictEqual(first.body, {
      charge: { id: asked[0]?.intent },
      error: "invalid_state",
      message: "It is there.",
    });
    const second = await charge(key);
    assert.deepEqual([second.status, second.text, isReplay(second)], [409, first.text, true]);
    assert.equal(asked.length, 1);
  });

  test("502 is not stored: a repeated request finds the intent and is answered by its status, without a second call", async () => {
    outcomes = ["gateway_error"];
    const before = (await rows("audit")).length;
    const key = newKey();
    for (const answer of [await charge(key), await charge(key), await charge(key)])
      assert.deepEqual([answer.status, answer.body["error"], isReplay(answer)], [502, "gateway_error", false]);
    assert.deepEqual([(await rows("audit")).length - before, asked.length], [1, 1]);
  });

  test("twenty at once: one is recorded and asked for, the others wait for its reply", async () => {
    const gate = Promise.withResolvers<void>();
    open = gate.promise;
    const before = (await rows("audit")).length;
    const key = newKey();
    const all = Array.from({ length: 20 }, () => charge(key));
    setTimeout(gate.resolve, 400);
    const answered = await Promise.all(all);
    assert.deepEqual(new Set(answered.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.deepEqual(
      [(await rows("audit")).length - before, asked.length, answered.filter(isReplay).length],
      [1, 1, 19],
    );
  });

  test("while the first is still at it after ten seconds: 409 with Retry-After", async () => {
    const gate = Promise.withResolvers<void>();
    open = gate.promise;
    const key = newKey();
    const first = charge(key);
    // Sent at the same time, the second request could claim the key first.
    while (asked.length === 0) await sleep(10);
    const second = await charge(key);
    assert.deepEqual(
      [second.status, second.body["error"], second.headers["retry-after"]],
      [409, "idempotency_conflict", "2"],
    );
    gate.resolve();
    assert.equal((await first).status, 201);
    assert.equal(isReplay(await charge(key)), true, "the refusal of the second was not stored");
    assert.equal(asked.length, 1);
  });

  test("a process that ends after the record: the same intent is asked about first, and its answer stored", async () => {
    outcomes = ["dies", "done"];
    const key = newKey();
    assert.equal((await charge(key)).status, 500);
    await grow(key, 41);
    const second = await charge(key);
    const intent = asked[0]?.intent;
    assert.deepEqual([second.status, second.body["id"]], [201, intent]);
    assert.deepEqual(asked, [
      { intent, again: false },
      { intent, again: true },
    ]);
    assert.equal(isReplay(await charge(key)), true);
  });

  test("of repeats at once that find the intent free, one takes it up and the others wait for its reply", async () => {
    outcomes = ["dies"];
    const key = newKey();
    await charge(key);
    await grow(key, 41);
    const gate = Promise.withResolvers<void>();
    open = gate.promise;
    const all = Array.from({ length: 10 }, () => charge(key));
    setTimeout(gate.resolve, 400);
    const answered = await Promise.all(all);
    assert.deepEqual(
      answered.map(({ status }) => status),
      answered.map(() => 201),
    );
    assert.deepEqual([asked.length, answered.filter(isReplay).length], [2, 9]);
  });

  test("an intent is taken up on an account that has become read-only, and its reply is replayed there", async () => {
    outcomes = ["dies", "done"];
    const key = newKey();
    await charge(key);
    await grow(key, 41);
    await become("cancelled");
    const repeats = [await charge(key), await charge(key)];
    const another = await charge(newKey());
    await become("active");
    assert.deepEqual(
      repeats.map((answer) => [answer.status, answer.body["id"], isReplay(answer)]),
      [
        [201, asked[0]?.intent, false],
        [201, asked[0]?.intent, true],
      ],
    );
    assert.equal(another.body["error"], "account_restricted");
    assert.equal(asked.length, 2);
  });

  test("a key that is free again after its day is answered by its new intent, not by the old reply", async () => {
    const key = newKey();
    const old = await charge(key);
    await grow(key, 0, 2);
    outcomes = ["dies", "done"];
    assert.equal((await charge(key, 2)).status, 500);
    await grow(key, 41);
    const answer = await charge(key, 2);
    assert.deepEqual([answer.status, answer.body["id"] === old.body["id"], isReplay(answer)], [201, false, false]);
  });
});

test("a dry run writes nothing: no audit entry and no key; a real one may follow under the same key", async () => {
  const before = [(await rows("keys")).length, (await rows("audit")).length];
  const key = newKey();
  for (let n = 0; n < 2; n++) {
    const { status, body, headers } = await send("/plans", key, { name: "a", dryRun: true });
    assert.deepEqual([status, body, headers["idempotent-replayed"]], [200, { dryRun: true, name: "a" }, undefined]);
  }
  assert.equal((await send("/plans", key, { name: 1, dryRun: true })).status, 400, "it is validated like a real one");
  assert.deepEqual([(await rows("keys")).length, (await rows("audit")).length], before);
  assert.equal((await send("/plans", key, { name: "a", dryRun: false })).status, 201);
  assert.equal((await rows("audit")).length, Number(before[1]) + 1);
});
