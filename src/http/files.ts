import type { FastifyReply } from "fastify";
import type { Download } from "./endpoint.ts";

/** Private to whoever asked; a browser keeps it rather than show it on our origin (design 8). */
export function sendFile(reply: FastifyReply, { content, contentType, fileName }: Download): FastifyReply {
  const ascii = fileName.replaceAll(/[^\w.-]/g, "_");
  return reply
    .code(200)
    .headers({
      "content-type": contentType,
      "content-disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    })
    .send(content);
}
