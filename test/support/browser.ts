import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from "playwright-core";
import { ROOT } from "./source.ts";

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
async function findBrowser(): Promise<BrowserProgram> {
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
    // Two test files may unpack at once: the first rename wins, and the other copy is removed.
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

/**
 * Unpacks in another process: the package reads the target from TMPDIR, and unpacks its libraries only when a variable
 * names Amazon's Linux.
 */
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

/** Set by the runner for every test file: URL of the run's browser. */
export const BROWSER_VARIABLE = "TEST_BROWSER_URL";

/** Whether a test file opens pages, that is, imports this file. */
export const usesBrowser = (file: string): boolean =>
  readFileSync(join(ROOT, file), "utf8").includes("support/browser.ts");

async function launchOptions(): Promise<LaunchOptions> {
  const { path, env } = await findBrowser();
  return { executablePath: path, args: ARGUMENTS, env: { ...process.env, ...env } };
}

/** Starts the browser that all files of a run share; each test has a context of its own in it. */
export async function startBrowserServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer(await launchOptions());
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

/** Connects to the run's browser, or starts one. Closing the run's browser only disconnects. */
async function openBrowser(): Promise<Browser> {
  const url = process.env[BROWSER_VARIABLE];
  return url === undefined ? chromium.launch(await launchOptions()) : chromium.connect(url);
}

/** How long a page may take to load, or to show what a test waits for. */
const PAGE_TIMEOUT_MS = 120_000;

let shared: Promise<Browser> | null = null;
let users = 0;

/**
 * A page without cookies of another test, in the run's one browser; it closes with the test. Another page of the
 * same visitor: `page.context().newPage()`. `{ javaScriptEnabled: false }` for pages without script,
 * `{ viewport: { width: 320, height: 640 } }` for a phone.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  users += 1;
  shared ??= openBrowser();
  const browser = await shared;
  const context = await browser.newContext({
    locale: "en-ZA",
    timezoneId: "Africa/Johannesburg",
    // What fades in would be looked at half-way.
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
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

/** Pages that load axe with every document. It is large, so it is sent to the browser once for each page. */
const prepared = new WeakSet<Page>();

/**
 * The problems that axe finds in the page, by all its rules or the named ones, one line for each element; empty when
 * there are none. Works on pages whose policy forbids inline script, but not in a context with JavaScript switched off.
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!prepared.has(page)) {
    const content = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    await page.addInitScript({ content });
    await page.evaluate(content);
    prepared.add(page);
  }
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  const result: AxeResult = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${help}. ${failureSummary ?? ""}`.trim()),
  );
}
