import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";
import { BUILT_FROM, DASHBOARD_DIST, dashboardSources } from "../src/app/dashboard-build.ts";

/* npm run build: the web app, in dashboard/dist, with each file compressed beside it. The folder is replaced as a whole. */

const HOME = import.meta.dirname;
const sources = dashboardSources();
const folder = mkdtempSync(join(HOME, "dist-"));
try {
  await build({ root: HOME, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
  await compress(join(folder, "assets"));
  writeFileSync(join(folder, BUILT_FROM), sources);
  // A temporary folder is its maker's alone; another user may serve what is built.
  chmodSync(folder, 0o755);
  rmSync(DASHBOARD_DIST, { recursive: true, force: true });
  renameSync(folder, DASHBOARD_DIST);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compress(assets: string): Promise<void> {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  await Promise.all(
    readdirSync(assets).map(async (name) => {
      const content = readFileSync(join(assets, name));
      writeFileSync(join(assets, `${name}.br`), await promisify(brotliCompress)(content, quality));
      writeFileSync(join(assets, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    }),
  );
}
