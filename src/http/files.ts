import type { FastifyReply } from "fastify";
import type { Download } from "./endpoint.ts";

/**
 * Headers for uploaded files: a browser downloads the file and, if it shows it, runs no script on the service's origin.
 */
export const UPLOAD_HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** Sends a file as an attachment that no shared cache stores. */
export function sendFile(reply: FastifyReply, { content, contentType, fileName }: Download): FastifyReply {
  const ascii = fileName.replaceAll(/[^\w.-]/g, "_");
  return reply
    .code(200)
    .headers({
      "content-type": contentType,
      "content-disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
      "cache-control": "private, no-store",
      ...UPLOAD_HEADERS,
    })
    .send(content);
}
