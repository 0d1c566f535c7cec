import { ApiError } from "../../../kernel/errors.ts";
import { type Action, type FormPage, formPage, type Sent } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import type { PageAnswer, PageRoute, Site } from "../site.ts";
import type { Visit } from "./visit.ts";

/** A page of the portal that only a signed-in customer sees. */
interface SignedInPage<V extends Visit, Facts> extends Pick<FormPage<V, Facts | null>, "url" | "open"> {
  /** Names the limit on its submissions, such as `portal-cards`. */
  readonly name: string;
  pathOf(visit: V): string;
  /** Reads the facts of the page. Null when the session has ended. Throws 404 when the record no longer exists. */
  read(visit: V): Promise<Facts | null>;
  readonly actions: Readonly<Record<string, Action<V, Facts | null>>>;
  /** Renders the page with the token of its form; `sent` is the submission after which it is shown again. */
  render(visit: V, facts: Facts, form: { readonly formToken: string; readonly sent: Sent | null }): PageAnswer["html"];
}

/** The token of the page's form: bound to the session, so that a token of another visitor is refused. */
export const signedInFormToken = <V extends Visit>(pathOf: (visit: V) => string, visit: V): string =>
  visit.site.formToken(`${pathOf(visit)} ${visit.session}`);

/** The page's routes. A visitor without a session is redirected to the sign-in page, also by an action. */
export function signedInPage<V extends Visit, Facts extends { readonly readOnly: boolean }>(
  site: Site,
  { name, pathOf, read, render, ...page }: SignedInPage<V, Facts>,
): PageRoute {
  const readSignedIn = async (visit: V): Promise<Facts | null> => (visit.session === "" ? null : read(visit));
  const route = formPage<V, Facts | null>(site, {
    ...page,
    read: readSignedIn,
    limits: ({ ctx, network }) => ({ [`page:${name}:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
    // Without a session the action redirects to the sign-in page.
    acceptsForm: (_visit, facts) => !facts?.readOnly,
    formName: (visit) => `${pathOf(visit)} ${visit.session}`,
    show(visit, facts, sent) {
      if (!facts) throw new ApiError("permission_required", 403, sent?.problem ?? "Sign in first.");
      const html = render(visit, facts, { formToken: signedInFormToken(pathOf, visit), sent });
      return { sandbox: visit.ctx.organisation.sandbox, capability: false, html };
    },
  });
  return {
    ...route,
    async get(request, reply) {
      const visit = await page.open(site, request);
      return (await readSignedIn(visit)) ? route.get(request, reply) : site.goTo(reply, visit.path);
    },
  };
}
