import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { addOrder, addTransfers, type EftOrderBody, upload } from "../support/eft.ts";
import { fc } from "../support/property.ts";
import { formOf, jpegOf, type Part, pdfOf, pngOf } from "../support/uploads.ts";

const MB = 1024 * 1024;

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  await addTransfers(shop);
});
after(() => api.close());

const pdf = (name = "slip.pdf", bytes: Uint8Array = pdfOf(randomBytes(4).toString("hex"))): Part => ({
  field: "file",
  name,
  type: "application/pdf",
  bytes,
});
const shown = async (id: string) => (await shop.get<EftOrderBody>(`/eft-orders/${id}`)).body;
const events = async (id: string) =>
  (
    await api.query<{ type: string; data: EftOrderBody }>(
      "select type, data from events where subject = $1 order by id",
      id,
    )
  ).map(({ type, data }) => ({ type, data }));
const staffMails = async (organisation: string) =>
  (await api.query("select from emails where organisation_id = $1 and kind = 'staff_alert'", organisation)).length;

describe("a proof by API (interface 4.9)", () => {
  test("is kept, brings the order into review, has an event and a mail to staff", async () => {
    const merchant = await api.addMerchant();
    await addTransfers(merchant);
    await merchant.signIn("finance");
    const order = await addOrder(merchant);
    const bytes = pdfOf("one");
    const answer = await upload(merchant, order.id, pdf("../Betaling é.pdf", bytes));
    assert.equal(answer.status, 200, answer.text);
    const { proofs, ...rest } = answer.body;
    assert.deepEqual(rest, { ...without(order), status: "awaiting_review" });
    const [{ id, createdAt, ...proof } = { id: "", createdAt: "" }] = proofs;
    assert.match(id, /^prf_/);
    assert.ok(createdAt);
    assert.deepEqual(proof, {
      fileName: "Betaling é.pdf",
      contentType: "application/pdf",
      size: bytes.length,
      source: "api",
    });
    assert.deepEqual(await events(order.id), [{ type: "eft.proof_received", data: answer.body }]);
    assert.equal(await staffMails(merchant.organisation.id), 1);
  });

  test("may be a picture with any name and declared type", async () => {
    const order = await addOrder(shop);
    await upload(shop, order.id, { field: "file", name: "slip.pdf", type: "application/pdf", bytes: pngOf() });
    const { body } = await upload(shop, order.id, {
      field: "file",
      name: "IMG_1.HEIC",
      type: "text/html",
      bytes: jpegOf(),
    });
    assert.deepEqual(
      body.proofs.map(({ contentType, fileName }) => [contentType, fileName]),
      [
        ["image/png", "slip.pdf"],
        ["image/jpeg", "IMG_1.HEIC"],
      ],
    );
  });

  test("the same file twice counts once and has one event", async () => {
    const order = await addOrder(shop);
    const part = pdf();
    const first = await upload(shop, order.id, part);
    const second = await upload(shop, order.id, { ...part, name: "another name.pdf" } as Part);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.equal((await events(order.id)).length, 1);
  });

  test("an eleventh: 400; one of the ten again: 200", async () => {
    const order = await addOrder(shop);
    const ten = Array.from({ length: 10 }, () => pdf());
    for (const part of ten) assert.equal((await upload(shop, order.id, part)).status, 200);
    const eleventh = await upload(shop, order.id, pdf());
    assert.deepEqual([eleventh.status, eleventh.body.error], [400, "invalid_request"]);
    assert.equal((await upload(shop, order.id, ten[3] as Part)).status, 200);
    assert.equal((await shown(order.id)).proofs.length, 10);
    assert.equal((await events(order.id)).length, 10);
  });

  test("twenty at once: ten are kept, each once, and no more", async () => {
    const order = await addOrder(shop);
    const parts = Array.from({ length: 20 }, () => pdf());
    const answers = await Promise.all(parts.map((part) => upload(shop, order.id, part)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(10).fill(200), ...Array(10).fill(400)]);
    assert.equal((await shown(order.id)).proofs.length, 10);
    assert.equal((await events(order.id)).length, 10);
  });

  test("the same file twenty times at once is kept once", async () => {
    const order = await addOrder(shop);
    const part = pdf();
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(shop, order.id, part)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.deepEqual([(await shown(order.id)).proofs.length, (await events(order.id)).length], [1, 1]);
  });

  test("of ten megabytes is accepted, of a byte more: 413, and the connection stays usable", async () => {
    const order = await addOrder(shop);
    const most = Buffer.concat([jpegOf(), Buffer.alloc(10 * MB)]).subarray(0, 10 * MB);
    const taken = await upload(shop, order.id, { field: "file", name: "a.jpg", bytes: most });
    assert.deepEqual([taken.status, taken.body.proofs?.[0]?.size], [200, 10 * MB]);
    const over = await upload(shop, order.id, {
      field: "file",
      name: "b.jpg",
      bytes: Buffer.concat([most, Buffer.alloc(1)]),
    });
    assert.deepEqual([over.status, over.body.error], [413, "invalid_request"]);
    const far = await upload(shop, order.id, { field: "file", name: "c.jpg", bytes: Buffer.alloc(25 * MB) });
    assert.equal(far.status, 413);
    assert.equal((await shown(order.id)).proofs.length, 1);
  });
});

