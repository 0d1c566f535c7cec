import type { IdKinds } from "../kernel/ids.ts";
import { organisationById } from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { readToken, signToken, tokenHolds } from "../platform/tokens.ts";
import type { Ctx } from "./context.ts";
import { linkKeyOf } from "./organisations/link-key.ts";
import type { Services } from "./services.ts";

/** Hosted pages whose address is the permission (decision 18): the first word of their path, and the kind of record they show. */
const PAGES = { pay: "plink", quote: "quo", eft: "eft" } as const satisfies Readonly<Record<string, keyof IdKinds>>;

/** A page that whoever has its link may use. */
export type HostedPage = keyof typeof PAGES;
/** What it shows. */
export type RecordId<Page extends HostedPage> = IdKinds[(typeof PAGES)[Page]];

/** Whose pages they are, and what signs their tokens. */
type LinkSigner = Pick<Ctx, "secrets"> & { readonly organisation: Pick<Organisation, "id" | "tokenKeySealed"> };

/** `/<page>/<token>`: signed and stored nowhere, the same each time it is asked for. */
export const hostedPath = <Page extends HostedPage>(
  { secrets, organisation }: LinkSigner,
  page: Page,
  id: RecordId<Page>,
): string => `/${page}/${signToken(linkKeyOf(secrets, organisation), page, organisation.id, id)}`;

/** The same on {base_url}: `url` and `payUrl` of interface 2.3, 2.5, 2.11. */
export const hostedUrl = <Page extends HostedPage>(
  ctx: LinkSigner & Pick<Ctx, "baseUrl">,
  page: Page,
  id: RecordId<Page>,
): string => ctx.baseUrl + hostedPath(ctx, page, id);

/** What a page's token opens, and whose it is; null for a token that this service did not make, whatever is wrong with it. */
export async function openHostedLink<Page extends HostedPage>(
  services: Pick<Services, "db" | "secrets">,
  page: Page,
  token: string,
): Promise<{ organisation: Organisation; id: RecordId<Page> } | null> {
  const claim = readToken(token, PAGES[page]);
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!organisation || !tokenHolds(token, linkKeyOf(services.secrets, organisation), page)) return null;
  return { organisation, id: claim.subject };
}
