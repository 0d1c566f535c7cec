import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { addCard, openCardShop, VISA } from "../support/cards.ts";
import { closeVerified, faultsOf } from "../support/verified.ts";

interface Snapshot {
  readonly id: string;
  readonly name: string | null;
  readonly now: string;
  readonly createdAt: string;
}

const START = "2027-01-31T08:00:00.000Z";
const LINES = [{ description: "Painting", quantity: 1, unitPrice: 100 }];

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const snapshot = async (shop: ApiMerchant, name?: string): Promise<Snapshot> => {
  const answer = await shop.post<Snapshot>("/test-clock/snapshots", name === undefined ? {} : { name });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const rewind = (shop: ApiMerchant, { id }: Pick<Snapshot, "id">) =>
  shop.call<Snapshot & Refusal>("POST", `/test-clock/snapshots/${id}/rewind`);
const move = async (shop: ApiMerchant, now: string) => {
  const answer = await shop.post("/test-clock", { now });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const newShop = () => api.addMerchant({ clockAt: new Date(START) as never });

/** What stays when everything else is put back. */
const KEPT =
  "api_keys members invitations roles audit_log request_log idempotency_keys lock_slots event_resumptions clock_snapshots clock_snapshot_rows".split(
    " ",
  );

/** All rows of an organisation, by table, as text; leases are nobody's. */
async function rowsOf(shop: ApiMerchant): Promise<Record<string, string>> {
  const tables = await api.query<{ name: string }>("select name from snapshot_tables()");
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await api.query<{ text: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text collate "C") as text from (select * from ${name} where organisation_id = $1) t`,
      shop.organisation.id,
    );
    all[name] = row?.text ?? "";
  }
  return all;
}

describe("a snapshot", () => {
  test("has a name or none, the clock's time, and is listed newest first", async () => {
    const shop = await newShop();
    const first = await snapshot(shop, "before");
    assert.match(first.id, /^snap_[0-9a-z]{26}$/);
    assert.deepEqual([first.name, first.now], ["before", START]);
    assert.ok(Math.abs(Date.parse(first.createdAt) - Date.now()) < 60_000);
    const empty = await shop.call<Snapshot>("POST", "/test-clock/snapshots");
    assert.deepEqual([empty.status, empty.body.name], [201, null]);
    const { body } = await shop.get<{ data: Snapshot[] }>("/test-clock/snapshots");
    assert.deepEqual(body.data, [empty.body, first]);
    assert.equal((await shop.call("DELETE", `/test-clock/snapshots/${first.id}`)).status, 200);
    assert.equal((await rewind(shop, first)).status, 404);
  });

  for (const [what, body] of [
    ["a name that is none", { name: 5 }],
    ["an empty name", { name: " " }],
    ["a name of 101 characters", { name: "x".repeat(101) }],
  ] as const)
    test(`is refused with ${what}`, async () => {
      assert.equal((await (await newShop()).post("/test-clock/snapshots", body)).status, 400);
    });

  test("is of sandbox organisations", async () => {
    const live = await api.addMerchant({ sandbox: false });
    for (const [method, path] of [
      ["GET", "/test-clock/snapshots"],
      ["POST", "/test-clock/snapshots"],
      ["POST", "/test-clock/snapshots/snap_0/rewind"],
      ["DELETE", "/test-clock/snapshots/snap_0"],
    ] as const) {
      const { status, body } = await live.call(method, path);
      assert.deepEqual([status, body["error"]], [403, "permission_required"], path);
    }
  });

  test("of another organisation is not found", async () => {
    const [shop, other] = [await newShop(), await newShop()];
    const kept = await snapshot(shop);
    assert.equal((await rewind(other, kept)).status, 404);
    assert.equal((await other.call("DELETE", `/test-clock/snapshots/${kept.id}`)).status, 404);
  });

  test("is the twentieth at most, two at once included; deleting one makes room", async () => {
    const shop = await newShop();
    for (let n = 0; n < 19; n += 1) await snapshot(shop);
    const two = await Promise.all([1, 2].map(() => shop.post<Refusal>("/test-clock/snapshots", {})));
    assert.deepEqual(two.map(({ status }) => status).toSorted(), [201, 409]);
    assert.match(two.find(({ status }) => status === 409)?.body.message ?? "", /DELETE \/test-clock\/snapshots/);
    const { body } = await shop.get<{ data: Snapshot[] }>("/test-clock/snapshots?limit=100");
    assert.equal((await shop.call("DELETE", `/test-clock/snapshots/${body.data[0]?.id}`)).status, 200);
    await snapshot(shop);
  });

  test("is deleted when a customer is erased, whom it holds", async () => {
    const shop = await newShop();
    const staff = await shop.signIn();
    const { body } = await shop.post<{ id: string }>("/customers", { email: "thandi@example.co.za" });
    await snapshot(shop);
    assert.equal((await staff("POST", `/customers/${body.id}/erase`, {})).status, 200);
    assert.deepEqual((await shop.get<{ data: Snapshot[] }>("/test-clock/snapshots")).body.data, []);
  });
});

/** Makes records of many kinds: cards, subscriptions that renew, an invoice, a link that is paid. */
async function busyShop(): Promise<{ shop: ApiMerchant; staff: StaffCall; customer: string; card: unknown }> {
  const cards = await openCardShop(api);
  const { shop, staff, customer } = cards;
  const { id: card } = await addCard(cards, VISA);
  const pack = await staff<{ id: string }>("POST", "/packages", { name: "Hosting" });
  const plan = await staff<{ id: string }>("POST", `/packages/${pack.body.id}/plans`, {
    ...{ name: "Basic", amount: 100, frequency: "monthly" },
  });
  for (const collectionMethod of ["invoice", "gateway"] as const) {
    const made = await shop.post("/customer-subscriptions", {
      ...{ customer: { id: customer }, planId: plan.body.id, collectionMethod },
      ...(collectionMethod === "gateway" ? { cardId: card } : {}),
    });
    assert.equal(made.status, 201, made.text);
  }
  return { shop, staff, customer, card };
}

/** Records by what does not hang on ids: how many events of each type, the invoices' numbers, dates, totals and states. */
async function outcome(shop: ApiMerchant) {
  const { id } = shop.organisation;
  const counts = await api.query<{ type: string; n: number }>(
    "select type, count(*)::int as n from events where organisation_id = $1 group by type order by type",
    id,
  );
  const invoices = await api.query(
    "select number, status, issue_date, due_date, total_cents, paid_cents from invoices where organisation_id = $1 order by number",
    id,
  );
  const books = await api.query(
    `select l.account, sum(l.amount_cents)::text as sum from journal_lines l where l.organisation_id = $1 group by 1 order by 1`,
    id,
  );
  return { counts, invoices, books };
}

describe("a rewind", () => {
  test("puts every row back, and the same months come again", async () => {
    const { shop, customer } = await busyShop();
    const start = (await shop.get<{ now: string }>("/test-clock")).body.now;
    const day = (n: number) => new Date(Date.parse(start) + n * 86_400_000).toISOString();
    await move(shop, day(3));
    const kept = await snapshot(shop, "three days in");
    const rows = await rowsOf(shop);
    const months = async () => {
      await shop.post("/invoices", { customerId: customer, send: true, lines: LINES });
      await move(shop, day(100));
      return outcome(shop);
    };
    const first = await months();
    assert.ok(first.invoices.length >= 6, "months have been billed");
    const answer = await rewind(shop, kept);
    assert.deepEqual([answer.status, answer.body], [200, kept], answer.text);
    assert.deepEqual(await rowsOf(shop), rows);
    assert.deepEqual((await shop.get("/test-clock")).body, { now: kept.now, set: true });
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
    assert.deepEqual(await months(), first);
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
    // And to it again, from there.
    assert.equal((await rewind(shop, kept)).status, 200);
    assert.deepEqual(await rowsOf(shop), rows);
  });

  test("gives no number of an event twice: those of a subject go on above all that were given", async () => {
    const shop = await newShop();
    const { body } = await shop.post<{ id: string }>("/customers", { email: "a@example.co.za" });
    const change = async (firstName: string) => {
      const answer = await shop.call("PATCH", `/customers/${body.id}`, { body: { firstName } });
      assert.equal(answer.status, 200, answer.text);
    };
    const numbers = async () => {
      const { data } = (await shop.get<{ data: { sequence: number }[] }>(`/events?subject=${body.id}`)).body;
      return data.map(({ sequence }) => sequence).toReversed();
    };
    await change("First");
    const early = await snapshot(shop);
    await change("Second");
    await change("Third");
    const late = await snapshot(shop);
    const draft = await shop.post<{ id: string }>("/invoices", { customerId: body.id, lines: LINES });
    const silent = await snapshot(shop);
    const send = async () =>
      assert.equal((await shop.call("POST", `/invoices/${draft.body.id}/send`)).status, 200, "it is sent");
    await send();
    assert.deepEqual(await numbers(), [1, 2, 3, 4, 5]);
    const steps: [Snapshot, number[]][] = [
      [early, [1, 2]],
      // Twice without an event between.
      [early, [1, 2, 6]],
      // Later than where it was, and then earlier.
      [late, [1, 2, 3, 4, 7]],
      [early, [1, 2, 8, 9]],
      [late, [1, 2, 3, 4]],
      [late, [1, 2, 3, 4, 10]],
    ];
    for (const [to, expected] of steps) {
      assert.equal((await rewind(shop, to)).status, 200);
      while ((await numbers()).length < expected.length) await change(`Again ${Math.random()}`);
      assert.deepEqual(await numbers(), expected);
      assert.deepEqual(await faultsOf(api, shop.organisation), []);
    }
    // A subject whose first event was taken back.
    assert.equal((await rewind(shop, silent)).status, 200);
    await send();
    const { data } = (await shop.get<{ data: { sequence: number }[] }>(`/events?subject=${draft.body.id}`)).body;
    assert.deepEqual(
      data.map(({ sequence }) => sequence),
      [2],
    );
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
  });

  test("puts back what was posted in a month that the snapshot has closed", async () => {
    const shop = await newShop();
    const staff = await shop.signIn("owner");
    const { body: customer } = await shop.post<{ id: string }>("/customers", { email: "a@example.co.za" });
    await shop.post("/invoices", { customerId: customer.id, send: true, lines: LINES });
    await move(shop, "2027-02-02T10:00:00.000Z");
    const closed = await staff("POST", "/accounting/months/2027-01/close");
    assert.equal(closed.status, 200, closed.text);
    const kept = await snapshot(shop);
    const rows = await rowsOf(shop);
    const answer = await rewind(shop, kept);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await rowsOf(shop), rows);
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
  });

  test("of a clock that ran with real time lets it stand where it was", async () => {
    const shop = await api.addMerchant();
    const kept = await snapshot(shop);
    await shop.post("/customers", { email: "a@example.co.za" });
    assert.equal((await rewind(shop, kept)).status, 200);
    assert.deepEqual((await shop.get("/test-clock")).body, { now: kept.now, set: true });
    assert.deepEqual((await shop.get<{ data: unknown[] }>("/customers")).body.data, []);
    assert.equal((await shop.call("DELETE", "/test-clock")).status, 200);
  });

  test("leaves keys, members, logs and stored answers as they are, and other organisations", async () => {
    const [shop, other] = [await newShop(), await newShop()];
    await other.post("/customers", { email: "other@example.co.za" });
    const kept = await snapshot(shop);
    const headers = { "idempotency-key": "one" };
    const made = await shop.call<{ id: string }>("POST", "/customers", { body: { email: "b@example.co.za" }, headers });
    const { key } = await shop.addKey();
    const staff = await shop.signIn();
    assert.equal((await rewind(shop, kept)).status, 200);
    assert.equal((await shop.get("/customers", { key })).status, 200);
    assert.equal((await staff("GET", "/me")).status, 200);
    const again = await shop.call("POST", "/customers", { body: { email: "b@example.co.za" }, headers });
    assert.deepEqual(again.body, made.body);
    assert.equal((await shop.get(`/customers/${made.body.id}`)).status, 404);
    assert.equal((await other.get<{ data: unknown[] }>("/customers")).body.data.length, 1);
    const audit = await staff<{ data: { action: string }[] }>("GET", "/audit-log");
    assert.deepEqual(
      audit.body.data.map(({ action }) => action).filter((action) => action.includes("rewind")),
      ["POST /test-clock/snapshots/{id}/rewind"],
    );
  });

  test("beside requests that write leaves nothing half", async () => {
    const shop = await newShop();
    const { body } = await shop.post<{ id: string }>("/customers", { email: "c@example.co.za" });
    const kept = await snapshot(shop);
    const write = async () => {
      const answer = await shop.post("/invoices", { customerId: body.id, send: true, lines: LINES });
      assert.ok(answer.status === 201, answer.text);
    };
    const writing = Array.from({ length: 10 }, write);
    const answer = await rewind(shop, kept);
    assert.equal(answer.status, 200, answer.text);
    await Promise.all([...writing, ...Array.from({ length: 10 }, write)]);
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
  });

  test("is refused while the clock is moved, and from before an update", async () => {
    const shop = await newShop();
    const kept = await snapshot(shop);
    await shop.change({ clock_moving_until: new Date(Date.now() + 60_000) });
    for (const answer of [await rewind(shop, kept), await shop.post("/test-clock/snapshots", {})])
      assert.deepEqual([answer.status, answer.body["error" as never]], [409, "invalid_state"], answer.text);
    await shop.change({ clock_moving_until: null });
    await api.query("update clock_snapshots set schema_version = '0001-old' where id = $1", kept.id);
    const refused = await rewind(shop, kept);
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
  });
});

test("every table of organisations is put back but these, and their triggers stand aside", async () => {
  const tables = await api.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const put = new Set(
    (await api.query<{ name: string }>("select name from snapshot_tables()")).map(({ name }) => name),
  );
  assert.deepEqual(
    tables
      .map(({ name }) => name)
      .filter((name) => !put.has(name))
      .toSorted(),
    KEPT.toSorted(),
  );
  // keep_revision is called for the service alone; the check of the books only looks.
  const acting = await api.query<{ name: string }>(
    `select distinct p.proname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and position('app.rewinding' in p.prosrc) = 0 order by 1`,
  );
  assert.deepEqual(
    acting.map(({ name }) => name),
    ["check_journal_balance", "keep_revision"],
  );
});
