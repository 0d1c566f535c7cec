import { type CSSVariablesResolver, createTheme, darken, InputWrapper, Modal } from "@mantine/core";

/** Colours, type and shapes of the dashboard. */
export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: "md",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  headings: { fontWeight: "650" },
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

/** Colours in which the dashboard shows notices and buttons. */
const TONES = ["cyan", "red", "orange", "teal"] as const;

/**
 * Mantine's colours, darkened or lightened until they are readable (WCAG 1.4.3): secondary text, text on a tint, and
 * the main button under the pointer.
 */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-cyan-filled-hover": darken(colors.cyan[9], 0.15),
    ...Object.fromEntries(TONES.map((tone) => [`--mantine-color-${tone}-light-color`, darken(colors[tone][9], 0.3)])),
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-7)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-body": "#ffffff",
  },
  dark: {
    "--mantine-color-cyan-filled-hover": darken(colors.cyan[9], 0.15),
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-anchor": "var(--mantine-color-cyan-4)",
    // Lighter than its surroundings, as in the light scheme.
    "--mantine-color-gray-light": "var(--mantine-color-dark-5)",
  },
});
