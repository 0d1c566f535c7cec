/** sRGB channels, 0 to 255. */
type Rgb = readonly [number, number, number];

/** What pages and mails need to use one accent colour legibly, all as `#rrggbb`. */
export interface AccentPalette {
  /** The merchant's colour, unchanged: button and mark backgrounds. */
  readonly accent: string;
  /** Text on `accent`: white when its contrast is at least 4.5:1, else black, whose contrast is then high enough. */
  readonly onAccent: string;
  /** A button while the pointer is over it; `onAccent` has enough contrast on it. */
  readonly hover: string;
  /** `accent`, darkened to a contrast of at least 4.5:1 on white and on `PAPER`: links, borders, focus rings. */
  readonly ink: string;
  /** Very light `accent` on white: the background of a selected item. */
  readonly tint: string;
}

/** Tefo's own colour, for merchants who chose none. */
export const DEFAULT_ACCENT = "#0b5d4b";
/** The background of pages and mails. */
export const PAPER = "#f5f4f0";

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** WCAG 2.2, 1.4.3: text of ordinary size. */
const READABLE = 4.5;

/** `#rrggbb` or `#rgb` in lower case and six digits; null for anything else. */
export function parseColour(text: string): string | null {
  const lower = text.toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(lower)) return lower;
  return /^#[0-9a-f]{3}$/.test(lower) ? `#${Array.from(lower.slice(1), (digit) => digit + digit).join("")}` : null;
}

/** WCAG 2.2 contrast ratio of two `#rrggbb` colours, 1 to 21. */
export function contrast(a: string, b: string): number {
  return ratio(toRgb(a), toRgb(b));
}

/** The palette of a merchant's colour. Null, or a text that is not a colour, gets the palette of `DEFAULT_ACCENT`. */
export function accentPalette(colour: string | null): AccentPalette {
  const accent = parseColour(colour ?? "") ?? DEFAULT_ACCENT;
  const base = toRgb(accent);
  const light = ratio(base, WHITE) >= READABLE;
  return {
    accent,
    onAccent: light ? "#ffffff" : "#000000",
    hover: toHex(mix(base, light ? BLACK : WHITE, 0.16)),
    ink: toHex(readableInk(base)),
    tint: toHex(mix(base, WHITE, 0.93)),
  };
}

function readableInk(base: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    // Rounded as it will be written: the contrast is measured on the colour that is shown.
    const ink = toRgb(toHex(mix(base, BLACK, share)));
    if (ratio(ink, WHITE) >= READABLE && ratio(ink, toRgb(PAPER)) >= READABLE) return ink;
  }
  return BLACK;
}

const toRgb = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];

const toHex = (colour: Rgb): string =>
  `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

const mix = ([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb => [
  r + (toR - r) * share,
  g + (toG - g) * share,
  b + (toB - b) * share,
];

function ratio(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance([r, g, b]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}
