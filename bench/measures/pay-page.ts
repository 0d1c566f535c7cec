import { gzipSync } from "node:zlib";
import type { Bench } from "../bench.ts";
import { apiKey } from "../names.ts";
import type { Line } from "../report.ts";
import { startService } from "../service.ts";

const KILOBYTES_MAX = 30;
/** Elements that a browser loads by itself, and the attributes with their URLs. */
const FETCHED = /<(?:link|script|img|source|iframe|video|audio|object|embed|use|image|input)\b[^>]*>/gi;
const NAMED = /\b(?:src|href|data|poster|srcset)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const IN_STYLES = /(?:url\(\s*|@import\s+)["']?([^"')\s]+)/gi;

/** The size of a first load of the pay page: the page and everything that it and its style sheets refer to. */
export async function measurePayPage({ server }: Bench): Promise<Line[]> {
  const url = await server.database("tefo");
  const service = await startService(server, { DATABASE_URL: url });
  try {
    const page = await newPayPage(service.baseUrl);
    const seen = new Map<string, number>();
    const foreign = new Set<string>();
    await weigh(page, new URL(page).host, seen, foreign);
    const kilobytes = [...seen.values()].reduce((sum, bytes) => sum + bytes, 0) / 1000;
    return [
      {
        name: "pay page, first load",
        value: kilobytes,
        unit: "kB gzipped",
        target: { text: `at most ${KILOBYTES_MAX} kB`, met: kilobytes <= KILOBYTES_MAX },
        note: `${seen.size} files`,
      },
      {
        name: "pay page, foreign hosts",
        value: foreign.size,
        unit: "hosts",
        target: { text: "none", met: foreign.size === 0 },
        ...(foreign.size > 0 ? { note: [...foreign].join(", ") } : {}),
      },
    ];
  } finally {
    await service.stop();
  }
}

async function newPayPage(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/payment-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey(1)}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Rooibos gift box", amount: 249 }),
  });
  const link = (await response.json()) as { url?: string };
  if (link.url === undefined) throw new Error(`no payment link: ${JSON.stringify(link)}`);
  return link.url;
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
