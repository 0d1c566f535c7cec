import { preparePicture } from "../../platform/pdf/picture.ts";
import { serveJobs } from "../../platform/thread-jobs.ts";
import { documentPdf, type PrintJob } from "../../templates/pdfs/documents.ts";

/* The thread of `createPress`. Bytes arrive and leave as plain arrays of them. */

/** What the thread does. */
export type PressJob = PrintJob | { readonly kind: "picture"; readonly bytes: Uint8Array };

serveJobs(
  (job: PressJob): Promise<Uint8Array | null> =>
    job.kind === "picture" ? preparePicture(Buffer.from(job.bytes)) : documentPdf(job),
);
