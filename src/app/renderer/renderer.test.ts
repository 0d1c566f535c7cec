import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, test } from "node:test";
import sharp from "sharp";
import { ApiError } from "../../kernel/errors.ts";
import { decodePicture } from "../../platform/pdf/picture.ts";
import { openThread } from "../../platform/threads.ts";
import { documentPdf } from "../../templates/pdfs/documents.ts";
import { invoiceOf, LINES } from "../../templates/pdfs/testing.ts";
import { createRenderer } from "./renderer.ts";

const renderer = createRenderer();
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
    await renderer.render("invoice", invoice),
    await documentPdf({ kind: "invoice", document: invoice }),
  );
});

test("a picture is decoded for PDFs; bytes that are not a picture give null", async () => {
  const decoded = await renderer.decodePicture(large);
  assert(decoded && decoded.length < large.length);
  assert.deepEqual([decoded.readUInt32BE(16), decoded.readUInt32BE(20)], [225, 225]);
  assert.equal(await renderer.decodePicture(Buffer.from("<svg/>")), null);
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
    Promise.all([renderer.decodePicture(large), ...invoices.map((document) => renderer.render("invoice", document))]),
  );
  assert(beside < here / 4, `${beside} of ${here} microseconds`);
});

describe("a job that takes too much", () => {
  const script = new URL("./testing.ts", import.meta.url);
  const bounds = { script, timeoutMs: 5_000, memoryMegabytes: 64, waitingMax: 2, idleMs: 60_000 };
  const refusal = (error: unknown) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.headers["Retry-After"]], [503, "service_unavailable", "5"]);
    return true;
  };

  test("time: it is refused, and the next gets a new thread", async () => {
    const thread = openThread<string, string>({ ...bounds, timeoutMs: 5_000 });
    const [slow, next] = [thread.run("loop"), thread.run("echo")];
    await assert.rejects(slow, refusal);
    assert.equal(await next, "echo");
    await thread.close();
  });

  test("memory: it is refused, and the next gets a new thread", async () => {
    const thread = openThread<string, string>(bounds);
    await assert.rejects(thread.run("fill"), refusal);
    assert.equal(await thread.run("echo"), "echo");
    await thread.close();
  });

  test("an error fails only its job, and the thread goes on", async () => {
    const thread = openThread<string, string>(bounds);
    await assert.rejects(thread.run("throw"), /the job fails/);
    assert.equal(await thread.run("echo"), "echo");
    await thread.close();
  });

  test("a job is refused at once when too many wait", async () => {
    const thread = openThread<string, string>(bounds);
    const taken = [thread.run("echo"), thread.run("echo"), thread.run("echo")];
    await assert.rejects(thread.run("echo"), refusal);
    assert.deepEqual(await Promise.all(taken), ["echo", "echo", "echo"]);
    await thread.close();
  });
});
