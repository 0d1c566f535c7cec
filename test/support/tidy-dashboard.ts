import type { Source } from "./source.ts";
import { type Finding, importsOf } from "./tidy-imports.ts";

/** Folders of dashboard/src. A folder may import from those after it and from itself. */
const LAYERS = ["app", "resources", "components", "api", "lib"];

const partsOf = (path: string): string[] => path.split("/").slice(2);

/** Why `from` may not import `to`, or null. Both are paths from the root. */
function fault(from: string, to: string): string | null {
  if (!to.startsWith("dashboard/src/"))
    return "the dashboard runs in a browser: it imports packages and what lies in dashboard/src";
  const [fromLayer = "", fromName] = partsOf(from);
  const [toLayer = "", toName, toFile] = partsOf(to);
  if (!LAYERS.includes(toLayer)) return `dashboard/src/${toLayer} is no layer; move what you need into one`;
  if (LAYERS.indexOf(toLayer) < LAYERS.indexOf(fromLayer))
    return `${fromLayer} must not import ${toLayer}: imports go ${LAYERS.join(" → ")} only`;
  if (toLayer !== "resources") return null;
  if (fromLayer === "app")
    return toFile === "routes.ts"
      ? null
      : "the app imports routes.ts of a resource only, so that its pages load by themselves";
  return fromName === toName ? null : "resources do not import one another: move what both need into components or lib";
}

/** Imports of the dashboard against the direction of its layers, between resources, or of the server's code. */
export const dashboardFindings = (sources: readonly Source[]): Finding[] =>
  sources.flatMap((source) =>
    importsOf(source).flatMap(({ target, line }) => {
      const mend = target === null || /\.(css|svg)$/.test(target) ? null : fault(source.path, target);
      return mend === null ? [] : [{ file: source.path, line, mend }];
    }),
  );
