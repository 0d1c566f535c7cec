import { type CSSVariablesResolver, createTheme, darken, InputWrapper, Modal, rem } from "@mantine/core";

/** Colours, type and shapes of the dashboard; its other colours are the properties in `styles.css`. */
export const theme = createTheme({
  primaryColor: "tefo",
  primaryShade: { light: 7, dark: 6 },
  colors: {
    tefo: [
      "#e3f2f3",
      "#c8e4e6",
      "#9ccdd1",
      "#6fb6bb",
      "#45a0a7",
      "#2a8c95",
      "#107c87",
      "#0b6b75",
      "#08565e",
      "#064249",
    ],
    dark: [
      "#e7ecef",
      "#a8b4be",
      "#8996a1",
      "#6b7a87",
      "#36424b",
      "#283239",
      "#1a2227",
      "#12181c",
      "#0f1518",
      "#0c1114",
    ],
  },
  defaultRadius: 6,
  fontFamily: '"Noto Sans", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(15), xl: rem(20) },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  headings: {
    fontWeight: "600",
    sizes: {
      h2: { fontSize: rem(20), lineHeight: "1.4", fontWeight: "650" },
      h4: { fontSize: rem(15), lineHeight: "1.45" },
    },
  },
  components: {
    InputWrapper: InputWrapper.extend({
      // Fields beside one another are aligned, with and without a description.
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    }),
    Modal: Modal.extend({
      defaultProps: {
        styles: { title: { fontWeight: 650 } },
        // The header of a dialog must not be announced as the page's banner.
        attributes: { header: { role: "presentation" } },
      },
    }),
  },
});

/** Colours of Mantine in which the dashboard shows notices and buttons. */
const TONES = ["red", "orange", "teal"] as const;

/** What Mantine's own properties are in both schemes. */
const BOTH = {
  "--mantine-color-body": "var(--surface)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--quiet)",
  "--mantine-color-placeholder": "var(--faint)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-border": "var(--edge)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-tefo-filled": "var(--fill)",
  "--mantine-color-tefo-filled-hover": "var(--fill-hover)",
  "--mantine-color-tefo-light": "var(--tint)",
  "--mantine-color-tefo-light-hover": "var(--tint)",
  "--mantine-color-tefo-light-color": "var(--on-tint)",
  "--mantine-color-tefo-outline": "var(--accent)",
  "--mantine-color-tefo-text": "var(--accent)",
};

/** Mantine's colours as the dashboard's, and those of notices until they are readable (WCAG 1.4.3). */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...BOTH,
    ...Object.fromEntries(TONES.map((tone) => [`--mantine-color-${tone}-light-color`, darken(colors[tone][9], 0.3)])),
  },
  dark: {
    ...BOTH,
    // Lighter than its surroundings, as in the light scheme.
    "--mantine-color-gray-light": "var(--off-tint)",
  },
});
