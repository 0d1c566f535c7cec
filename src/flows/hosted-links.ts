import type { Id } from "../kernel/ids.ts";
import { organisationById } from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { SHORT_PATH } from "../modules/payment-links/declarations.ts";
import type { PaymentLink } from "../modules/payment-links/types.ts";
import { type HostedPage, readToken, signToken, verifyToken } from "../platform/tokens.ts";
import type { Ctx } from "./context.ts";
import { linkKeyOf } from "./organisations/link-key.ts";
import type { Services } from "./services.ts";

/** The organisation of the pages, and the secrets that sign their tokens. */
type LinkSigner = Pick<Ctx, "secrets"> & { readonly organisation: Pick<Organisation, "id" | "tokenKeySealed"> };

/**
 * The path of a record's hosted page, `/<page>/<token>`. The token is signed, not stored, and always the same for a
 * record.
 */
export const hostedPath = <Kind extends string>(
  { secrets, organisation }: LinkSigner,
  page: HostedPage<Kind>,
  id: Id<Kind>,
): string => `/${page.path}/${signToken(linkKeyOf(secrets, organisation), page.path, organisation.id, id)}`;

/** Like `hostedPath`, with {base_url}: `url` and `payUrl` of interface 2.3, 2.5, 2.11. */
export const hostedUrl = <Kind extends string>(
  ctx: LinkSigner & Pick<Ctx, "baseUrl">,
  page: HostedPage<Kind>,
  id: Id<Kind>,
): string => ctx.baseUrl + hostedPath(ctx, page, id);

/** The short address of a payment link's page, with {base_url}. */
export const shortUrlOf = ({ baseUrl }: Pick<Ctx, "baseUrl">, { shortCode }: Pick<PaymentLink, "shortCode">): string =>
  `${baseUrl}/${SHORT_PATH}/${shortCode}`;

/** The organisation and record id of a page's token. Null for a token that this service did not sign. */
export async function openHostedLink<Kind extends string>(
  services: Pick<Services, "db" | "secrets">,
  page: HostedPage<Kind>,
  token: string,
): Promise<{ organisation: Organisation; id: Id<Kind> } | null> {
  const claim = readToken(token, page.kind);
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!organisation || !verifyToken(token, linkKeyOf(services.secrets, organisation), page.path)) return null;
  return { organisation, id: claim.subject };
}
