import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/*
 * npm run release -- --out FOLDER [--image NAME] [--tag]: what is shipped of the version in package.json, from the last commit: archives of
 * the service, the clients and the chart, notes, and checksums. `--image` builds the image too, `--tag` makes the tag, with the notes.
 */

/** What is asked for. */
export interface Release {
  /** The root of a clone without changes. */
  readonly root: string;
  readonly out: string;
  /** The image's name without its version; null: no image is built. */
  readonly image: string | null;
  readonly tag: boolean;
}

/** Folders that are shipped as archives of their own, and the name of each. */
const ARCHIVES = {
  "clients/python": "tefo-python",
  "clients/php": "tefo-php",
  "deploy/helm/tefo": "tefo-chart",
} as const;
/** Packages of the npm registry. */
const PACKAGES = ["clients/typescript", "clients/cli"];
/** Files that state the version beside package.json. */
const STATED: Readonly<Record<string, RegExp>> = {
  "clients/typescript/package.json": /"version": "(.*)"/,
  "clients/cli/package.json": /"version": "(.*)"/,
  "clients/php/composer.json": /"version": "(.*)"/,
  "clients/python/pyproject.toml": /^version = "(.*)"$/m,
  "deploy/helm/tefo/Chart.yaml": /^version: (.*)$/m,
};

/** Makes it; answers the names of the files in `out`. Throws an Error that says what is in the way, before it writes anything. */
export function release({ root, out, image, tag }: Release): string[] {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const name = `v${version}`;
  if (git("status", "--porcelain") !== "") throw new Error("There are changes that are not committed.");
  if (tag && git("tag", "--list", name) !== "") throw new Error(`The tag ${name} is there already.`);
  const differing = Object.entries(STATED).filter(([path, pattern]) => {
    const [, stated = ""] = pattern.exec(read(path)) ?? [];
    // Python writes 1.0.0-rc.1 as 1.0.0rc1.
    return stated !== version && stated !== version.replace(/-(\w+)\.(\d+)$/, "$1$2");
  });
  if (differing.length > 0)
    throw new Error(`${differing.map(([path]) => path).join(", ")}: the version is not ${version}.`);
  const notes = notesOf(version, read("CHANGELOG.md"));
  if (notes === null) throw new Error(`CHANGELOG.md has no section ${version}.`);

  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty.`);
  const archive = (tree: string, prefix: string, file: string) =>
    git("archive", "--format=tar.gz", `--prefix=${prefix}/`, "--output", join(out, file), tree);
  archive("HEAD", `tefo-${version}`, `tefo-${version}.tar.gz`);
  for (const [folder, called] of Object.entries(ARCHIVES))
    archive(`HEAD:${folder}`, called === "tefo-chart" ? "tefo" : `${called}-${version}`, `${called}-${version}.tgz`);
  for (const folder of PACKAGES)
    execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: join(root, folder), stdio: "pipe" });
  writeFileSync(join(out, "NOTES.md"), notes);
  const files = readdirSync(out).toSorted();
  const sums = files.map(
    (file) =>
      `${createHash("sha256")
        .update(readFileSync(join(out, file)))
        .digest("hex")}  ${file}\n`,
  );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  if (image !== null)
    execFileSync(
      "docker",
      [
        "build",
        ...["--tag", `${image}:${version}`],
        ...["--label", `org.opencontainers.image.version=${version}`],
        ...["--label", `org.opencontainers.image.revision=${git("rev-parse", "HEAD")}`],
        ".",
      ],
      { cwd: root, stdio: "inherit" },
    );
  // As they are: git would take headings for comments.
  if (tag) git("tag", "--annotate", "--cleanup=verbatim", "--file", join(out, "NOTES.md"), name);
  return [...files, "SHA256SUMS"];
}

/** The section of a version in the changelog, without its heading; null when there is none. */
export function notesOf(version: string, changelog: string): string | null {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version}\n`));
  return section === undefined ? null : `${section.slice(version.length).trim()}\n`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: "string" }, image: { type: "string" }, tag: { type: "boolean", default: false } },
  });
  if (!values.out) throw new Error("--out FOLDER is missing.");
  const out = resolve(values.out);
  const root = join(import.meta.dirname, "..");
  for (const file of release({ root, out, image: values.image ?? null, tag: values.tag })) console.log(join(out, file));
}
