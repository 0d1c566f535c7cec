import { invalid } from "../../kernel/errors.ts";
import { parseOrigin } from "../../kernel/urls.ts";
import { listAllowedOrigins, replaceAllowedOrigins } from "../../modules/allowed-return-urls/store.ts";
import { lockSettings } from "../../modules/organisations/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/**
 * Replaces the origins that return URLs may have (interface 5.7, 14.2). Returns the list before and after, in canonical
 * form and sorted. Throws 400 with an issue for each text that is not an origin.
 */
export async function allowReturnUrls(
  tx: Tx,
  ctx: Ctx,
  given: readonly string[],
): Promise<{ before: string[]; after: string[] }> {
  const parsed = given.map((text) => parseOrigin(text.trim(), { sandbox: ctx.organisation.sandbox }));
  const issues = parsed.flatMap((origin, index) =>
    origin.ok ? [] : [{ code: "custom", path: ["origins", index], message: origin.message }],
  );
  const [first] = issues;
  if (first) throw invalid(`Invalid body: ${first.path.join(".")} ${first.message}`, issues);
  await lockSettings(tx);
  const before = await listAllowedOrigins(tx);
  const after = [...new Set(parsed.flatMap((origin) => (origin.ok ? [origin.origin] : [])))].sort();
  replaceAllowedOrigins(tx, after);
  return { before, after };
}
