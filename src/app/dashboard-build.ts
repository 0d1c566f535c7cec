import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const HOME = join(ROOT, "dashboard");

/** Folder of the built web app. */
export const DASHBOARD_DIST = join(HOME, "dist");

/** File in the built folder that names the sources which it was built from. */
export const BUILT_FROM = "built-from.txt";

/** SHA-256 of everything that the build reads: its sources, its settings, and the versions of what is installed. */
export function dashboardSources(): string {
  const hash = createHash("sha256");
  const names = readdirSync(HOME, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|tsx|css|html|svg|json)$/.test(name) && !/^dist|\.test\.ts$/.test(name))
    .sort();
  for (const path of [...names.map((name) => join(HOME, name)), join(ROOT, "package-lock.json")])
    hash.update(path.slice(ROOT.length)).update("\0").update(readFileSync(path)).update("\0");
  return hash.digest("hex");
}

/** Whether the web app is built from its present sources. */
function isCurrent(): boolean {
  const stamp = join(DASHBOARD_DIST, BUILT_FROM);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === dashboardSources();
}

/**
 * Builds the web app when it is not built or older than its sources. Without the tools of the build, as in the image, what is built is
 * served. A build that fails is logged, and ends nothing: the APIs work without the web app.
 */
export async function ensureDashboard(log: { error(facts: object, message: string): void }): Promise<void> {
  if (isCurrent() || !existsSync(join(ROOT, "node_modules", "vite"))) return;
  const { code, output } = await build();
  if (code !== 0) log.error({ output }, "the dashboard could not be built");
}

function build(): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(HOME, "build.ts")], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
