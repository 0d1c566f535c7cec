import type { OrganisationId } from "../kernel/ids.ts";
import type { DocumentKinds } from "../templates/pdfs/documents.ts";

export type { DocumentKinds };

/**
 * Writes PDFs and decodes pictures in a separate thread, so that requests do not wait; organisations take turns. Throws
 * 503 when a job exceeds its time or memory, and 429 or 503 when too many jobs wait.
 */
export interface Renderer {
  /** The document as a PDF. */
  render<Kind extends keyof DocumentKinds>(
    of: OrganisationId,
    kind: Kind,
    document: DocumentKinds[Kind],
  ): Promise<Buffer>;
  /**
   * Decodes a PNG, JPEG or WebP to the form that PDFs use; null when it cannot be decoded or has more than 4
   * megapixels.
   */
  decodePicture(of: OrganisationId, bytes: Buffer): Promise<Buffer | null>;
}
