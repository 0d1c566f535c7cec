/*
 * What the request log keeps of bodies (interface 14.4): names of fields, and of their values those that can be of no
 * person (decisions.md#bodies-are-masked-before-they-are-kept). A body is read as far as it is kept, whether or not it is JSON.
 */

/** The largest number of bytes that is kept of a body, with the mark of what is left out. */
export const BODY_BYTES_MAX = 4096;

const MASK = '"…"';
const MASK_BYTES = Buffer.byteLength(MASK);
/** Stands for what is left out. */
export const CUT = "…";

/** Fields whose value is one of some words that the interface knows. */
export const CHOICES: ReadonlySet<string> = new Set([
  ...[
    "accountType",
    "action",
    "aggregation",
    "authority",
    "callToAction",
    "cancelLegacy",
    "collectionMethod",
    "duration",
  ],
  ...["events", "frequency", "kind", "method", "notAtGateway", "onActive", "outcome", "proration", "status"],
  ...["tierMode", "type", "types", "when"],
]);

/** Fields whose numbers, days, times, currencies and ids of the service's own records are shown. */
export const FIGURES: ReadonlySet<string> = new Set([
  ...["amount", "billedAmount", "billingAnchorDay", "cycles", "debitDay", "delayDays", "dueDays", "expiresInMinutes"],
  ...["flatAmount", "includedUnits", "maxRedemptions", "maxRedemptionsPerCustomer", "minimumAmount", "nth", "percent"],
  ...["quantity", "rate", "setupFee", "taxRate", "times", "trialDays", "unitAmount", "unitPrice", "upTo"],
  ...[
    "actionDate",
    "at",
    "currentPeriodEnd",
    "currentPeriodStart",
    "date",
    "dueDate",
    "endDate",
    "endsAt",
    "expiresAt",
  ],
  ...["expiryDate", "from", "issueDate", "nextBillingAt", "nextDate", "now", "paidAt", "paidThrough", "periodEnd"],
  ...["periodStart", "since", "startDate", "startsAt", "to", "trialEnd", "currency"],
  ...["cardId", "couponId", "creditRefundId", "customerId", "endpointId", "gatewayId", "id", "invoiceId", "mandateId"],
  ...["packageId", "paymentId", "plan", "planId", "planIds", "productId", "productIds", "subscriptionId"],
]);

/** Fields with names of the merchant's own below them. */
const FREE: ReadonlySet<string> = new Set(["metadata", "properties"]);

/** The form of the API's names. Other text may be a value at a wrong place. */
const NAME = /^[A-Za-z]\w{0,39}$/;
/** Longer ones may be the number of an account or a person. */
const NUMBER = /^-?\d{1,9}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/;
const WORD = /^[a-z][a-z0-9_.]{0,39}$/;
const FIGURE =
  /^(?:[A-Z]{3}|[a-z]{2,5}_[0-9a-z]{26}|\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)$/;
/** A masked body. */
export interface Masked {
  readonly text: string;
  /** The values that are not shown, where they were asked for. */
  readonly hidden: readonly string[];
}

interface Place {
  /** The field whose value comes. */
  name: string | null;
  /** Whether it is below a field with names of the merchant's own. */
  readonly free: boolean;
}

/** What ends a word or a number that stands without quotes. */
const DELIMITERS = ' \t\n\r"{}[],:';
const [QUOTE, BACKSLASH, SPACE] = [34, 92, 32];

/** The place after the text that begins at one; the end where it has no closing quote. */
function endOfText(body: string, start: number): number {
  for (let at = start + 1; at < body.length; at++) {
    const code = body.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return body.length;
}

/** The place after the word or number that begins at one. */
function endOfWord(body: string, start: number): number {
  let at = start + 1;
  while (at < body.length && !DELIMITERS.includes(body[at] ?? "")) at++;
  return at;
}

/** Whether what ends here is the name of a field. */
function isName(body: string, end: number): boolean {
  let at = end;
  while (at < body.length && body.charCodeAt(at) <= SPACE) at++;
  return body[at] === ":";
}

/** The text of a JSON string; as it was written where that cannot be read. */
function textOf(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.replaceAll('"', "");
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1);
  }
}

/** What is shown of a value at a place: of a text, without its quotes; null: it is hidden. */
function shownValue({ name, free }: Place, value: string, isNumber: boolean): string | null {
  if (free || name === null) return null;
  if (isNumber) return FIGURES.has(name) && NUMBER.test(value) ? value : null;
  const isShown = (CHOICES.has(name) && WORD.test(value)) || (FIGURES.has(name) && FIGURE.test(value));
  return isShown ? `"${value}"` : null;
}

/** Follows the objects and lists of a body: where its values stand. */
class Places {
  readonly #open: Place[] = [{ name: null, free: false }];

  get here(): Place {
    return this.#open.at(-1) as Place;
  }

