import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { BUCKET_KEY, type BucketServer, openBucketServer, REGION } from "../../test/support/bucket-server.ts";
import { bucketPlace } from "./bucket.ts";

const MB = 1024 * 1024;

async function opened(t: TestContext, url = "s3://shop/back ups/tefo", key = BUCKET_KEY) {
  const server = await openBucketServer("shop");
  t.after(server.close);
  return { server, place: bucketPlace({ url, endpoint: server.url, region: REGION, ...key }) };
}

/** Content that comes in pieces of 64 kB, and what it is. */
function content(length: number): { whole: Buffer; stream(): Readable } {
  const whole = randomBytes(length);
  function* pieces() {
    for (let at = 0; at < length; at += 65_536) yield whole.subarray(at, at + 65_536);
  }
  return { whole, stream: () => Readable.from(pieces()) };
}

const partsSent = ({ requests }: BucketServer) => requests.filter(({ method }) => method === "PUT").length;

test("content of any length is stored in parts of one size, and read back as it was", async (t) => {
  const { server, place } = await opened(t);
  for (const [name, length, parts] of [
    ["one", 70_000, 1],
    ["exactly two", 64 * MB, 3],
    ["three", 65 * MB + 1, 3],
  ] as const) {
    server.requests.length = 0;
    const { whole, stream } = content(length);
    assert.equal(await place.write(name, stream()), length);
    assert.ok(server.objects.get(`back ups/tefo/${name}`)?.equals(whole), name);
    assert.equal(partsSent(server), parts, name);
    assert.ok((await buffer(await place.read(name))).equals(whole), name);
  }
  assert.equal(server.uploads.size, 0);
  assert.equal(place.addressOf("one"), "s3://shop/back ups/tefo/one");
});

test("what is there is listed page by page, below the prefix alone, and removed", async (t) => {
  const { server, place } = await opened(t, "s3://shop/tefo/");
  const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
  for (const name of names) server.objects.set(`tefo/${name}`, Buffer.from("x"));
  for (const other of ["tefo/deeper/n9", "tefo2/n9", "n9"]) server.objects.set(other, Buffer.from("x"));
  assert.deepEqual(await place.names(), names);
  await place.remove("n3");
  await place.remove("was never there");
  assert.equal(server.objects.has("tefo/n3"), false);
  assert.equal(server.objects.size, 10);
});

test("a bucket without a prefix has its objects at its top", async (t) => {
  const { server, place } = await opened(t, "s3://shop");
  await place.write("a", Readable.from([Buffer.from("x")]));
  assert.deepEqual([[...server.objects.keys()], await place.names(), place.address], [["a"], ["a"], "s3://shop"]);
});

test("uploads that ended half-way are ended, those of others are not", async (t) => {
  const { server, place } = await opened(t, "s3://shop/tefo");
  for (let at = 0; at < 5; at++) server.uploads.set(`id${at}`, { key: `tefo/ours${at}`, parts: new Map() });
  server.uploads.set("id5", { key: "tefo/theirs", parts: new Map() });
  server.uploads.set("id6", { key: "elsewhere/ours", parts: new Map() });
  await place.removePartial((name) => name.startsWith("ours"));
  assert.deepEqual([...server.uploads.keys()], ["id5", "id6"]);
});

test("what fails for the moment is sent again: refused, broken in the middle of a part, answers that are lost", async (t) => {
  const { server, place } = await opened(t);
  const { whole, stream } = content(33 * MB);
  let count = 0;
  server.conduct(() => (["refuses", "breaks", null, "loses", null] as const)[count++ % 5] ?? null);
  assert.equal(await place.write("a", stream()), whole.length);
  assert.ok((await buffer(await place.read("a"))).equals(whole));
  assert.deepEqual(await place.names(), ["a"]);
  // Of an upload that was begun, and whose answer was lost, nobody knows the id; the next backup ends it.
  server.conduct(() => null);
  await place.removePartial(() => true);
  assert.equal(server.uploads.size, 0);
});

test("an upload whose completion is lost is complete; one that fails late is not, and leaves nothing", async (t) => {
  const { server, place } = await opened(t);
  const completes = ({ method, query }: { method: string; query: object }) => method === "POST" && "uploadId" in query;
  let lost = false;
  server.conduct((request) => {
    if (lost || !completes(request)) return null;
    lost = true;
    return "loses";
  });
  assert.equal(await place.write("a", Readable.from([Buffer.from("whole")])), 5);
  server.conduct((request) => (completes(request) ? "fails late" : null));
  await assert.rejects(place.write("b", Readable.from([Buffer.from("whole")])), /answers 200 InternalError/);
  assert.deepEqual([await place.names(), server.uploads.size], [["a"], 0]);
});

test("a download that breaks continues where it was, unless the object was replaced", async (t) => {
  const { server, place } = await opened(t);
  const { whole, stream } = content(5 * MB);
  await place.write("a", stream());
  server.requests.length = 0;
  let cuts = 3;
  server.conduct(({ method }) => (method === "GET" && cuts-- > 0 ? "cuts" : null));
  assert.ok((await buffer(await place.read("a"))).equals(whole));
  assert.equal(server.requests.length, 4);
  assert.match(String(server.requests[3]?.headers.range), /^bytes=[1-9]\d+-$/);

  server.conduct(({ headers }) => (headers.range ? null : "cuts"));
  const reading = await place.read("a");
  server.objects.set("back ups/tefo/a", Buffer.from("another"));
  await assert.rejects(buffer(reading), /answers 412 PreconditionFailed: It is <refused>/);
});

test("what is refused for good is said at once, and nothing is left", async (t) => {
  const { server, place } = await opened(t);
  await assert.rejects(place.read("none"), /read s3:\/\/shop\/back ups\/tefo\/none: .* 404 NoSuchKey/);
  server.requests.length = 0;
  const wrong = { ...BUCKET_KEY, secretAccessKey: "another" };
  const other = bucketPlace({ url: "s3://shop/tefo", endpoint: server.url, region: REGION, ...wrong });
  await assert.rejects(other.names(), /list s3:\/\/shop\/tefo: .* 403 SignatureDoesNotMatch/);
  assert.equal(server.requests.length, 1);
  const nowhere = bucketPlace({ url: "s3://other/tefo", endpoint: server.url, region: REGION, ...BUCKET_KEY });
  await assert.rejects(nowhere.names(), /404 NoSuchBucket/);

  const broken = Readable.from(
    (function* () {
      yield Buffer.alloc(100);
      throw new Error("the source broke");
    })(),
  );
  await assert.rejects(place.write("a", broken), /the source broke/);
  assert.deepEqual([await place.names(), server.uploads.size], [[], 0]);
});

test("an upload that is stopped leaves nothing, and one to a service that is away fails", async (t) => {
  const { server, place } = await opened(t);
  const stopping = new AbortController();
  const endless = Readable.from(
    (async function* () {
      for (let at = 0; ; at++) {
        if (at === 40) stopping.abort();
        yield Buffer.alloc(MB);
      }
    })(),
  );
  await assert.rejects(place.write("a", endless, stopping.signal), { name: "AbortError" });
  assert.deepEqual([await place.names(), server.uploads.size], [[], 0]);
  const away = bucketPlace({ url: "s3://shop", endpoint: "http://127.0.0.1:1", region: REGION, ...BUCKET_KEY });
  await assert.rejects(away.names(), /list s3:\/\/shop: .*(ECONNREFUSED|bad port)/);
});
