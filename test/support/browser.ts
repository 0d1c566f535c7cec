import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A browser program, and the environment it needs to find its libraries. */
interface BrowserProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const require = createRequire(import.meta.url);

/**
 * The machine's own Chromium, else the one packed in `@sparticuz/chromium`, which brings its libraries and fonts and
 * is unpacked once per version. `TEST_BROWSER=packed` forces the second.
 */
export async function findBrowser(): Promise<BrowserProgram> {
  const path = INSTALLED.find((candidate) => existsSync(candidate));
  return path !== undefined && process.env["TEST_BROWSER"] !== "packed" ? { path, env: {} } : unpackBrowser();
}

async function unpackBrowser(): Promise<BrowserProgram> {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  const home = join(tmpdir(), `tefo-test-chromium-${version}-${process.getuid?.() ?? "any"}`);
  if (!existsSync(home)) {
    const partial = await mkdtemp(`${home}-`);
    await unpackInto(partial);
    await writeFile(join(partial, "fonts", "fonts.conf"), fontSettings(home));
    // Two test files may unpack at once: whoever renames first wins, and the loser's copy is dropped.
    await rename(partial, home).catch(() => rm(partial, { recursive: true, force: true }));
  }
  return {
    path: join(home, "chromium"),
    env: { LD_LIBRARY_PATH: join(home, "al2023", "lib"), FONTCONFIG_PATH: join(home, "fonts"), HOME: home },
  };
}

/** The package's own settings name a folder of their host; without any font Chromium crashes. */
const fontSettings = (home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts-cache</cachedir></fontconfig>
`;

const packageFile = (name: string): string => join(require.resolve("@sparticuz/chromium"), "..", "..", "..", name);

/** In a process of its own: the package takes its target from TMPDIR and unpacks its libraries only where it is told that it runs on Amazon's Linux. */
function unpackInto(folder: string): Promise<void> {
  const script = 'const { default: chromium } = await import("@sparticuz/chromium"); await chromium.executablePath();';
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder, CODEBUILD_BUILD_IMAGE: "nodejs24" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`Chromium did not unpack: exit ${code}`))));
  });
}

async function startBrowser(): Promise<Browser> {
  const { path, env } = await findBrowser();
  return chromium.launch({ executablePath: path, args: ARGUMENTS, env: { ...process.env, ...env } });
}

let shared: Promise<Browser> | null = null;
let users = 0;

/**
 * A page without cookies of another test, in this process's one browser; both close with the test. Another page of the
 * same visitor: `page.context().newPage()`. `{ javaScriptEnabled: false }` for pages without script,
 * `{ viewport: { width: 320, height: 640 } }` for a phone.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  users += 1;
  shared ??= startBrowser();
  const browser = await shared;
  const context = await browser.newContext({ locale: "en-ZA", timezoneId: "Africa/Johannesburg", ...options });
  t.after(async () => {
    await context.close();
    users -= 1;
    if (users > 0) return;
    shared = null;
    await browser.close();
  });
  return context.newPage();
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
  }[];
}

/**
 * What axe finds wrong with the page as it stands, one line per element; empty when nothing. Works on pages whose
 * policy forbids inline script, but not in a context with JavaScript switched off.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const result: AxeResult = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${help}. ${failureSummary ?? ""}`.trim()),
  );
}
