import type { Style } from "../../platform/pdf/text.ts";

/** The colours of the pages and mails. */
export const COLOURS = {
  text: "#1c1b18",
  muted: "#595852",
  line: "#e0ded6",
  good: "#11683d",
  goodTint: "#e7f3ec",
  bad: "#a61b1b",
  badTint: "#fcefee",
  wait: "#7a5200",
  waitTint: "#fbf2dc",
  test: "#ffe08a",
  onTest: "#3d2c00",
} as const;

const style = (size: number, weight: Style["weight"], colour: string, leading: number): Style => ({
  size,
  weight,
  colour,
  leading,
});

/** Text styles of all documents, by use. */
export const STYLES = {
  title: style(21, "bold", COLOURS.text, 26),
  number: style(10.5, "regular", COLOURS.muted, 15),
  label: style(8, "regular", COLOURS.muted, 12),
  body: style(9, "regular", COLOURS.text, 12.75),
  strong: style(9, "bold", COLOURS.text, 12.75),
  muted: style(8.25, "regular", COLOURS.muted, 11.5),
  head: style(8, "bold", COLOURS.muted, 11),
  amount: style(20, "bold", COLOURS.text, 25),
  total: style(11, "bold", COLOURS.text, 17),
  banner: style(8.5, "bold", COLOURS.onTest, 18),
  foot: style(7.5, "regular", COLOURS.muted, 10.5),
} as const;

/** The style in another colour. */
export const inColour = (look: Style, colour: string): Style => ({ ...look, colour });
