import createClient from "openapi-fetch";
import { ApiFailure, failureOf } from "./failure.ts";
import type { components, paths } from "./generated/schema.ts";

/** A shape of the API by its name: `Shape<"Invoice">`. */
export type Shape<Name extends keyof components["schemas"]> = components["schemas"][Name];
export type { paths } from "./generated/schema.ts";

/** The address of the dashboard's API, for links to files. */
export const API = "/dashboard/api";

/** Asks the person in a dialog over the present page; answers whether the request may be sent again. */
export interface Prompts {
  /** The session has ended. */
  signIn(): Promise<boolean>;
  /** The change needs a new proof of identity. */
  prove(): Promise<boolean>;
  /** Something was refused that the role, the plan or the account no longer allows: the data read about them may be old. */
  refused(): void;
}

let prompts: Prompts = { signIn: async () => false, prove: async () => false, refused: () => {} };
let organisation: string | null = null;

/** Sets the dialogs for these questions. The app does so once. */
export function setPrompts(asked: Prompts): void {
  prompts = asked;
}

/** Asks the person for a new proof of identity, for refusals of the sign-in itself; false when they give none. */
export const askProof = (): Promise<boolean> => prompts.prove();

/** Sets the organisation that every request is for, by its slug (decisions.md#organisation-per-tab). */
export function setOrganisation(slug: string | null): void {
  organisation = slug;
}

/**
 * Sends a request; after an ended session, or where a proof is required, sends it again once the person has signed in.
 * Throws `ApiFailure`.
 */
async function send(request: Request): Promise<Response> {
  if (organisation !== null) request.headers.set("Tefo-Organisation", organisation);
  const again = request.clone();
  const response = await reach(request);
  if (response.ok) return response;
  const failure = await failureOf(response);
  const asked = whoAsks(request, failure);
  if (asked === null && failure.status === 403) prompts.refused();
  if (asked === null || !(await asked())) throw failure;
  return send(again);
}

/** Paths that are usually called without a session: signing in and out, and reading who is signed in. */
const isSignIn = (url: string): boolean =>
  /\/dashboard\/api\/(session$|invitations\/|auth\/(sign-in\/|sign-out$|request-password-reset$|reset-password$|two-factor\/verify-|passkey\/(generate-authenticate-options|verify-authentication)$))/.test(
    url,
  );
/** Paths of changes to one's own sign-in, where 401 may also mean that the password is wrong. */
const isAccount = (url: string): boolean => url.includes("/dashboard/api/auth/");

const signInIfEnded = async (): Promise<boolean> => {
  const session = await reach(new Request(new URL(`${API}/session`, location.origin)));
  return session.status === 401 && prompts.signIn();
};

function whoAsks({ url }: Request, { status, code }: ApiFailure): (() => Promise<boolean>) | null {
  if (isSignIn(url)) return null;
  if (status === 401) return isAccount(url) ? signInIfEnded : prompts.signIn;
  return status === 403 && code === "reauthentication_required" ? prompts.prove : null;
}

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiFailure(
      0,
      { error: "unreachable", message: "Tefo cannot be reached. Check the connection and try again." },
      null,
    );
  }
}

const client = createClient<paths>({ baseUrl: API, fetch: send });

type Answered = Promise<{ data?: unknown }>;
type DataOf<A extends Answered> = NonNullable<Awaited<A>["data"]>;

/** The typed client of the dashboard's API: `got(api.GET("/invoices/{id}", …))` answers the data, or throws `ApiFailure`. */
export const api = client;

/** The data of an answer; failures were thrown before. */
export async function got<A extends Answered>(asked: A): Promise<DataOf<A>> {
  return (await asked).data as DataOf<A>;
}

/** Sends a request without types of its own, for paths that are known only at run time, such as those of lists. */
export async function getJson(path: string, query: Readonly<Record<string, string | undefined>>): Promise<unknown> {
  const url = new URL(`${API}${path}`, location.origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, value);
  const response = await send(new Request(url, { headers: { accept: "application/json" } }));
  return response.json();
}

/** A file of the API, with its name. */
export interface ApiFile {
  readonly name: string;
  readonly content: Blob;
}

/** Reads a file, such as an invoice's PDF; `path` is below the API. With a `body`, a file that is made from it. Throws `ApiFailure`. */
export async function getFile(path: string, body?: object): Promise<ApiFile> {
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await send(new Request(new URL(`${API}${path}`, location.origin), body && asked));
  const given = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return { name: given ? decodeURIComponent(given) : "file", content: await response.blob() };
}
