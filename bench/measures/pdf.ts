import { startHelper } from "../child.ts";
import type { PdfJob, PdfResult } from "../pdf-loop.ts";
import { type Line, target } from "../report.ts";
import { median } from "../statistics.ts";

const PDFS = 1000;
const LINES = 10;
const MILLISECONDS_MAX = 30;
const GROWTH_MAX = 60;
/** Milliseconds; people do not notice a shorter delay. */
const LOOP_DELAY_MAX = 100;

/** The time of one invoice's PDF, the memory growth after a thousand of them, and the delay of the event loop. */
export async function measurePdf(): Promise<Line[]> {
  const helper = startHelper<PdfJob, PdfResult>("pdf-loop.ts");
  try {
    const { milliseconds, growthMegabytes, loopDelay } = await helper.ask({ count: PDFS, lines: LINES });
    const middle = median(milliseconds);
    return [
      {
        name: "a PDF of an invoice, median",
        value: middle,
        unit: "ms",
        target: target("under", MILLISECONDS_MAX, middle, "ms"),
        note: `${LINES} lines, every fourth with an embedded font`,
      },
      {
        name: `growth of memory over ${PDFS} PDFs`,
        value: growthMegabytes,
        unit: "MB resident",
        target: target("under", GROWTH_MAX, growthMegabytes, "MB"),
        note: "once the heap has settled",
      },
      {
        name: "others wait at most while ten invoices of 200 lines are written and a logo of 2000 × 2000 is read",
        value: loopDelay,
        unit: "ms",
        target: target("under", LOOP_DELAY_MAX, loopDelay, "ms"),
      },
    ];
  } finally {
    await helper.stop();
  }
}
