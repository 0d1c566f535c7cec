/**
 * The operation's id, from which generated clients name their methods: `listPaymentLinks`, `getCustomerStanding`,
 * `paymentLinkDeactivate`. `list` is true when the response is a list.
 */
export function operationId(method: string, path: string, list: boolean): string {
  const segments = path.split("/").filter(Boolean);
  const isParameter = (segment: string | undefined) => segment?.startsWith("{") ?? false;
  const words = segments.flatMap((segment, index) => {
    if (isParameter(segment)) return [];
    const one = isParameter(segments[index + 1]) || (method === "POST" && index === segments.length - 1);
    return [pascal(one ? singular(segment) : segment)];
  });
  const subject = words.join("");
  // A POST below a record, or to a verb after a noun, is an action: its last word gives the name.
  if (method === "POST" && words.length > 1) return subject.charAt(0).toLowerCase() + subject.slice(1);
  return `${verbOf(method, list)}${subject}`;
}

function verbOf(method: string, list: boolean): string {
  if (method === "GET") return list ? "list" : "get";
  return { POST: "create", PATCH: "update", PUT: "replace", DELETE: "delete" }[method] ?? method.toLowerCase();
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
