import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isStorable } from "../../kernel/text.ts";
import { DAY_SECONDS } from "../../kernel/time.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { FORM_TOKEN_FIELD } from "../../templates/pages/parts.ts";
import type { UploadedFile } from "../endpoint.ts";
import { isFromOtherSite, isFromOwnPage } from "../origin.ts";
import { windowStart } from "../rate-limit.ts";

/** A submitted form. */
export interface Form {
  /**
   * A field's text, trimmed; the last value of a repeated field; empty for an absent field and for text that PostgreSQL
   * cannot store.
   */
  field(name: string): string;
  /** The uploaded file; null when there is none. */
  readonly file: UploadedFile | null;
  /** A sentence for the payer when the form does not come from a page of this service; else null. */
  readonly originProblem: string | null;
}

/**
 * Issues and checks the token in the hidden field of forms on capability pages, which send no origin (interface 15.3).
 */
export interface FormTokens {
  /** A token for the page with this name, valid until the end of the next day (UTC). */
  issue(page: string): string;
  holds(page: string, token: string): boolean;
}

const PURPOSE = "form tokens";

/**
 * Creates the tokens of forms. They are valid in every process with the same SECRET_KEY, and stay valid when it is
 * rotated.
 */
export function createFormTokens(secrets: Pick<Secrets, "derive" | "deriveAll">): FormTokens {
  const keys = secrets.deriveAll(PURPOSE);
  const make = (key: Buffer, page: string, day: number) => createHmac("sha256", key).update(`${day}\n${page}`).digest();
  return {
    issue: (page) => make(secrets.derive(PURPOSE), page, windowStart(DAY_SECONDS)).toString("base64url"),
    holds(page, token) {
      const given = Buffer.from(token, "base64url");
      const today = windowStart(DAY_SECONDS);
      const good = keys.flatMap((key) => [make(key, page, today), make(key, page, today - DAY_SECONDS)]);
      return good.some((expected) => given.length === expected.length && timingSafeEqual(given, expected));
    },
  };
}

/**
 * Reads a submitted form; a body that is not a form has no fields. `originProblem` is null for a form from the
 * service's own origin, and for one without an origin or with `Origin: null` (pages without a referrer send it) that
 * holds a valid token of the page, unless the browser says that it comes from another site.
 */
export function readForm(
  request: FastifyRequest,
  tokens: FormTokens,
  page: string,
  { body, baseUrl }: { readonly body: unknown; readonly baseUrl: string },
): Form {
  const sent = body !== null && typeof body === "object" && !Buffer.isBuffer(body) ? (body as Fields) : {};
  const field = (name: string): string => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const last = Array.isArray(value) ? value.at(-1) : value;
    return typeof last === "string" && isStorable(last) ? last.trim() : "";
  };
  return {
    field,
    file: null,
    originProblem: originProblemOf(request, baseUrl, () => tokens.holds(page, field(FORM_TOKEN_FIELD))),
  };
}

type Fields = Readonly<Record<string, string | string[]>>;

function originProblemOf(request: FastifyRequest, baseUrl: string, verifyToken: () => boolean): string | null {
  const { origin } = request.headers;
  const mayBeOurs = !isFromOtherSite(request) && (origin === undefined || origin === "null");
  if (isFromOwnPage(request, baseUrl) || (mayBeOurs && verifyToken())) return null;
  return mayBeOurs && origin === "null"
    ? "This page was open for too long. Please look it over and send it again."
    : "This came from another website, so nothing was done. Please use the form on this page.";
}
