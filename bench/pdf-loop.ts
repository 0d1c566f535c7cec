import { monitorEventLoopDelay } from "node:perf_hooks";
import sharp from "sharp";
import { createRenderer } from "../src/app/renderer/renderer.ts";
import type { PricedLine } from "../src/kernel/lines.ts";
import { newId } from "../src/platform/new-id.ts";
import { invoiceOf, line, RECIPIENT } from "../test/support/pdf-documents.ts";
import { serveParent } from "./child.ts";

/* PDFs one after another, as the service writes them, in a process that does nothing else, so that only they use its memory. */

/** How many invoices, of so many lines each. */
export interface PdfJob {
  readonly count: number;
  readonly lines: number;
}

/** The time and memory of the PDFs. */
export interface PdfResult {
  /** Of each, in the order in which they were made. */
  readonly milliseconds: readonly number[];
  /** Resident memory at the end, minus that after the first `FIRST` documents. */
  readonly growthMegabytes: number;
  /** The longest delay of the event loop, in milliseconds, while `LONG` invoices were written and a logo of 2000 × 2000 was read. */
  readonly loopDelay: number;
}

const LONG = { invoices: 10, lines: 200 };
const LOGO = { width: 2000, height: 2000 };
const renderer = createRenderer();
const ORGANISATION = newId("org");

/** Documents written first, until code and fonts are loaded and the heap has its working size. */
const FIRST = 300;

const linesOf = (count: number): PricedLine[] =>
  Array.from({ length: count }, (_, index) =>
    line(`Rooibos, box ${index + 1}`, "2", "124.5", { details: "Loose leaf" }),
  );

async function makeOne(number: number, lines: number): Promise<number> {
  const from = performance.now();
  // Every fourth customer's name takes a font that is embedded.
  const company = number % 4 === 0 ? `Ṱhohoyanḓou ${number}` : `Bluegum Guest House ${number}`;
  await renderer.render(
    ORGANISATION,
    "invoice",
    invoiceOf(linesOf(lines), {
      number: `INV-${String(number).padStart(6, "0")}`,
      recipient: { ...RECIPIENT, company },
    }),
  );
  return performance.now() - from;
}

async function measureLoopDelay(): Promise<number> {
  const data = new Uint8Array(LOGO.width * LOGO.height * 4).fill(120);
  const logo = await sharp(data, { raw: { ...LOGO, channels: 4 } })
    .png()
    .toBuffer();
  const invoice = invoiceOf(linesOf(LONG.lines));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const written = Array.from({ length: LONG.invoices }, () => renderer.render(ORGANISATION, "invoice", invoice));
  await Promise.all([renderer.decodePicture(ORGANISATION, logo), ...written]);
  delay.disable();
  return delay.max / 1e6;
}

serveParent(async ({ count, lines }: PdfJob): Promise<PdfResult> => {
  for (let number = 1; number <= FIRST; number++) await makeOne(number, lines);
  const before = process.memoryUsage.rss();
  const milliseconds: number[] = [];
  for (let number = 1; number <= count; number++) milliseconds.push(await makeOne(number, lines));
  const growthMegabytes = (process.memoryUsage.rss() - before) / 1e6;
  return { milliseconds, growthMegabytes, loopDelay: await measureLoopDelay() };
});
