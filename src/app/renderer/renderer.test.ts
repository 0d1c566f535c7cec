import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, test } from "node:test";
import sharp from "sharp";
import { invoiceOf, LINES } from "../../../test/support/pdf-documents.ts";
import { ApiError } from "../../kernel/errors.ts";
import { newId } from "../../platform/new-id.ts";
import { decodePicture } from "../../platform/pdf/picture.ts";
import { openThread } from "../../platform/threads.ts";
import { documentPdf } from "../../templates/pdfs/documents.ts";
import { createRenderer } from "./renderer.ts";

const renderer = createRenderer();
const ONE = newId("org");
after(() => renderer.close());

const large = await sharp(randomBytes(2000 * 2000 * 4), { raw: { width: 2000, height: 2000, channels: 4 } })
  .png()
  .toBuffer();
const long = invoiceOf(
  Array.from({ length: 67 }, () => LINES)
    .flat()
    .slice(0, 200),
);

test("a PDF is the same, byte for byte, as one written without the thread", async () => {
  const invoice = invoiceOf(LINES);
  assert.deepEqual(
    await renderer.render(ONE, "invoice", invoice),
    await documentPdf({ kind: "invoice", document: invoice }),
  );
});

test("a picture is decoded for PDFs; bytes that are not a picture give null", async () => {
  const decoded = await renderer.decodePicture(ONE, large);
  assert(decoded && decoded.length < large.length);
  assert.deepEqual([decoded.readUInt32BE(16), decoded.readUInt32BE(20)], [225, 225]);
  assert.equal(await renderer.decodePicture(ONE, Buffer.from("<svg/>")), null);
});

/** Processor time of this thread, which serves requests, in microseconds. */
async function spentHere(work: () => Promise<unknown>): Promise<number> {
  const from = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(from);
  return user + system;
}

test("the event loop is not blocked while ten long invoices are written and a large picture is decoded", async () => {
  const invoices = Array.from({ length: 10 }, () => long);
  const here = await spentHere(async () => {
    await decodePicture(large);
    for (const document of invoices) await documentPdf({ kind: "invoice", document });
  });
  const beside = await spentHere(() =>
    Promise.all([
      renderer.decodePicture(ONE, large),
      ...invoices.map((document) => renderer.render(ONE, "invoice", document)),
    ]),
  );
  assert(beside < here / 4, `${beside} of ${here} microseconds`);
});

describe("a job that takes too much", () => {
  const script = new URL("../../../test/support/thread-beyond-limits.ts", import.meta.url);
  const bounds = {
    script,
    what: "jobs",
    timeoutMs: 5_000,
    tooLong: "The job takes too long.",
    memoryMegabytes: 64,
    waiting: 3,
    waitingOfOne: 2,
    idleMs: 60_000,
  };
  const refusalWith = (status: number, code: string) => (error: unknown) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.headers["retry-after"]], [status, code, "5"]);
    return true;
  };
  const refusal = refusalWith(503, "service_unavailable");

  test("time: it is refused, and the next gets a new thread", async () => {
    const thread = openThread<string, string>({ ...bounds, timeoutMs: 5_000 });
    const [slow, next] = [thread.run(ONE, "loop"), thread.run(ONE, "echo")];
    await assert.rejects(slow, refusal);
    assert.equal(await next, "echo");
    await thread.close();
  });

  test("memory: it is refused, and the next gets a new thread", async () => {
    const thread = openThread<string, string>(bounds);
    await assert.rejects(thread.run(ONE, "fill"), refusal);
    assert.equal(await thread.run(ONE, "echo"), "echo");
    await thread.close();
  });

  test("an error fails only its job, and the thread goes on", async () => {
    const thread = openThread<string, string>(bounds);
    await assert.rejects(thread.run(ONE, "throw"), /the job fails/);
    assert.equal(await thread.run(ONE, "echo"), "echo");
    await thread.close();
  });

  test("a refusal comes as it was thrown", async () => {
    const thread = openThread<string, string>(bounds);
    await assert.rejects(thread.run(ONE, "refuse"), (error: unknown) => {
      assert(error instanceof ApiError);
      assert.deepEqual(error.body(), {
        error: "invalid_request",
        message: "file: is empty",
        issues: [{ code: "custom", path: ["file"], message: "is empty" }],
      });
      return true;
    });
    await thread.close();
  });

  test("a job is refused at once when too many wait; another organisation waits for one job only", async () => {
    const thread = openThread<string, string>(bounds);
    const ended: string[] = [];
    const run = async (of: string, job: string) => ended.push(await thread.run(of, job));
    const taken = [run(ONE, "1"), run(ONE, "2"), run(ONE, "3")];
    await assert.rejects(thread.run(ONE, "4"), refusalWith(429, "rate_limited"));
    taken.push(run("another", "other"));
    await assert.rejects(thread.run("a third", "5"), refusal);
    await Promise.all(taken);
    assert.deepEqual(ended, ["1", "2", "other", "3"]);
    await thread.close();
  });
});
