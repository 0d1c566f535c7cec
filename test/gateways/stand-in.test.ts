import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import { type GatewayUnclear, gatewayHttp } from "../../src/gateways/http.ts";
import { json, openStandIn, pairsOf, randText, type StandIn, type StandInProtocol, UNKNOWN } from "./stand-in.ts";

/** A small gateway: a payment is made by POST, decided on its page, and told in JSON with a check digit. */
const protocol: StandInProtocol = {
  type: "example",
  credentials: { key: "right" },
  wrongCredentials: { key: "wrong" },
  sender: "192.0.2.7",
  open(frame) {
    const payments: {
      reference: string;
      status: "pending" | "paid" | "cancelled";
      amount: number;
      refunded: number;
    }[] = [];
    return {
      answer({ method, path, text: body, headers }) {
        if (`${method} ${path}` !== "POST /payments") return UNKNOWN;
        if (headers["authorization"] !== "right") return json(401, { message: "Wrong key." });
        const { reference, amount, notifyUrl } = JSON.parse(body) as Record<string, string>;
        const payment = {
          reference: String(reference),
          status: "pending" as "pending" | "paid" | "cancelled",
          amount: Number(amount),
          refunded: 0,
        };
        payments.push(payment);
        const url = frame.payerUrl({
          title: "Pay <us>",
          lines: [randText(payment.amount)],
          outcomes: { paid: "Pay", cancelled: "Leave" },
          fields: { card: "4242" },
          async decide(outcome, { card }) {
            payment.status = outcome === "paid" ? "paid" : "cancelled";
            await frame.send({
              about: `${payment.reference} ${outcome}`,
              url: String(notifyUrl),
              compose: ({ amount = payment.amount }) => ({
                headers: { "x-sum": String(amount * 7) },
                body: JSON.stringify({ amount, card }),
              }),
            });
            return `https://shop.example/${outcome}`;
          },
        });
        return json(201, { url });
      },
      payments: () => payments,
      acts: {
        async reverses(reference) {
          payments.push({ reference, status: "cancelled", amount: 1, refunded: 1 });
        },
      },
    };
  },
};

