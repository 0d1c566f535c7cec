import type { FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";

/** An operation that a server knows. */
export interface KnownPath {
  readonly method: string;
  /** With its parameters as `{id}`. */
  readonly path: string;
}

const pathOf = (request: FastifyRequest): string => request.url.split("?", 1)[0] ?? "";
/** A word in the singular, without its marks: `credit-notes` and `creditNote` are one. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "")
    .replace(/s$/, "");
const wordsOf = (path: string): string[] => path.split("/").filter((part) => part !== "" && !part.startsWith("{"));

/** The error 404 for a path that the server does not know, with the path that was likely meant (interface 7.2). */
export function noSuchPath(request: FastifyRequest, known: readonly KnownPath[]): ApiError {
  const path = pathOf(request);
  const meant = meantBy(request.method, path, known);
  const advice = meant === null ? "" : ` Did you mean ${meant}?`;
  return new ApiError("not_found", 404, `No such path: ${request.method} ${path.slice(0, 200)}.${advice}`);
}

/** Throws 404 for a path of an API with a slash at its end. */
export function refuseSlashAtEnd(request: FastifyRequest): void {
  const path = pathOf(request);
  if (!path.endsWith("/") || !/^\/(?:dashboard\/)?api\//.test(path)) return;
  const meant = path.replace(/\/+$/, "");
  throw new ApiError(
    "not_found",
    404,
    `No such path: ${request.method} ${path.slice(0, 200)}. Leave out the slash at its end: ${meant.slice(0, 200)}.`,
  );
}

/** The operation whose last word is the last word of the path, or one that has it, with the fewest other words. */
function meantBy(method: string, path: string, known: readonly KnownPath[]): string | null {
  if (!path.startsWith("/api/")) return null;
  const asked = wordsOf(path).map(stem);
  const ranked = known
    .filter((one) => one.method === method)
    .map((one) => ({ one, words: wordsOf(one.path).map(stem) }))
    .filter(({ words }) => words.length > 0 && asked.includes(words.at(-1) ?? ""))
    .map(({ one, words }) => ({
      one,
      shared: words.filter((word) => asked.includes(word)).length,
      length: words.length,
    }))
    .sort((a, b) => b.shared - a.shared || a.length - b.length);
  return ranked[0] ? `${method} ${ranked[0].one.path}` : null;
}