  pass(sign: string): void {
    const { name, free } = this.here;
    if (sign === "{" || sign === "[")
      this.#open.push({ name: sign === "[" ? name : null, free: free || (name !== null && FREE.has(name)) });
    else if ((sign === "}" || sign === "]") && this.#open.length > 1) this.#open.pop();
  }
}

/** What is shown of a field's name, whose value comes; null: it is hidden. */
function shownName(place: Place, name: string): string | null {
  const isShown = !place.free && NAME.test(name);
  place.name = isShown ? name : null;
  return isShown ? `"${name}"` : null;
}

/** What is shown of the text, word or number between two places of a body; null: it is hidden. */
function shownBetween(body: string, at: number, end: number, place: Place, value: string): string | null {
  if (body.charCodeAt(at) === QUOTE)
    return isName(body, end) ? shownName(place, value) : shownValue(place, value, false);
  if (value === "true" || value === "false" || value === "null") return value;
  return shownValue(place, value, true);
}

/**
 * A body with its values masked, without white space, as far as `BODY_BYTES_MAX` bytes hold it: true, false and null
 * are shown, and what `CHOICES` and `FIGURES` say. Text that is no JSON is masked in the same way. `wholly`: the
 * hidden values are named, those of what is left out too.
 */
export function masked(body: string, wholly: boolean): Masked {
  const places = new Places();
  const hidden: string[] = [];
  const room = BODY_BYTES_MAX - Buffer.byteLength(CUT);
  let text = "";
  let bytes = 0;
  for (let at = 0; at < body.length && (wholly || bytes <= room); ) {
    const sign = body[at] ?? "";
    if (body.charCodeAt(at) <= SPACE) {
      at++;
      continue;
    }
    let shown: string | null = sign;
    let end = at + 1;
    if (sign === '"' || !DELIMITERS.includes(sign)) {
      end = sign === '"' ? endOfText(body, at) : endOfWord(body, at);
      const value = sign === '"' ? textOf(body.slice(at, end)) : body.slice(at, end);
      shown = shownBetween(body, at, end, places.here, value);
      if (shown === null && wholly) hidden.push(value);
    } else places.pass(sign);
    // What is shown is of single bytes.
    bytes += shown === null ? MASK_BYTES : shown.length;
    if (bytes <= room) text += shown ?? MASK;
    at = end;
  }
  return { text: bytes > room ? text + CUT : text, hidden };
}

/** Shorter values are left out where they are words of their own alone, since they are parts of many words. */
const LONG = 3;
const EMAIL = /[^\s"'<>]+@[^\s"'<>]*[^\s"'<>.,;:!?]/g;

function withoutValue(text: string, value: string): string {
  if (value.length >= LONG) return text.replaceAll(new RegExp(RegExp.escape(value), "gi"), "…");
  if (!/\p{L}/u.test(value)) return text;
  return text.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(value)}(?![\\p{L}\\p{N}])`, "giu"), "…");
}

/** A sentence to the caller, without the values that their request holds, and without addresses of email. */
const withoutValues = (sentence: string, hidden: readonly string[]): string =>
  hidden
    .map((value) => value.trim())
    .filter((value) => value !== "")
    .toSorted((one, other) => other.length - one.length)
    .reduce(withoutValue, sentence)
    .replaceAll(EMAIL, "…");

/** A refusal as the API answers it (interface 7.1). */
interface Refusal {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly issues?: readonly { readonly path?: readonly unknown[]; readonly message?: unknown }[];
}

const sentence = (value: unknown, hidden: readonly string[]) =>
  typeof value === "string" ? { message: withoutValues(value, hidden) } : {};

/**
 * A refusal without what its request holds: its codes, its sentences, and the paths of its issues. `hidden` are the
 * request's values that are not shown. Null for any other answer.
 */
export function maskedRefusal(answer: string, hidden: readonly string[]): string | null {
  let refusal: Refusal;
  try {
    refusal = JSON.parse(answer) as Refusal;
  } catch {
    return null;
  }
  if (typeof refusal.error !== "string") return null;
  const { error, code, message, issues } = refusal;
  const text = JSON.stringify({
    error,
    ...(typeof code === "string" && { code }),
    ...sentence(message, hidden),
    ...(Array.isArray(issues) && {
      issues: issues.map(({ path = [], message: why }: NonNullable<Refusal["issues"]>[number]) => ({
        path: path.map((part) => (typeof part === "number" || NAME.test(String(part)) ? part : "…")),
        ...sentence(why, hidden),
      })),
    }),
  });
  const bytes = Buffer.from(text);
  if (bytes.length <= BODY_BYTES_MAX) return text;
  // A character that is cut in the middle decodes to one that stands for none.
  return bytes.toString("utf8", 0, BODY_BYTES_MAX - Buffer.byteLength(CUT)).replace(/\ufffd$/, "") + CUT;
}
