import type { FastifyInstance } from "fastify";
import { notFound } from "../../kernel/errors.ts";
import { findAsset } from "../../templates/pages/assets/assets.ts";

/** Registers `GET /assets/<file>`: styles, script, icons and merchants' colours of the hosted pages. */
export function registerAssets(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>("/assets/:file", async (request, reply) => {
    const asset = findAsset(request.params.file);
    if (!asset) throw notFound("file");
    reply.headers(asset.headers);
    return takesGzip(request.headers["accept-encoding"])
      ? reply.header("Content-Encoding", "gzip").send(asset.gzip)
      : reply.send(asset.body);
  });
}

const takesGzip = (accepted: string | string[] | undefined): boolean =>
  String(accepted ?? "")
    .split(",")
    .some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
