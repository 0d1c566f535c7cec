import type { ApiMerchant, TestApi } from "./api.ts";

/** An answer of a portal page: its text without tags but those of inputs and buttons. */
export interface ShownPage {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  readonly cookie: string;
}

/** A customer who is signed in to the portal. */
export interface SignedIn {
  /** Of the session, as `name=value`. */
  readonly cookie: string;
  /** `/portal/<slug>`. */
  readonly path: string;
  /** Reads a page below `path`, such as `/cards`. */
  see(page: string): Promise<ShownPage>;
  /** Posts the form of a page with its token. */
  send(page: string, fields: Readonly<Record<string, string>>): Promise<ShownPage>;
}

/** Requests a page, or posts a form to it. */
export async function portalRequest(
  api: TestApi,
  url: string,
  cookie: string,
  fields?: Readonly<Record<string, string>>,
): Promise<ShownPage> {
  const answer = await fetch(new URL(url, api.baseUrl), {
    redirect: "manual",
    headers: { cookie, ...(fields ? { origin: api.baseUrl } : {}) },
    ...(fields ? { method: "POST", body: new URLSearchParams(fields) } : {}),
  });
  return {
    status: answer.status,
    text: (await answer.text())
      .replace(/<[^>]+>/g, (tag) => (/^<(input|button)/.test(tag) ? tag : ""))
      .replaceAll("\u00a0", " "),
    location: answer.headers.get("location") ?? "",
    cookie: answer.headers.get("set-cookie")?.split(";", 1)[0] ?? "",
  };
}

/** The form token of a page; empty when it has no form. */
export const formTokenIn = ({ text }: ShownPage): string => /name="formToken" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** What identifies the offer that a page shows; empty when it shows none. */
export const sealIn = ({ text }: ShownPage): string => /name="seal" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** The values of `action` of a page's buttons, in their order. */
export const buttonsOf = ({ text }: ShownPage): string[] =>
  [...text.matchAll(/name="action" value="(\w+)"/g)].map(([, action = ""]) => action);

/** Signs a customer in by a link. */
export async function signInToPortal(api: TestApi, shop: ApiMerchant, customer: string): Promise<SignedIn> {
  const link = await shop.post<{ url: string }>(`/customers/${customer}/portal-link`, { email: false });
  const opened = await portalRequest(api, link.body.url, "");
  const fields = { action: "sign_in", formToken: formTokenIn(opened) };
  const { cookie } = await portalRequest(api, link.body.url, "", fields);
  const path = `/portal/${shop.organisation.slug}`;
  const see = (page: string) => portalRequest(api, path + page, cookie);
  return {
    cookie,
    path,
    see,
    send: async (page, fields) =>
      portalRequest(api, path + page, cookie, { formToken: formTokenIn(await see(page)), ...fields }),
  };
}
