import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDemo } from "../support/demo.ts";
import { ACCOUNT_NUMBER, ID_NUMBER, mandateBody } from "../support/mandates.ts";

test("no log line holds an account number, an identity number or a sign URL, at the finest level", async (t) => {
  const { call, press, output } = await serveDemo(t);
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
  await press(pathname, { fullName: "Thandi", accept: "yes", action: "sign" });
  const written = await output();
  for (const secret of [ACCOUNT_NUMBER, refused, ID_NUMBER, pathname.split("/").at(-1) ?? ""])
    assert.ok(!written.includes(secret), `${secret} is in the log`);
});
