import type { Press } from "../../flows/press.ts";
import { openThread } from "../../platform/threads.ts";
import type { PrintJob } from "../../templates/pdfs/documents.ts";
import type { PressJob } from "./thread.ts";

/** About a thousand times the time of an invoice. */
const TIMEOUT_MS = 20_000;
const MEMORY_MEGABYTES = 256;
const WAITING_MAX = 100;
const IDLE_MS = 60_000;

/** A press with one thread, which starts with the first job. */
export function createPress(bounds: { readonly timeoutMs?: number } = {}): Press & { close(): Promise<void> } {
  const thread = openThread<PressJob, Uint8Array | null>({
    script: new URL("./thread.ts", import.meta.url),
    timeoutMs: bounds.timeoutMs ?? TIMEOUT_MS,
    memoryMegabytes: MEMORY_MEGABYTES,
    waitingMax: WAITING_MAX,
    idleMs: IDLE_MS,
  });
  const buffer = (bytes: Uint8Array | null): Buffer | null =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    write: async (kind, document) => buffer(await thread.run({ kind, document } as PrintJob)) ?? Buffer.alloc(0),
    preparePicture: async (bytes) => buffer(await thread.run({ kind: "picture", bytes })),
    close: thread.close,
  };
}
