import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../test/support/api.ts";
import { addActiveMandate, type MandateShop, openMandateShop } from "../../test/support/mandates.ts";
import { faultsOf } from "../../test/support/verified.ts";
import type { Tx } from "../platform/database.ts";

/* Revisions are kept of what the service changes (decisions.md#revisions). */

let api: TestApi;
let shop: MandateShop;
before(async () => {
  api = await openApi();
  shop = await openMandateShop(api);
});
after(() => api?.close());

const revisions = (id: unknown) =>
  api.query<{ number: number; facts: Record<string, unknown> }>(
    "select number, facts from revisions where subject = $1 order by number",
    id,
  );
const amounts = async (id: unknown) =>
  (await revisions(id)).map(({ number, facts }) => [number, facts["amount_cents"], facts["status"]]);

test("one for each change by the service, none for what nothing changes and for a change by hand", async () => {
  const { id } = await addActiveMandate(shop);
  for (const body of [{ amount: 10 }, { amount: 10 }, { status: "paused" }])
    assert.equal((await shop.shop.call("PATCH", `/mandates/${id}`, { body })).status, 200);
  const kept = [
    [1, 35_050, "active"],
    [2, 1_000, "active"],
    [3, 1_000, "paused"],
  ];
  assert.deepEqual(await amounts(id), kept);
  await api.query("update mandates set amount_cents = 9 where id = $1", id);
  assert.deepEqual(await amounts(id), kept);
  const faults = await faultsOf(api);
  assert.deepEqual(
    faults.map(({ table, rule, expected, found }) => [table, rule, expected, found]),
    [["mandates", "revision", "amount_cents 1000", "amount_cents 9"]],
  );
  await api.query("update mandates set amount_cents = 1000 where id = $1", id);
});

test("no service may change or remove them", async () => {
  const { organisation } = shop.shop;
  const refused = (work: (tx: Tx) => Promise<unknown>) =>
    assert.rejects(api.services.db.transaction(organisation.id, work), /permission denied/);
  await refused((tx) => tx.sql`update revisions set number = 9 where organisation_id = ${tx.organisation}`);
  await refused((tx) => tx.sql`delete from revisions where organisation_id = ${tx.organisation}`);
});
