import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../src/app/listen.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { cloneDatabase } from "../support/database.ts";
import { ACCOUNT_NUMBER, ID_NUMBER, mandateBody } from "../support/mandates.ts";
import { serve } from "../support/processes.ts";

test("no log line holds an account number, an identity number or a sign URL, at the finest level", async (t) => {
  const port = String(await freePort("127.0.0.1"));
  const service = serve(t, {
    PORT: port,
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    LOG_LEVEL: "trace",
  });
  const key = (await service.says(/API key +(tefo_\S+)/))[1];
  await service.says(/"msg":"ready"/);
  const base = `http://127.0.0.1:${port}`;
  const call = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${base}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const { body: customer } = await call("/customers", { email: "thandi@example.co.za" });
  const send = (given: object, bank: object = {}) =>
    call("/mandates", mandateBody({ customer: String(customer["id"]) }, given, bank));
  const mandate = await send({});
  assert.equal(mandate.status, 201);
  assert.equal((await send({ authority: "emandate" })).status, 201);
  const refused = `${ACCOUNT_NUMBER.slice(0, -2)}09`;
  assert.equal((await send({ authority: "emandate" }, { accountNumber: refused })).status, 400);
  assert.equal((await send({ amount: -1 })).status, 400);
  assert.equal((await send({}, { accountNumber: `${ACCOUNT_NUMBER}x` })).status, 400);
  const issued = await call(`/mandates/${mandate.body["id"]}/agreement`, {});
  const { pathname } = new URL(String(issued.body["signUrl"]));
  const signed = await fetch(base + pathname, {
    method: "POST",
    redirect: "manual",
    headers: { origin: base, "content-type": "application/x-www-form-urlencoded" },
    body: "fullName=Thandi&accept=yes&action=sign",
  });
  assert.equal(signed.status, 303);
  service.child.kill("SIGTERM");
  assert.equal(await service.ended(), 0);
  const output = service.output();
  assert.match(output, /"msg":"ready"/);
  for (const secret of [ACCOUNT_NUMBER, refused, ID_NUMBER, pathname.split("/").at(-1) ?? ""])
    assert.ok(!output.includes(secret), `${secret} is in the log`);
});
