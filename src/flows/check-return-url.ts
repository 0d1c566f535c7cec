import { invalidField } from "../kernel/errors.ts";
import { parseReturnUrl } from "../kernel/urls.ts";
import { listAllowedOrigins } from "../modules/allowed-return-urls/store.ts";
import type { Tx } from "../platform/database.ts";
import type { Ctx } from "./context.ts";

/**
 * Checks a `returnUrl` that a client sent, and returns it without its fragment. Throws 400 unless its origin is allowed
 * (interface 5.7).
 */
export async function checkReturnUrl(tx: Tx, ctx: Ctx, url: string | null): Promise<string | null> {
  if (url === null) return null;
  const parsed = parseReturnUrl(url, { sandbox: ctx.organisation.sandbox });
  if (!parsed.ok) throw invalidField(["returnUrl"], parsed.message);
  if (!(await listAllowedOrigins(tx)).includes(parsed.origin))
    throw invalidField(
      ["returnUrl"],
      `The origin ${parsed.origin} is not allowed. Add it under Developers, Return URLs.`,
    );
  return parsed.url;
}
