import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { isStorable } from "../../kernel/text.ts";
import { DAY_SECONDS } from "../../kernel/time.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { FORM_TOKEN_FIELD } from "../../templates/pages/parts.ts";
import type { UploadedFile } from "../endpoint.ts";
import { isFromOwnPage } from "../origin.ts";
import { windowStart } from "../rate-limit.ts";

/** What a browser posted. */
export interface Form {
  /** Trimmed; of a field sent twice the last one, of text that cannot be stored nothing, of an absent field an empty text. */
  field(name: string): string;
  /** Of a form that sends one; null when none came. */
  readonly file: UploadedFile | null;
  /** Why the form cannot be taken, as a sentence for the payer; null when it comes from our own page. */
  readonly distrust: string | null;
}

/** Makes and checks the hidden field of forms whose pages keep their address to themselves (interface 15.3). */
export interface FormTokens {
  /** For the page of that name, until the end of tomorrow (UTC). */
  issue(page: string): string;
  holds(page: string, token: string): boolean;
}

const PURPOSE = "form tokens";

/** Tokens hold in every process that shares SECRET_KEY, and survive its rotation. */
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
 * Reads what was posted; what is no form has no fields. Taken are forms from our own origin, and from `Origin: null`, as pages without a
 * referrer send it, with a token of the page.
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
    distrust: distrustOf(request, baseUrl, () => tokens.holds(page, field(FORM_TOKEN_FIELD))),
  };
}

type Fields = Readonly<Record<string, string | string[]>>;

function distrustOf(request: FastifyRequest, baseUrl: string, verifyToken: () => boolean): string | null {
  const { origin } = request.headers;
  if (isFromOwnPage(request, baseUrl) || ((origin === undefined || origin === "null") && verifyToken())) return null;
  return origin === "null"
    ? "This page was open for too long. Please look it over and send it again."
    : "This came from another website, so nothing was done. Please use the form on this page.";
}
