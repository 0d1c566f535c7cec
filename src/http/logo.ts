import type { FastifyInstance } from "fastify";
import { logoAt } from "../flows/organisations/logo.ts";
import type { Services } from "../flows/services.ts";
import { notFound } from "../kernel/errors.ts";
import { UPLOAD_HEADERS } from "./files.ts";

/** Registers `GET /assets/logo/<organisation slug>/<hash>.<extension>`: merchants' logos, for pages and mails. */
export function registerLogoRoute(app: FastifyInstance, services: Pick<Services, "db">): void {
  app.get<{ Params: { slug: string; file: string } }>("/assets/logo/:slug/:file", async (request, reply) => {
    const { slug, file } = request.params;
    // A slug that no organisation can have is not queried.
    const logo = /^[a-z0-9-]{1,63}$/.test(slug) ? await logoAt(services, slug, `/assets/logo/${slug}/${file}`) : null;
    if (!logo) throw notFound("logo");
    return reply
      .headers({
        "content-type": logo.type,
        "cache-control": "public, max-age=31536000, immutable",
        // An <img> ignores this header; a browser that opens the address itself downloads the file.
        "content-disposition": "attachment",
        "cross-origin-resource-policy": "cross-origin",
        ...UPLOAD_HEADERS,
      })
      .send(logo.bytes);
  });
}