/** Sends a body without Content-Length; answers the status as soon as it arrives. */
async function stream(path: string, headers: Record<string, string>, chunks: Iterable<Uint8Array>): Promise<number> {
  const outgoing = request(`${api.baseUrl}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
  });
  const answered = once(outgoing, "response");
  for (const chunk of chunks) if (!outgoing.write(chunk)) await once(outgoing, "drain");
  outgoing.end();
  const [incoming] = (await answered) as [IncomingMessage];
  incoming.resume();
  return incoming.statusCode ?? 0;
}

test("a file that does not say how long it is: 413 as well, and nothing of it is kept", async () => {
  const order = await addOrder(shop);
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
  const chunks = [
    Buffer.from(head),
    ...Array.from({ length: 40 }, () => Buffer.alloc(MB)),
    Buffer.from("\r\n--b--\r\n"),
  ];
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  assert.equal(await stream(`/eft-orders/${order.id}/proof`, headers, chunks), 413);
  const small = [Buffer.from(head), jpegOf(), Buffer.from("\r\n--b--\r\n")];
  assert.equal(await stream(`/eft-orders/${order.id}/proof`, headers, small), 200);
  assert.equal((await shown(order.id)).proofs.length, 1);
});

const without = ({ proofs: _proofs, ...rest }: EftOrderBody) => rest;

describe("what is no proof is refused, and changes nothing", () => {
  let order: EftOrderBody;
  before(async () => {
    order = await addOrder(shop);
  });
  const html = Buffer.from("<!doctype html><script>alert(1)</script>");
  const BAD: [string, Part[]][] = [
    ["no file", [{ field: "note", text: "x" }]],
    ["a text field called file", [{ field: "file", text: "%PDF-1.4 %%EOF" }]],
    ["an empty file", [pdf("slip.pdf", Buffer.alloc(0))]],
    ["a web page called proof.pdf", [pdf("proof.pdf", html)]],
    ["a zip bomb called proof.pdf", [pdf("proof.pdf", gzipSync(Buffer.alloc(5 * MB)))]],
    ["a web page before a PDF", [pdf("proof.pdf", Buffer.concat([html, pdfOf()]))]],
    ["two files", [pdf(), pdf()]],
    ["a file under another name", [{ field: "proof", name: "a.pdf", bytes: pdfOf() }]],
    ["a field of the language's own", [{ field: "__proto__", text: "x" }, pdf()]],
    ["thirty fields", [...Array.from({ length: 30 }, (_, n) => ({ field: `f${n}`, text: "x" })), pdf()]],
  ];
  for (const [name, parts] of BAD)
    test(`${name}: 400`, async () => {
      const answer = await upload(shop, order.id, ...parts);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], answer.text);
    });

  const send = (body: string | Buffer, headers: Record<string, string>) =>
    shop.call<Refusal>("POST", `/eft-orders/${order.id}/proof`, { body, headers });
  const OTHER: [string, number, string | Buffer, string][] = [
    ["JSON", 415, '{"file":"x"}', "application/json"],
    ["the bare file", 415, pdfOf(), "application/pdf"],
    ["a bare photograph", 415, pngOf(600, 600), "image/png"],
    ["a bare file over ten megabytes", 413, Buffer.alloc(11 * MB), "image/png"],
    ["a form without files", 415, "file=x", "application/x-www-form-urlencoded"],
    ["multipart without a boundary", 400, "x", "multipart/form-data"],
    ["multipart that is none", 400, "x", "multipart/form-data; boundary=b"],
    [
      "multipart that breaks off",
      400,
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%PDF',
      "multipart/form-data; boundary=b",
    ],
  ];
  for (const [name, status, body, type] of OTHER)
    test(`${name}: ${status}`, async () => {
      const answer = await send(body, { "content-type": type });
      assert.deepEqual([answer.status, answer.body.error], [status, "invalid_request"], answer.text);
    });

  test("a form with anything changed in it is taken or refused, and never a fault of ours", async () => {
    const good = await formOf(pdf(), { field: "note", text: "x" });
    const change = fc.record({ at: fc.nat(good.body.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
    const many = await addOrder(shop);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.nat(good.body.length), async (changes, length) => {
        const body = Buffer.from(good.body);
        for (const { at, byte } of changes) body[at] = byte;
        const answer = await shop.call("POST", `/eft-orders/${many.id}/proof`, {
          body: body.subarray(0, length || undefined),
          headers: good.headers,
        });
        assert.ok([200, 400].includes(answer.status), `${answer.status} ${answer.text}`);
      }),
      { numRuns: 150 },
    );
  });

  test("an aborted upload changes nothing", async () => {
    const { port } = new URL(api.baseUrl);
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    const { headers, body } = await formOf(pdf("a.pdf", Buffer.concat([pdfOf(), Buffer.alloc(MB)])));
    socket.write(
      `POST /api/v1/eft-orders/${order.id}/proof HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\nContent-Type: ${headers["content-type"]}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 1000));
    await sleep(200);
    socket.destroy();
    await sleep(200);
    assert.equal((await upload(shop, (await addOrder(shop)).id)).status, 200);
  });

  test("nothing of all this was kept", async () => {
    assert.deepEqual(await shown(order.id), order);
    assert.deepEqual(await events(order.id), []);
  });
});

