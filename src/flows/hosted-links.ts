import type { Id } from "../kernel/ids.ts";
import { organisationById } from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { type HostedPage, readToken, signToken, tokenHolds } from "../platform/tokens.ts";
import type { Ctx } from "./context.ts";
import { linkKeyOf } from "./organisations/link-key.ts";
import type { Services } from "./services.ts";

/** Whose pages they are, and what signs their tokens. */
type LinkSigner = Pick<Ctx, "secrets"> & { readonly organisation: Pick<Organisation, "id" | "tokenKeySealed"> };

/** `/<page>/<token>`: signed and stored nowhere, the same each time it is asked for. */
export const hostedPath = <Kind extends string>(
  { secrets, organisation }: LinkSigner,
  page: HostedPage<Kind>,
  id: Id<Kind>,
): string => `/${page.path}/${signToken(linkKeyOf(secrets, organisation), page.path, organisation.id, id)}`;

/** The same on {base_url}: `url` and `payUrl` of interface 2.3, 2.5, 2.11. */
export const hostedUrl = <Kind extends string>(
  ctx: LinkSigner & Pick<Ctx, "baseUrl">,
  page: HostedPage<Kind>,
  id: Id<Kind>,
): string => ctx.baseUrl + hostedPath(ctx, page, id);

/** What a page's token opens, and whose it is; null for a token that this service did not make, whatever is wrong with it. */
export async function openHostedLink<Kind extends string>(
  services: Pick<Services, "db" | "secrets">,
  page: HostedPage<Kind>,
  token: string,
): Promise<{ organisation: Organisation; id: Id<Kind> } | null> {
  const claim = readToken(token, page.kind);
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!organisation || !tokenHolds(token, linkKeyOf(services.secrets, organisation), page.path)) return null;
  return { organisation, id: claim.subject };
}
