import type { Renderer } from "../../flows/renderer.ts";
import { openThread } from "../../platform/threads.ts";
import type { PrintJob } from "../../templates/pdfs/documents.ts";
import type { RenderJob } from "./thread.ts";

/** About a thousand times the time of an invoice. */
const TIMEOUT_MS = 20_000;
const MEMORY_MEGABYTES = 256;
const WAITING = 200;
const WAITING_OF_ONE = 50;
const IDLE_MS = 60_000;

/** A renderer with one thread, which starts with the first job. */
export function createRenderer(bounds: { readonly timeoutMs?: number } = {}): Renderer & { close(): Promise<void> } {
  const thread = openThread<RenderJob, Uint8Array | null>({
    script: new URL("./thread.ts", import.meta.url),
    what: "documents",
    timeoutMs: bounds.timeoutMs ?? TIMEOUT_MS,
    tooLong: "This takes too long at the moment. Try again shortly.",
    memoryMegabytes: MEMORY_MEGABYTES,
    waiting: WAITING,
    waitingOfOne: WAITING_OF_ONE,
    idleMs: IDLE_MS,
  });
  const buffer = (bytes: Uint8Array | null): Buffer | null =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    render: async (of, kind, document) =>
      buffer(await thread.run(of, { kind, document } as PrintJob)) ?? Buffer.alloc(0),
    decodePicture: async (of, bytes) => buffer(await thread.run(of, { kind: "picture", bytes })),
    close: thread.close,
  };
}
