import type { DocumentKinds } from "../templates/pdfs/documents.ts";

export type { DocumentKinds };

/**
 * Writes PDFs and reads pictures in a thread of its own, so that nobody else's request waits. Throws 503 when it takes longer or more
 * memory than it may, or when too much waits.
 */
export interface Renderer {
  /** The document as a PDF. */
  render<Kind extends keyof DocumentKinds>(kind: Kind, document: DocumentKinds[Kind]): Promise<Buffer>;
  /** A PNG, JPEG or WebP as PDFs hold it; null for what cannot be read as one, or is over 4 megapixels. */
  decodePicture(bytes: Buffer): Promise<Buffer | null>;
}
