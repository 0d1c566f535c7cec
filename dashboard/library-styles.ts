import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const SHEETS = join(import.meta.dirname, "src/app/library.css");
const LIBRARY = join(dirname(createRequire(import.meta.url).resolve("@mantine/core/styles.css")), "styles");
/** The library names a component's classes in a file of its own, whose name is that of its style sheet. */
const CLASSES = /@mantine\/core\/.*?(\w+)\.module\.mjs$/;

/**
 * Refuses to build while a component of the library is used whose style sheet `src/app/library.css` lacks. All sheets together would be a tenth
 * of what the first page may weigh.
 */
export function libraryStyles(): Plugin {
  return {
    name: "library-styles",
    generateBundle(_options, bundle) {
      const named = readFileSync(SHEETS, "utf8");
      const used = Object.values(bundle).flatMap((file) =>
        file.type !== "chunk"
          ? []
          : Object.entries(file.modules).filter(([, { renderedLength }]) => renderedLength > 0),
      );
      const missing = used
        .map(([path]) => `${CLASSES.exec(path)?.[1]}.css`)
        .filter((name) => existsSync(join(LIBRARY, name)) && !named.includes(`/${name}"`));
      if (missing.length > 0)
        this.error(
          `src/app/library.css lacks ${[...new Set(missing)].join(", ")}: import it there, in the order of @mantine/core/styles.css`,
        );
    },
  };
}
