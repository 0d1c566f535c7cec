import { decodePicture } from "../../platform/pdf/picture.ts";
import { jobs } from "../../platform/thread-jobs.ts";
import { documentPdf, type PrintJob } from "../../templates/pdfs/documents.ts";

/* The thread of `createRenderer`. Bytes are passed in and out as Uint8Array. */

/** A job of the thread. */
export type RenderJob = PrintJob | { readonly kind: "picture"; readonly bytes: Uint8Array };

/** What the thread does with a job. */
export const perform = jobs(
  (job: RenderJob): Promise<Uint8Array | null> =>
    job.kind === "picture" ? decodePicture(Buffer.from(job.bytes)) : documentPdf(job),
);
