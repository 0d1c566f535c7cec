/** The first words of operations that act on a record: `POST /invoices/{id}/send` is `sendInvoice`. */
const ACTIONS: ReadonlySet<string> = new Set([
  ...["accept", "approve", "cancel", "change", "close", "convert", "deactivate", "decline", "draft", "duplicate"],
  ...["end", "erase", "give", "ignore", "mark", "match", "notify", "pause", "preview", "reactivate", "reject"],
  ...["reopen", "replay", "resend", "resume", "retry", "rewind", "rotate", "send", "submit", "sync", "test"],
  ...["unmatch", "update", "withdraw"],
]);

/** The first words of operations without an action, by method. */
const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PATCH: "update",
  PUT: "replace",
  DELETE: "delete",
};

/**
 * The operation's id, from which generated clients name their methods, verb first: `listPaymentLinks`,
 * `getCustomerStanding`, `deactivatePaymentLink`. `list` is true when the response is a list. An endpoint for which this
 * does not read well declares its own (`operationId`).
 */
export function operationId(method: string, path: string, list: boolean): string {
  const segments = path.split("/").filter(Boolean);
  const last = segments.at(-1) ?? "";
  const [verb = "", ...rest] = last.split("-");
  if (segments[0] === "exports")
    return `export${pascal(last.replace(/\.csv$/, ""))}${segments.length > 2 ? "ForSoftware" : ""}`;
  if (segments[0] === "totals") return `sum${pascal(last)}`;
  if (method === "POST" && ACTIONS.has(verb) && segments.length > 1)
    return `${verb}${subjectOf(segments.slice(0, -1), "one")}${pascal(rest.join("-"))}`;
  if (method === "GET") return `${list ? "list" : "get"}${subjectOf(segments, list ? "many" : "as written")}`;
  return `${VERBS[method] ?? method.toLowerCase()}${subjectOf(segments, method === "POST" ? "one" : "as written")}`;
}

/** The nouns of a path, each in the singular when one record is meant: `/quotes/{id}`. */
function subjectOf(segments: readonly string[], last: "one" | "many" | "as written"): string {
  const nouns = segments.flatMap((segment, index) => {
    if (segment.startsWith("{")) return [];
    const leads = index < segments.length - 1;
    const one = segments[index + 1]?.startsWith("{") || (leads ? last !== "as written" : last === "one");
    return [pascal(one ? singular(segment) : segment)];
  });
  return nouns.join("");
}

const pascal = (name: string): string =>
  name
    .split(/[-.]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/(ch|sh|ss|x)es$/, "$1")
    .replace(/([^s])s$/, "$1");
