import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Credentials } from "../../../src/gateways/contract.ts";
import { gatewayHttp } from "../../../src/gateways/http.ts";
import { findProvider } from "../../../src/gateways/messaging/registry.ts";
import { type Fault, openMessagingStandIn, PROTOCOLS } from "../../support/messaging-stand-ins.ts";

/* Each provider of messages against a server that speaks its protocol. */

const MESSAGE = {
  id: "msg_00000000000000000000000000",
  to: "+27821234567",
  text: "Thandi's Shop: please pay R 450.00 for Shoes: https://pay.example/p/abc",
  kind: "payment_link",
  parts: { what: "Shoes", amount: "R 450.00", url: "https://pay.example/p/abc" },
};

for (const protocol of PROTOCOLS)
  describe(protocol.type, () => {
    const adapter = findProvider(protocol.channel, protocol.type);
    assert.ok(adapter);
    const at = async (
      fault: Fault | null,
      credentials: Credentials = protocol.credentials,
      message: Parameters<typeof adapter.send>[0] = MESSAGE,
    ) => {
      const standIn = await openMessagingStandIn(protocol);
      standIn.fail(fault);
      try {
        const answer = await adapter
          .send(message, { credentials, baseUrl: standIn.url, http: gatewayHttp })
          .catch((error: Error) => error.name);
        return { answer, standIn };
      } finally {
        await standIn.close();
      }
    };

    test("takes a message, with our id and the number", async () => {
      const { answer, standIn } = await at(null);
      assert.deepEqual(answer, { kind: "accepted", ref: "ref-1" });
      const [taken] = standIn.taken;
      assert.deepEqual([taken?.ours, taken?.to], [MESSAGE.id, MESSAGE.to]);
      assert.equal(
        taken?.text,
        protocol.channel === "sms" ? MESSAGE.text : "payment_link | Shoes | R 450.00 | https://pay.example/p/abc",
      );
    });

    test("an answer to a person is plain text", async () => {
      const { standIn } = await at(null, protocol.credentials, { ...MESSAGE, kind: "opt_out", parts: null });
      assert.equal(standIn.taken[0]?.text, MESSAGE.text);
    });

    test("a busy provider is asked again later", async () => {
      const { answer, standIn } = await at("busy");
      assert.equal((answer as { kind: string }).kind, "later");
      assert.equal(standIn.taken.length, 0);
    });

    test("a provider that is not there is asked again later", async () => {
      const { url, close } = await openMessagingStandIn(protocol);
      await close();
      const answer = await adapter.send(MESSAGE, {
        credentials: protocol.credentials,
        baseUrl: url,
        http: gatewayHttp,
      });
      assert.equal(answer.kind, "later");
    });

    for (const fault of ["broken", "silent"] as const)
      test(`one that is ${fault} leaves it open, and is asked once`, async () => {
        const { answer, standIn } = await at(fault);
        assert.equal(answer, "GatewayUnclear");
        assert.equal(standIn.requests(), 1);
      });

    for (const [fault, words] of [
      ["bad number", /refused the message: /],
      ["no credit", /refused the message: /],
    ] as const)
      test(`refuses for ${fault}, with its reason`, async () => {
        const { answer } = await at(fault);
        assert.ok(typeof answer === "object" && answer.kind === "refused");
        assert.match(answer.reason, words);
      });

    test("wrong credentials are said as that", async () => {
      const { answer } = await at(null, protocol.wrong);
      assert.ok(typeof answer === "object" && answer.kind === "refused");
      assert.match(answer.reason, /refused the credentials/);
    });

    const read = (told: { headers: Readonly<Record<string, string>>; body: string }) =>
      adapter.read({ headers: told.headers, rawBody: Buffer.from(told.body) }, protocol.credentials);
    const taken = { ref: "ref-1", ours: MESSAGE.id, to: MESSAGE.to, text: "", body: {} };

    for (const status of ["sent", "delivered", "failed"] as const)
      test(`reads that a message was ${status}`, () => {
        const reports = read(protocol.status(taken, status));
        assert.ok(Array.isArray(reports));
        const [{ reason, ...report }] = reports as [{ reason: string | null }];
        assert.deepEqual(report, { kind: "status", id: MESSAGE.id, ref: "ref-1", status });
        assert.equal(reason !== null, status === "failed");
      });

    test("reads a reply", () => {
      const reports = read(protocol.reply(MESSAGE.to, "STOP"));
      assert.ok(Array.isArray(reports));
      assert.equal(reports.length, 1);
      const [{ from, ...reply }] = reports as [{ from: string }];
      assert.deepEqual(reply, { kind: "reply", text: "STOP" });
      assert.equal(from.replace("+", ""), "27821234567");
    });

    if (protocol.channel === "sms")
      test("refuses what is no report", () => {
        for (const body of ["", "null", "{}", "[1]", "<xml/>"]) assert.ok("kind" in read({ headers: {}, body }), body);
      });
    else
      test("refuses what is not signed with the app secret", () => {
        const told = protocol.status(taken, "delivered");
        for (const headers of [{}, { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }])
          assert.ok("kind" in read({ ...told, headers }));
        assert.ok("kind" in read({ ...told, body: `${told.body} ` }));
      });
  });

test("BulkSMS's first call of a new address, an empty list, is accepted", () => {
  const bulksms = findProvider("sms", "bulksms");
  assert.deepEqual(bulksms?.read({ headers: {}, rawBody: Buffer.from("[]") }, {}), []);
});
