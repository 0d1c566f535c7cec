import { logoType } from "../../modules/organisations/rules.ts";
import { settingsOf } from "../../modules/organisations/schema.ts";
import { findLogo, organisationBySlug, readSettings } from "../../modules/organisations/store.ts";
import type { Services } from "../services.ts";

/** The logo at `path`; null when it is not the present logo of the organisation with the slug. */
export async function logoAt(
  services: Pick<Services, "db">,
  slug: string,
  path: string,
): Promise<{ bytes: Buffer; type: string } | null> {
  const organisation = await organisationBySlug(services.db, slug);
  if (!organisation) return null;
  return services.db.read(organisation.id, async (tx) => {
    if (settingsOf(await readSettings(tx)).branding.logo !== path) return null;
    const bytes = await findLogo(tx);
    return bytes && { bytes, type: logoType(path) };
  });
}
