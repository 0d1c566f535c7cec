declare module "ghtml" {
  type Value = string | number | null | undefined | readonly string[];
  /**
   * HTML text in which every value is escaped, except one right after a `!`, which is taken as HTML. So a sentence
   * must not end in an exclamation mark before a value. Backslash escapes in the literal are not interpreted.
   * Booleans are left out on purpose: they would print as words.
   */
  export function html(literals: TemplateStringsArray, ...values: readonly Value[]): string;
}
