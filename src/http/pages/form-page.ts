import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../kernel/errors.ts";
import type { UploadRule } from "../endpoint.ts";
import { readUpload } from "../uploads.ts";
import type { Form } from "./form.ts";
import { countSubmission, type Limit } from "./limits.ts";
import type { PageAnswer, PageRoute, Site } from "./site.ts";

/** The page that answers a submission which did not lead on, and why. */
export interface Again {
  /** 200 when all is well and the page has something new to show. */
  readonly status: number;
  /** With the form as a whole, as a sentence. */
  readonly problem?: string;
  /** With single fields, by their names. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What was sent and not taken. */
export interface Sent extends Again {
  /** Null where a file's form was not read. */
  readonly form: Form | null;
}

/** How an action ended: the browser is sent on (303), or gets a page, or the form's page again. */
export type Outcome =
  | { readonly goTo: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly page: PageAnswer }
  | { readonly again: Again };

/** What one button of a form does. */
export type Action<Visit, Facts> = (visit: Visit, facts: Facts, form: Form) => Promise<Outcome>;

/** The form's page again, with a sentence that says why. */
export const again = (
  status: number,
  problem: string,
  more: Omit<Again, "status" | "problem"> = {},
): { again: Again } => ({
  again: { status, problem, ...more },
});

/** The form's page again, with what is wrong with its fields: 400. */
export const wrong = (errors: Readonly<Record<string, string>>): { again: Again } => ({
  again: { status: 400, errors },
});

/** An action that reads its form first: `check` answers what it needs, or the page again. */
export const checked =
  <Visit, Facts, Input>(
    check: (form: Form, facts: Facts, visit: Visit) => { readonly input: Input } | { readonly again: Again },
    act: (visit: Visit, facts: Facts, input: Input) => Promise<Outcome>,
  ): Action<Visit, Facts> =>
  async (visit, facts, form) => {
    const read = check(form, facts, visit);
    return "again" in read ? read : act(visit, facts, read.input);
  };

/** A hosted page with a form, as `formPage` serves it. */
export interface FormPage<Visit, Facts> {
  /** Below the prefix that it is mounted at. */
  readonly url: string;
  /** Finds what the address names. Throws 404 for an unknown or tampered one (`noSuchPage`). */
  open(site: Site, request: FastifyRequest): Promise<Visit>;
  /** Reads what the page shows now. Throws 404 when it is gone. */
  read(visit: Visit): Promise<Facts>;
  /** What a submission counts against. */
  limits(visit: Visit): Readonly<Record<string, Limit>>;
  /** Whether the page has its form now: not while its matter is over or unavailable, or the account is read-only. */
  takesForms(visit: Visit, facts: Facts): boolean;
  /** The name that its form's token is bound to (`Site.formToken`). */
  formName(visit: Visit): string;
  /** Of a form that sends a file. */
  readonly file?: UploadRule;
  /** By the value of the form's field `action`; by the empty text for a form that has no such field. */
  readonly actions: Readonly<Record<string, Action<Visit, Facts>>>;
  /** Asks for a choice when `action` is none of these. */
  readonly choose?: string;
  /** The page as it is; after a submission that was not taken, with what was sent. Its status and headers are set here. */
  show(visit: Visit, facts: Facts, sent: Sent | null): PageAnswer | Promise<PageAnswer>;
}

/**
 * Serves a page and its form. A submission is checked in this order, and the first that fails answers: the address (404), how often it was
 * sent (429), whether the page takes a form now (the page as it is), the file (4xx), where it came from (403), the action and its fields
 * (400). Then the action runs. Whoever is over a limit has no file read, and what a page says of itself is said to everybody.
 */
export const formPage = <Visit, Facts>(site: Site, page: FormPage<Visit, Facts>) =>
  ({
    url: page.url,
    safe: true as const,
    ...(page.file ? { takesFile: true as const } : {}),
    get: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const visit = await page.open(site, request);
      return site.send(reply, await page.show(visit, await page.read(visit), null));
    },
    post: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const visit = await page.open(site, request);
      const outcome = await submit(site, page, visit, request);
      if ("goTo" in outcome) return site.goTo(reply.headers(outcome.headers ?? {}), outcome.goTo);
      if ("page" in outcome) return site.send(reply, outcome.page);
      const { status, headers = {} } = outcome.again;
      // Read again: what was done or refused may have changed what the page shows.
      const shown = await page.show(visit, await page.read(visit), outcome.again);
      return site.send(reply, { ...shown, status, headers });
    },
  }) satisfies PageRoute;

type Submitted = Exclude<Outcome, { readonly again: Again }> | { readonly again: Sent };

async function submit<Visit, Facts>(
  site: Site,
  page: FormPage<Visit, Facts>,
  visit: Visit,
  request: FastifyRequest,
): Promise<Submitted> {
  let form = page.file ? null : site.form(request, page.formName(visit), request.body);
  const facts = await page.read(visit);
  const limited = await countSubmission(site.services, page.limits(visit));
  if (limited) return { again: { status: 429, problem: limited.message, headers: limited.headers, form } };
  if (!page.takesForms(visit, facts)) return { page: await page.show(visit, facts, null) };
  if (!form) {
    const read = await readFileForm(site, page, visit, request);
    if ("again" in read) return { again: { ...read.again, form } };
    form = read;
  }
  if (form.distrust) return { again: { status: 403, problem: form.distrust, form } };
  const action = form.field("action");
  const run = Object.hasOwn(page.actions, action) ? page.actions[action] : undefined;
  if (!run) return { again: { status: 400, problem: page.choose ?? "Use a button of this page.", form } };
  const outcome = await run(visit, facts, form);
  return "again" in outcome ? { again: { ...outcome.again, form } } : outcome;
}

async function readFileForm<Visit, Facts>(
  site: Site,
  { file, formName }: FormPage<Visit, Facts>,
  visit: Visit,
  request: FastifyRequest,
): Promise<Form | { readonly again: Again }> {
  try {
    const upload = await readUpload(request, file as UploadRule);
    return { ...site.form(request, formName(visit), upload.fields), file: upload.file };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return again(error.status, error.status === 413 ? error.message : "The file did not arrive whole. Send it again.");
  }
}