describe("who may, and when", () => {
  test("an unknown order: 404; without a key: 401", async () => {
    assert.equal((await upload(shop, "eft_nobody")).status, 404);
    const order = await addOrder(shop);
    const { body, headers } = await formOf(pdf());
    assert.equal((await shop.call("POST", `/eft-orders/${order.id}/proof`, { body, headers, key: null })).status, 401);
  });

  test("another organisation's order: 404", async () => {
    const other = await api.addMerchant();
    await addTransfers(other);
    assert.equal((await upload(shop, (await addOrder(other)).id)).status, 404);
  });

  test("a read-only account: 403 before anything is asked of the file", async () => {
    const closed = await api.addMerchant();
    await addTransfers(closed);
    const order = await addOrder(closed);
    await closed.change({ state: "suspended" });
    const refused = await upload(closed, order.id, { field: "x", text: "x" });
    assert.deepEqual([refused.status, refused.body.error], [403, "account_restricted"]);
  });

  test("an Idempotency-Key means nothing here", async () => {
    const order = await addOrder(shop);
    for (let n = 1; n <= 2; n++) {
      const { body, headers } = await formOf(pdf());
      const answer = await shop.call<EftOrderBody>("POST", `/eft-orders/${order.id}/proof`, {
        body,
        headers: { ...headers, "idempotency-key": "k" },
      });
      assert.deepEqual([answer.status, answer.body.proofs.length], [200, n]);
    }
  });

  test("staff upload too, and keep proofs as attachments; a viewer only keeps them", async () => {
    const order = await addOrder(shop);
    const bytes = pdfOf("kept");
    await upload(shop, order.id, pdf("evil.html", bytes));
    const [proof] = (await shown(order.id)).proofs;
    const path = `/eft-orders/${order.id}/proofs/${proof?.id}`;
    const [viewer, finance] = [await shop.signIn("viewer"), await shop.signIn("finance")];
    const { status, headers, text } = await viewer("GET", path);
    assert.deepEqual([status, text], [200, bytes.toString()]);
    assert.equal(headers["content-type"], "application/pdf");
    assert.match(
      String(headers["content-disposition"]),
      new RegExp(
        `^attachment; filename="${order.reference}-proof-1.pdf"; filename\\*=UTF-8''${order.reference}-proof-1.pdf$`,
      ),
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.match(String(headers["content-security-policy"]), /(^|; )sandbox$/);
    assert.equal(headers["cache-control"], "private, no-store");
    assert.equal((await finance("GET", `/eft-orders/${order.id}/proofs/prf_none`)).status, 404);
    const other = await addOrder(shop);
    assert.equal((await finance("GET", `/eft-orders/${other.id}/proofs/${proof?.id}`)).status, 404);
    assert.equal((await shop.get(path)).status, 200, "a key reads it too");
    const owner = await shop.signIn("owner");
    const log = await owner<{ data: { action: string; after: object }[] }>("GET", `/audit-log?subject=${order.id}`);
    assert.partialDeepStrictEqual(
      log.body.data.filter(({ action }) => action === "GET /eft-orders/{id}/proofs/{proofId}"),
      [{ after: { proofId: proof?.id } }],
      "who read a proof is known",
    );
    assert.equal((await viewer("POST", `/eft-orders/${order.id}/proof`)).status, 415);
  });

  test("a session uploads through the dashboard's API", async () => {
    const order = await addOrder(shop);
    const staff = await shop.signIn("finance");
    const { body, headers } = await formOf(pdf());
    const answer = await staff<EftOrderBody>("POST", `/eft-orders/${order.id}/proof`, body, headers);
    assert.deepEqual([answer.status, answer.body.proofs.map(({ source }) => source)], [200, ["dashboard"]]);
  });
});
