import type { Bench } from "../bench.ts";
import { type Helper, startHelper } from "../child.ts";
import type { FloorKind } from "../floor-sql.ts";
import type { Load, LoadResult } from "../load.ts";
import { LINKS_WHEN_EMPTY, ORGANISATIONS } from "../names.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";
import { measureLoad } from "./throughput.ts";

const LINKS = 1_000_000;
const ROUNDS = 5;
const COST_MAX = 1.3;

/** The cost of a create and a get in a full database, compared with one with the same organisations and few links. */
export async function measureSize(bench: Bench): Promise<Line[]> {
  const { server } = bench;
  const links = LINKS / ORGANISATIONS;
  const [emptyUrl, fullUrl] = [await server.database("empty"), await server.database("million")];
  bench.say(`writing ${LINKS} links`);
  await server.fill(fullUrl, LINKS_WHEN_EMPTY, links);
  const load = startHelper<Load, LoadResult>("load.ts");
  const empty = await startService(server, { DATABASE_URL: emptyUrl });
  const full = await startService(server, { DATABASE_URL: fullUrl });
  try {
    const lines: Line[] = [];
    for (const kind of ["create", "get"] as const) {
      const costs: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const before = await throughput(bench, load, kind, empty, LINKS_WHEN_EMPTY);
        const filled = await throughput(bench, load, kind, full, links);
        bench.say(`${kind} ${round}/${ROUNDS}: empty ${Math.round(before)}/s, full ${Math.round(filled)}/s`);
        // The first round is the warm-up of both.
        if (round > 0) costs.push(before / filled);
      }
      const cost = median(costs);
      lines.push({
        name: `cost of a payment link ${kind} with ${LINKS.toLocaleString("en")} links`,
        value: cost,
        unit: "times that of the empty database",
        target: target("under", COST_MAX, cost),
        note: `both of ${ORGANISATIONS} organisations, with audit rows; ${LINKS_WHEN_EMPTY} links each in the empty one`,
      });
    }
    return lines;
  } finally {
    await Promise.all([empty.stop(), full.stop(), load.stop()]);
  }
}

async function throughput(
  bench: Bench,
  load: Helper<Load, LoadResult>,
  kind: FloorKind,
  { port }: Service,
  links: number,
): Promise<number> {
  const { roundSeconds: seconds } = bench;
  const common = { connections: 16, rate: null, warmupSeconds: 0.5 } as const;
  return (await measureLoad(load, { ...common, port, kind, seconds, links })).perSecond;
}
