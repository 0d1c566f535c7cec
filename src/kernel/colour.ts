import { type Colord, colord, extend } from "colord";
import a11y from "colord/plugins/a11y";
import mix from "colord/plugins/mix";

extend([a11y, mix]);

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

const WHITE = colord("#ffffff");
const BLACK = colord("#000000");

/** `#rrggbb` or `#rgb` in lower case and six digits; null for anything else. */
export const parseColour = (text: string): string | null =>
  /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) ? colord(text).toHex() : null;

/** WCAG 2.2 contrast ratio of two `#rrggbb` colours, 1 to 21, rounded down to two decimals. */
export const contrast = (a: string, b: string): number => colord(a).contrast(b);

/** The palette of a merchant's colour. Null, or a text that is not a colour, gets the palette of `DEFAULT_ACCENT`. */
export function accentPalette(colour: string | null): AccentPalette {
  const accent = parseColour(colour ?? "") ?? DEFAULT_ACCENT;
  const base = colord(accent);
  const light = WHITE.isReadable(base);
  return {
    accent,
    onAccent: (light ? WHITE : BLACK).toHex(),
    hover: base.mix(light ? BLACK : WHITE, 0.16).toHex(),
    ink: readableInk(base).toHex(),
    tint: base.mix(WHITE, 0.93).toHex(),
  };
}

/** `isReadable` is WCAG 2.2, 1.4.3, for text of ordinary size. */
function readableInk(base: Colord): Colord {
  for (let share = 0; share < 1; share += 0.02) {
    // Rounded as it will be written: the contrast is measured on the colour that is shown.
    const ink = colord(base.mix(BLACK, share).toHex());
    if (ink.isReadable(WHITE) && ink.isReadable(PAPER)) return ink;
  }
  return BLACK;
}
