import { randomBytes } from "node:crypto";
import type { OrganisationId } from "../../kernel/ids.ts";
import { LINK_KEY_COLUMN } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Secrets } from "../../platform/secrets.ts";

const opened = new Map<string, Buffer>();
const OPENED_MAX = 10_000;

/**
 * The decrypted key that signs an organisation's hosted links. It does not change when SECRET_KEY is rotated, so links
 * stay valid.
 */
export function linkKeyOf(secrets: Secrets, organisation: Pick<Organisation, "id" | "tokenKeySealed">): Buffer {
  const known = opened.get(organisation.tokenKeySealed);
  if (known) return known;
  const text = secrets.open(organisation.tokenKeySealed, {
    organisation: organisation.id,
    column: LINK_KEY_COLUMN,
  });
  const bytes = Buffer.from(text, "base64url");
  // A copy, because a small buffer is part of a larger one, which it would keep in memory.
  const key = Buffer.alloc(bytes.length, bytes);
  if (opened.size >= OPENED_MAX) opened.clear();
  opened.set(organisation.tokenKeySealed, key);
  return key;
}

/** A new link key, encrypted, for a new organisation. */
export const newLinkKey = (secrets: Secrets, organisation: OrganisationId): string =>
  secrets.seal(randomBytes(32).toString("base64url"), { organisation, column: LINK_KEY_COLUMN });
