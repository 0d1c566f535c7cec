import type { FastifyReply } from "fastify";
import type { Download } from "./endpoint.ts";

/** Of what others uploaded: a browser keeps it, and where it shows it all the same, it runs nothing on our origin. */
export const UPLOAD_HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** Private to whoever asked; a browser keeps it rather than show it on our origin. */
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
