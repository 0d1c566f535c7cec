import type { FastifyInstance } from "fastify";
import { logoAt } from "../flows/organisations/logo.ts";
import type { Services } from "../flows/services.ts";
import { notFound } from "../kernel/errors.ts";

/** `GET /assets/logo/<organisation slug>/<hash>.<extension>`: merchants' logos, for pages and mails. */
export function registerLogoRoute(app: FastifyInstance, services: Pick<Services, "db">): void {
  app.get<{ Params: { slug: string; file: string } }>("/assets/logo/:slug/:file", async (request, reply) => {
    const { slug, file } = request.params;
    // A slug that no organisation can have is not asked for.
    const logo = /^[a-z0-9-]{1,63}$/.test(slug) ? await logoAt(services, slug, `/assets/logo/${slug}/${file}`) : null;
    if (!logo) throw notFound("logo");
    return reply
      .headers({
        "content-type": logo.type,
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      })
      .send(logo.bytes);
  });
}
