import type { FastifyReply, FastifyRequest } from "fastify";
import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { OrganisationId } from "../../kernel/ids.ts";
import type { UploadRule } from "../endpoint.ts";
import { withUpload } from "../uploads.ts";
import type { Form } from "./form.ts";
import { countSubmission, type Limit } from "./limits.ts";
import type { PageAnswer, PageRoute, Site } from "./site.ts";

/** How the form's page is shown again after a submission. */
export interface Redisplay {
  /** HTTP status; 200 when the submission was accepted and the page shows its result. */
  readonly status: number;
  /** A sentence about a problem of the form as a whole. */
  readonly problem?: string;
  /** Sentences about problems of single fields, by name. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A submission whose form is shown again. */
export interface Sent extends Redisplay {
  /** The submitted form; null when the form of an upload was not read. */
  readonly form: Form | null;
}

/** The result of an action: a redirect (303), another page, or the form's page again. */
export type Outcome =
  | { readonly goTo: string; readonly headers?: Readonly<Record<string, string | string[]>> }
  | { readonly page: PageAnswer }
  | { readonly redisplay: Redisplay };

/** The action of one button of a form. */
export type Action<Visit, Facts> = (visit: Visit, facts: Facts, form: Form) => Promise<Outcome>;

/** Shows the form's page again, with a sentence that gives the reason. */
export const redisplay = (
  status: number,
  problem: string,
  more: Omit<Redisplay, "status" | "problem"> = {},
): { redisplay: Redisplay } => ({
  redisplay: { status, problem, ...more },
});

/** Shows the form's page again with 400 and the errors of its fields. */
export const invalidFields = (errors: Readonly<Record<string, string>>): { redisplay: Redisplay } => ({
  redisplay: { status: 400, errors },
});

/** An action that validates its form first: `check` returns the input for `act`, or how the page is shown again. */
export const validated =
  <Visit, Facts, Input>(
    check: (form: Form, facts: Facts, visit: Visit) => { readonly input: Input } | { readonly redisplay: Redisplay },
    act: (visit: Visit, facts: Facts, input: Input) => Promise<Outcome>,
  ): Action<Visit, Facts> =>
  async (visit, facts, form) => {
    const read = check(form, facts, visit);
    return "redisplay" in read ? read : act(visit, facts, read.input);
  };

/** A hosted page with a form, as `formPage` serves it. */
export interface FormPage<Visit, Facts> {
  /** Path below the prefix of the pages. */
  readonly url: string;
  /** Resolves the URL. Throws 404 for an unknown or altered one (`noSuchPage`). */
  open(site: Site, request: FastifyRequest): Promise<Visit>;
  /** Reads the facts of the page. Throws 404 when the record no longer exists. */
  read(visit: Visit): Promise<Facts>;
  /** The limits that a submission counts against, by scope. */
  limits(visit: Visit): Readonly<Record<string, Limit>>;
  /** Whether the page has its form now; otherwise a submission gets the page in its present state. */
  acceptsForm(visit: Visit, facts: Facts): boolean;
  /** The name that the form's token is bound to (`Site.formToken`). */
  formName(visit: Visit): string;
  /** The file that the form sends, if any, and whose page it is. */
  readonly file?: UploadRule & { of(visit: Visit): OrganisationId };
  /** Actions by the value of the form's field `action`; by the empty text for a form without this field. */
  readonly actions: Readonly<Record<string, Action<Visit, Facts>>>;
  /** The problem shown when `action` is none of these. */
  readonly choose?: string;
  /** Renders the page; `sent` is the submission after which it is shown again. `formPage` sets status and headers. */
  show(visit: Visit, facts: Facts, sent: Sent | null): PageAnswer | Promise<PageAnswer>;
}

/**
 * The routes of a page and its form. A submission is checked in this order, and the first check that fails decides the
 * answer: the URL (404), the limits (429), whether the page has its form now (the page in its present state), the file
 * (4xx), the origin (403), the action and its fields (400). Then the action runs. No file is read for a client that is
 * over a limit. A page without its form is shown to every origin, since a GET returns the same.
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
      if ("goTo" in outcome) return site.goTo(reply.headers({ ...outcome.headers }), outcome.goTo);
      if ("page" in outcome) return site.send(reply, outcome.page);
      const { status, headers = {} } = outcome.redisplay;
      // Read again: the submission may have changed the facts of the page.
      const shown = await page.show(visit, await page.read(visit), outcome.redisplay);
      return site.send(reply, { ...shown, status, headers: { ...shown.headers, ...headers } });
    },
  }) satisfies PageRoute;

type Submitted = Exclude<Outcome, { readonly redisplay: Redisplay }> | { readonly redisplay: Sent };

async function submit<Visit, Facts>(
  site: Site,
  page: FormPage<Visit, Facts>,
  visit: Visit,
  request: FastifyRequest,
): Promise<Submitted> {
  const form = page.file ? null : site.form(request, page.formName(visit), request.body);
  const facts = await page.read(visit);
  const limited = await countSubmission(site.services, page.limits(visit));
  if (limited) return { redisplay: { status: 429, problem: limited.message, headers: limited.headers, form } };
  if (!page.acceptsForm(visit, facts)) return { page: await page.show(visit, facts, null) };
  return form ? act(page, visit, facts, form) : submitFile(site, page, { visit, facts }, request);
}

async function act<Visit, Facts>(
  page: FormPage<Visit, Facts>,
  visit: Visit,
  facts: Facts,
  form: Form,
): Promise<Submitted> {
  if (form.originProblem) return { redisplay: { status: 403, problem: form.originProblem, form } };
  const action = form.field("action");
  const run = Object.hasOwn(page.actions, action) ? page.actions[action] : undefined;
  if (!run) return { redisplay: { status: 400, problem: page.choose ?? "Use a button of this page.", form } };
  const outcome = await run(visit, facts, form);
  return "redisplay" in outcome ? { redisplay: { ...outcome.redisplay, form } } : outcome;
}

/** Reads the file and acts on the form in one turn of uploads. */
async function submitFile<Visit, Facts>(
  site: Site,
  page: FormPage<Visit, Facts>,
  { visit, facts }: { readonly visit: Visit; readonly facts: Facts },
  request: FastifyRequest,
): Promise<Submitted> {
  assert(page.file, "the page takes a file");
  let read = false;
  try {
    return await withUpload(request, page.file, { of: page.file.of(visit), payer: true }, (upload) => {
      read = true;
      const form = { ...site.form(request, page.formName(visit), upload.fields), file: upload.file };
      return act(page, visit, facts, form);
    });
  } catch (error) {
    if (read || !(error instanceof ApiError)) throw error;
    const { status, message, headers } = error;
    const problem = [413, 429, 503].includes(status) ? message : "The file did not arrive whole. Send it again.";
    return { redisplay: { status, problem, headers, form: null } };
  }
}
