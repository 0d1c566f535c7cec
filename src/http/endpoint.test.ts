import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import {
  downloadEndpoint,
  type Endpoint,
  endpoint,
  gatewayEndpoint,
  importEndpoint,
  isForWritable,
  ownTransactionsEndpoint,
  type Reply,
  uploadEndpoint,
} from "./endpoint.ts";

const unused = async (): Promise<never> => Promise.reject(new Error("nothing is called here"));
const body = z.object({ name: z.string() });
const common = {
  audience: "staff",
  tag: { name: "Boxes", about: "Boxes." },
  path: "/boxes",
  summary: "Boxes",
  permission: "products:write",
} as const;
const answered = { ...common, replies: {} } as const;
const steps = { record: unused, ask: unused, settle: unused };
const upload = { field: "file", maxBytes: 1 };
const reply: Reply = { status: 200, body: {} };

test("an endpoint's kind follows from its declaration, and with it whether read-only accounts may use it", () => {
  const declared: [Endpoint, Endpoint["kind"], boolean][] = [
    [endpoint({ ...answered, method: "GET", handle: unused }), "read", false],
    [endpoint({ ...answered, method: "POST", onlyReads: true, body, handle: unused }), "read", false],
    [endpoint({ ...answered, method: "POST", handle: unused }), "write", true],
    [endpoint({ ...answered, method: "PATCH", writes: false, handle: unused }), "write", false],
    [gatewayEndpoint({ ...answered, method: "POST", steps }), "gateway", true],
    [ownTransactionsEndpoint({ ...answered, method: "GET", run: unused }), "run", false],
    [ownTransactionsEndpoint({ ...answered, method: "POST", run: unused }), "run", true],
    [uploadEndpoint({ ...answered, upload, prepare: unused, handle: unused }), "upload", true],
    [importEndpoint({ ...answered, upload, run: unused }), "import", true],
    [downloadEndpoint({ ...common, media: "text/csv", download: unused }), "download", false],
    [
      downloadEndpoint({ ...common, media: "text/csv", method: "POST", onlyReads: true, download: unused }),
      "download",
      false,
    ],
  ];
  for (const [{ kind }, expected] of declared) assert.equal(kind, expected);
  for (const [one, kind, writable] of declared) assert.equal(isForWritable(one), writable, `${one.method} ${kind}`);
});

/** Each sample is refused by the compiler: a `@ts-expect-error` without an error is one. */
describe("what excludes each other does not compile:", () => {
  test("a read has no body, key, form or work before its transaction", () => {
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", body, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", idempotent: true, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", edits: true, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", prepare: unused, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", gathers: () => {}, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", writes: true, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "GET", onlyReads: true, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "POST", onlyReads: true, idempotent: true, handle: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "POST", onlyReads: true, moves: async () => null, handle: unused });
  });

  test("each kind has one handler of its own", () => {
    // @ts-expect-error
    endpoint({ ...answered, method: "GET" });
    // @ts-expect-error
    endpoint({ ...answered, method: "POST" });
    // @ts-expect-error
    endpoint({ ...answered, method: "POST", handle: unused, run: unused });
    // @ts-expect-error
    gatewayEndpoint({ ...answered, method: "POST", steps, handle: unused });
    // @ts-expect-error
    gatewayEndpoint({ ...answered, method: "GET", steps });
    // @ts-expect-error
    ownTransactionsEndpoint({ ...answered, method: "POST", run: unused, handle: unused });
    // @ts-expect-error
    uploadEndpoint({ ...answered, upload, prepare: unused, handle: unused, run: unused });
    // @ts-expect-error
    downloadEndpoint({ ...common, media: "text/csv" });
    // @ts-expect-error
    const mixed: Endpoint = { ...answered, kind: "read", method: "POST", handle: async () => reply };
    assert.equal(mixed.kind, "read");
  });

  test("only one transaction keeps its reply under a key, and only a form is compared with what it opened", () => {
    // @ts-expect-error
    ownTransactionsEndpoint({ ...answered, method: "POST", idempotent: true, run: unused });
    // @ts-expect-error
    ownTransactionsEndpoint({ ...answered, method: "POST", moves: async () => null, run: unused });
    // @ts-expect-error
    gatewayEndpoint({ ...answered, method: "POST", edits: true, steps });
    // @ts-expect-error
    gatewayEndpoint({ ...answered, method: "POST", gathers: () => {}, steps });
    // @ts-expect-error
    gatewayEndpoint({ ...answered, method: "POST", preview: unused, steps });
  });

  test("a file comes alone, and a file is answered without JSON", () => {
    // @ts-expect-error
    uploadEndpoint({ ...answered, upload, body, prepare: unused, handle: unused });
    // @ts-expect-error
    importEndpoint({ ...answered, upload, body, run: unused });
    // @ts-expect-error
    importEndpoint({ ...answered, upload, idempotent: true, run: unused });
    // @ts-expect-error
    endpoint({ ...answered, method: "POST", upload, handle: unused });
    // @ts-expect-error
    downloadEndpoint({ ...common, replies: {}, media: "text/csv", download: unused });
    // @ts-expect-error
    downloadEndpoint({ ...common, media: "text/csv", method: "POST", download: unused });
    // @ts-expect-error
    downloadEndpoint({ ...common, media: "text/csv", body, download: unused });
  });
});
