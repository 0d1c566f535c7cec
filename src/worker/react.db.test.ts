import assert from "node:assert/strict";
import { test } from "node:test";
import { makePaidOrganisation } from "../../test/support/paid-organisation.ts";
import { eventually, openFixture } from "../../test/support/worker.ts";
import { createMetrics } from "../platform/metrics.ts";
import { startWorker } from "./worker.ts";

test("the outcomes of payments are counted by gateway, kind and currency", async (t) => {
  const fixture = await openFixture(t);
  await makePaidOrganisation(fixture.services);
  const known = await fixture.query<{ n: number }>(
    "select count(*)::integer as n from events where type = 'payment.complete'",
  );
  const [{ n: complete = 0 } = {}] = known;
  assert.ok(complete > 0);
  const metrics = createMetrics(fixture.services.db);
  const worker = startWorker({ ...fixture, metrics });
  t.after(() => worker.stop());
  const counted = async () => {
    const { text } = await metrics.render();
    const lines = text.matchAll(
      /^tefo_payments_total\{[^}]*outcome="complete",currency="ZAR",sandbox="\w+"\} (\d+)$/gm,
    );
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  await eventually("each is counted", async () => (await counted()) === complete);
});
