/** More digits than a double holds exactly. Only such texts need the slower reviver. */
const LONG_NUMBER = /[\d.]{16}/;

/**
 * Parses a client's JSON. A fraction with more than 15 significant digits is cut to 15, towards zero, so
 * that its rounding to cents follows what was written and not the nearest double. Whole numbers stay.
 * Throws SyntaxError on anything but JSON.
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? truncated(context.source, value) : value,
  );
}

function truncated(source: string, value: number): number {
  const match = /^(-?)(\d+)(?:\.(\d+))?([eE][+-]?\d+)?$/.exec(source);
  if (!match) return value;
  const [, sign = "", whole = "", fraction = "", exponent = ""] = match;
  if (fraction + exponent === "") return value;
  const digits = whole + fraction;
  const leading = digits.length - digits.replace(/^0+/, "").length;
  if (digits.length - leading <= 15) return value;
  const kept = digits.slice(0, leading + 15).padEnd(digits.length, "0");
  return Number(`${sign}${kept.slice(0, whole.length)}.${kept.slice(whole.length)}0${exponent}`);
}

/** The deepest nesting that is accepted: no valid request nests deeper, and recursive code does not overflow the stack. */
export const JSON_DEPTH_MAX = 32;

/** Depth of arrays and objects in JSON text, without parsing it. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i++;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return deepest;
}
