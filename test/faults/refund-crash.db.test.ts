import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Client } from "pg";
import { freePort } from "../../src/app/listen.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "../support/database.ts";
import { eventually, serve, tefo, temporaryFolder } from "../support/processes.ts";
import { type Conduct, openUnreliableGateway } from "../support/unreliable-gateway.ts";

const READY = /"msg":"ready"/;

/** Calls the dashboard's API as the owner. */
function openStaff(port: number) {
  let cookie = "";
  return async (path: string, body: unknown, key: string = randomUUID()) => {
    const response = await fetch(`http://127.0.0.1:${port}/dashboard/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key, cookie },
      body: JSON.stringify(body),
    });
    const given = response.headers.getSetCookie().map((one) => one.split(";")[0]);
    if (given.length > 0) cookie = given.join("; ");
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, replayed, body: (await response.json()) as Record<string, unknown> };
  };
}

/** Pays a link through its page and the sandbox gateway's page. */
async function pay(port: number, url: string, gatewayId: string): Promise<void> {
  const here = (address: string) => address.replace(/^https?:\/\/[^/]+/, `http://127.0.0.1:${port}`);
  const page = await (await fetch(here(url))).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const post = (target: string, fields: Record<string, string>) =>
    fetch(here(target), { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
  const started = await post(url, { gateway: gatewayId, formToken });
  const target = started.headers.get("location");
  assert.ok(started.status === 303 && target, "the payment starts");
  const paid = await post(target, { outcome: "complete", card: "4242424242424242" });
  assert.equal(paid.status, 303, await paid.text());
}

test("kill -9 between record and settle: due work finishes the refund, a repeated key finds it, the gateway makes it once", async (t) => {
  const port = await freePort("127.0.0.1");
  let conduct: Conduct = "answers";
  /** Ids of the requested refunds, one for each request. */
  const asked: string[] = [];
  const gateway = await openUnreliableGateway(
    () => port,
    ({ method, url, headers }) => {
      const isRefund = method === "POST" && url?.endsWith("/refunds") === true;
      if (isRefund) asked.push(String(headers["idempotency-key"]));
      return isRefund ? conduct : "answers";
    },
  );
  t.after(gateway.close);
  const environment = {
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    DATA_DIR: await temporaryFolder(t),
    PORT: String(port),
    DEMO: "0",
    GATEWAY_URL_SANDBOX: gateway.url,
  };
  const database = new Client({ connectionString: environment.DATABASE_URL });
  await database.connect();
  t.after(() => database.end());
  const rows = async <Row extends object>(query: string) => (await database.query<Row>(query)).rows;
  const count = async (query: string) => (await rows(query)).length;

  const named = ["--name", "C", "--slug", "c", "--plan", "business", "--sandbox", "--json"];
  const created = await tefo(environment, "org", "create", ...named);
  const first = serve(t, environment);
  await first.says(READY);
  const staff = openStaff(port);
  await staff("/auth/sign-in/email", created.json<{ owner: object }>().owner);
  const account = await staff("/gateways", { type: "sandbox", name: "Sandbox", credentials: {} });
  for (const title of ["not made", "made"]) {
    const link = await staff("/payment-links", { title, amount: 100 });
    await pay(port, String(link.body["url"]), String(account.body["id"]));
  }
  const complete = "select reference from transactions where status = 'complete' order by created_at";
  await eventually("both are paid", async () => (await count(complete)) === 2);
  const references = (await rows<{ reference: string }>(complete)).map(({ reference }) => reference);
  await eventually(
    "nothing else is at work",
    async () => (await count("select from due_work where lease_until is not null")) === 0,
  );

  const keys = references.map(() => randomUUID());
  const refund = (at: number, amount = 40) => staff(`/transactions/${references[at]}/refunds`, { amount }, keys[at]);
  const broken: Promise<string>[] = [];
  for (const [at, next] of (["hangs", "makes it and hangs"] as const).entries()) {
    conduct = next;
    broken.push(
      refund(at).then(
        ({ status }) => `answered ${status}`,
        () => "broken",
      ),
    );
    await eventually("the gateway was asked", async () => gateway.hanging() === at + 1);
  }
  first.child.kill("SIGKILL");
  assert.equal(await first.ended(), "SIGKILL");
  assert.deepEqual(await Promise.all(broken), ["broken", "broken"]);
  const open = "select from idempotency_keys where intent is not null and status is null and not intent_settled";
  assert.equal(await count("select from refunds where status = 'requested'"), 2, "recorded");
  assert.equal(await count(open), 2, "not settled");
  assert.equal(await count("select from sandbox_refunds"), 1);

  conduct = "answers";
  await serve(t, environment).says(READY);
  const other = await refund(0, 41);
  assert.deepEqual([other.status, other.body["error"]], [409, "idempotency_conflict"]);
  const moved = await staff("/test-clock", { now: new Date(Date.now() + 120_000).toISOString() });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  assert.equal(await count("select from refunds where status = 'processed'"), 2, "due work finished them");
  assert.equal(await count(open), 2, "the keys have no reply yet");
  await database.query("update idempotency_keys set claimed_at = claimed_at - interval '41 seconds'");
  for (const at of [0, 1]) {
    const repeats = [await refund(at), await refund(at)];
    assert.deepEqual(
      repeats.map(({ status, replayed, body }) => [status, replayed, body["reference"], body["refundedAmount"]]),
      [false, true].map((replayed) => [201, replayed, references[at], 40]),
    );
  }
  assert.equal(await count("select from refunds"), 2);
  assert.equal(await count("select from sandbox_refunds"), 2, "each was made once");
  assert.equal(new Set(asked).size, 2);
  assert.equal(asked.length, 3, "only what the gateway did not know was asked for again");
  const verified = await tefo(environment, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
});