let standIn: StandIn;
let merchant: { url: string; heard: { sum: number; body: string; from: unknown }[]; close(): void };
before(async () => {
  const heard: { sum: number; body: string; from: unknown }[] = [];
  const server = createServer(async (request, response) => {
    heard.push({
      sum: Number(request.headers["x-sum"]),
      body: await text(request),
      from: request.headers["x-forwarded-for"],
    });
    response.writeHead(heard.length === 1 ? 200 : 202).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  merchant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heard,
    close: () => void server.close(),
  };
});
after(() => merchant.close());
beforeEach(async (context) => {
  standIn = await openStandIn(protocol);
  merchant.heard.length = 0;
  if ("after" in context) context.after(() => standIn.close());
});

const call = (path: string, body?: unknown) =>
  gatewayHttp({
    method: body === undefined ? "GET" : "POST",
    url: standIn.url + path,
    headers: { authorization: "right" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: 2000,
  });
const begin = async (reference = "R1") => {
  const { status, body } = await call("/payments", { reference, amount: 1999, notifyUrl: merchant.url });
  assert.equal(status, 201, body);
  return String(JSON.parse(body).url);
};
const choose = (url: string, outcome: string) =>
  fetch(url, { method: "POST", body: new URLSearchParams({ outcome, card: "4111" }), redirect: "manual" });

test("a payer decides on the gateway's page, and the merchant is told from the gateway's address", async () => {
  const url = await begin();
  const page = await (await fetch(url)).text();
  assert.match(page, /Pay &#60;us&#62;/);
  assert.match(page, /name="card" value="4242"/);
  assert.equal((await choose(url, "nonsense")).status, 400);
  assert.equal((await choose(url, "paid")).headers.get("location"), "https://shop.example/paid");
  assert.deepEqual(merchant.heard, [{ sum: 13_993, body: '{"amount":1999,"card":"4111"}', from: "192.0.2.7" }]);
  assert.deepEqual(standIn.payments(), [{ reference: "R1", status: "paid", amount: 1999, refunded: 0 }]);
  assert.deepEqual(
    standIn.deliveries.map(({ about, status }) => [about, status]),
    [["R1 paid", 200]],
  );
  assert.equal(standIn.requests.length, 1, "pages and control are no requests of the merchant");
});

const NOTICES: [Parameters<StandIn["failNotices"]>[0], string[]][] = [
  [{ kind: "lost" }, []],
  [{ kind: "twice" }, ['{"amount":1999,"card":"4111"}', '{"amount":1999,"card":"4111"}']],
  [{ kind: "forged" }, ['{"amount":2999,"card":"4111"}']],
  [{ kind: "half" }, ['{"amount":1999']],
  [{ kind: "other amount", amount: 5 }, ['{"amount":5,"card":"4111"}']],
];
for (const [fault, bodies] of NOTICES)
  test(`a notice that is ${fault.kind}`, async () => {
    standIn.failNotices(fault);
    await choose(await begin(), "paid");
    assert.deepEqual(
      merchant.heard.map(({ body }) => body),
      bodies,
    );
    if (fault.kind === "forged") assert.equal(merchant.heard[0]?.sum, 13_993, "under the signature of the original");
    if (fault.kind === "other amount") assert.equal(merchant.heard[0]?.sum, 35, "signed as it is");
    assert.equal(await standIn.resend(0), bodies.length === 0 ? 200 : 202);
    assert.equal(merchant.heard.at(-1)?.body, '{"amount":1999,"card":"4111"}');
  });

test("a late notice waits until it is released", async () => {
  standIn.failNotices({ kind: "late" });
  await choose(await begin(), "paid");
  assert.equal(merchant.heard.length, 0);
  await standIn.release();
  assert.equal(merchant.heard.length, 1);
});

const ANSWERS: [Parameters<StandIn["failAnswers"]>[0], RegExp | number][] = [
  [{ kind: "error" }, 500],
  [{ kind: "error", status: 429 }, 429],
  [{ kind: "silence" }, /./],
  [{ kind: "half" }, /./],
  [{ kind: "late", delayMs: 3000 }, /no answer in time/],
  [{ kind: "html" }, 200],
  [{ kind: "redirect" }, 302],
  [{ kind: "huge" }, /too large/],
  [{ kind: "garbled" }, 200],
];
for (const [fault, expected] of ANSWERS)
  for (const done of [false, true])
    test(`an answer goes wrong: ${fault.kind}${done ? ", after the request took effect" : ""}`, async () => {
      standIn.failAnswers({ ...fault, done, on: "POST /pay" });
      const asked = call("/payments", { reference: "R1", amount: 1, notifyUrl: merchant.url });
      if (typeof expected === "number") assert.equal((await asked).status, expected);
      else
        await assert.rejects(
          asked,
          (error: GatewayUnclear) => error.name === "GatewayUnclear" && expected.test(error.message),
        );
      const took = done || fault.kind === "late" || fault.kind === "half";
      assert.equal(standIn.payments().length, took ? 1 : 0);
      await begin("R2");
    });

test("faults are for the requests that they name, and used up", async () => {
  standIn.failAnswers({ kind: "error", on: "POST /refunds", times: 2 });
  await begin();
  assert.equal((await call("/refunds", {})).status, 500);
  assert.equal((await call("/refunds", {})).status, 500);
  assert.equal((await call("/refunds", {})).status, 404);
});

test("the control surface does what the functions do", async () => {
  const read = async (path: string) => JSON.parse((await call(`/_stand-in${path}`)).body);
  const tell = async (path: string, body: unknown) => (await call(`/_stand-in${path}`, body)).status;
  assert.deepEqual((await read("")).acts, ["reverses"]);
  assert.equal(await tell("/notices", { kind: "lost" }), 200);
  await choose(await begin(), "paid");
  assert.equal(merchant.heard.length, 0);
  assert.equal((await read("/notices"))[0].about, "R1 paid");
  assert.equal(await tell("/resend", { index: 0 }), 200);
  assert.equal(merchant.heard.length, 1);
  assert.equal(await tell("/answers", { kind: "error", on: "POST /payments" }), 200);
  assert.equal((await call("/payments", {})).status, 500);
  assert.equal(await tell("/answers", { kind: "error", times: 9 }), 200);
  assert.equal(await tell("/mend", {}), 200);
  assert.equal((await call("/other", {})).status, 404);
  assert.equal(await tell("/acts/reverses", ["R1"]), 200);
  assert.equal((await read("/payments")).length, 2);
  assert.equal(await tell("/acts/renews", ["R1"]), 404);
  assert.deepEqual(
    (await read("/requests")).map(({ path }: { path: string }) => path),
    ["/payments", "/payments", "/other"],
  );
});

test("the pairs of a form keep their order and their blanks", () =>
  assert.deepEqual(pairsOf("b=1&a=&b=%26+x"), [
    ["b", "1"],
    ["a", ""],
    ["b", "& x"],
  ]));
