import type { DocumentKinds } from "../templates/pdfs/documents.ts";

export type { DocumentKinds };

/**
 * Writes PDFs and decodes pictures in a thread of its own, so that requests do not wait for it. Throws 503 when a job exceeds its
 * time or memory, or too many jobs wait.
 */
export interface Renderer {
  /** The document as a PDF. */
  render<Kind extends keyof DocumentKinds>(kind: Kind, document: DocumentKinds[Kind]): Promise<Buffer>;
  /** Decodes a PNG, JPEG or WebP to the form that PDFs use; null when it cannot be decoded or has more than 4 megapixels. */
  decodePicture(bytes: Buffer): Promise<Buffer | null>;
}
