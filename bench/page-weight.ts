import { gzipSync } from "node:zlib";
import { type Line, target } from "./report.ts";

const KILOBYTES_MAX = 30;
/** Elements that a browser loads by itself, and the attributes with their URLs. */
const FETCHED = /<(?:link|script|img|source|iframe|video|audio|object|embed|use|image|input)\b[^>]*>/gi;
const NAMED = /\b(?:src|href|data|poster|srcset)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const IN_STYLES = /(?:url\(\s*|@import\s+)["']?([^"')\s]+)/gi;

/** The size of a first load of the page at `url`, called `name`: the page and every file to which it and its style sheets refer. */
export async function pageWeightLines(name: string, url: string): Promise<Line[]> {
  const seen = new Map<string, number>();
  const foreign = new Set<string>();
  await weigh(url, new URL(url).host, seen, foreign);
  const kilobytes = [...seen.values()].reduce((sum, bytes) => sum + bytes, 0) / 1000;
  return [
    {
      name: `${name}, first load`,
      value: kilobytes,
      unit: "kB gzipped",
      target: target("at most", KILOBYTES_MAX, kilobytes, "kB"),
      note: `${seen.size} files`,
    },
    {
      name: `${name}, foreign hosts`,
      value: foreign.size,
      unit: "hosts",
      target: { text: "none", met: foreign.size === 0 },
      ...(foreign.size > 0 ? { note: [...foreign].join(", ") } : {}),
    },
  ];
}

async function weigh(url: string, host: string, seen: Map<string, number>, foreign: Set<string>): Promise<void> {
  if (seen.has(url) || url.startsWith("data:")) return;
  if (new URL(url).host !== host) return void foreign.add(new URL(url).host);
  const response = await fetch(url, { headers: { accept: "text/html,*/*" } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`GET ${url} answers ${response.status}`);
  seen.set(url, gzipSync(bytes).length);
  for (const reference of references(response.headers.get("content-type") ?? "", bytes.toString("utf8")))
    await weigh(new URL(reference, url).href, host, seen, foreign);
}

function references(type: string, text: string): string[] {
  const styled = [...text.matchAll(IN_STYLES)].map((match) => match[1] ?? "");
  if (type.startsWith("text/css") || type.startsWith("image/svg")) return styled;
  if (!type.startsWith("text/html")) return [];
  const named = [...text.matchAll(FETCHED)].flatMap(([tag]) =>
    [...tag.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? match[3] ?? ""),
  );
  return [...named, ...styled].filter((reference) => reference !== "" && !reference.startsWith("#"));
}
