import type { Bench } from "../bench.ts";
import { fillTransfers, statementCsv } from "../fill-transfers.ts";
import { statementFloor } from "../floor-statement.ts";
import { newMerchant } from "../merchant.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";
import { memoryLines, watchingMemory } from "./work.ts";

/** Transfers for each line of a statement. */
const TRANSFERS_A_LINE = 10;
const WARM_UP_LINES = 1000;
const LEAST_SHARE = 0.2;

interface Round {
  readonly seconds: number;
  readonly floor: number;
  readonly memory: readonly number[];
}

/**
 * A statement of `--lines` lines imported over HTTP into an organisation with ten times as many transfers, most of its
 * lines with a reference, compared with bare SQL that does the same for the statement of other transfers.
 */
export async function measureReconciliation(bench: Bench): Promise<Line[]> {
  const { server, lines: count, rounds } = bench;
  const url = await server.database("reconciliation");
  const merchant = await newMerchant(server, url);
  const service = await startService(server, { DATABASE_URL: url });
  const measured: Round[] = [];
  try {
    const bank = { bankName: "FNB", accountName: "Bench", accountNumber: "62900417701", branchCode: "250655" };
    await merchant.dashboard(service.baseUrl, "POST", "/gateways", {
      type: "manual_eft",
      name: "Bank",
      credentials: bank,
    });
    const [account] = await server.query<{ organisation: string }>(
      url,
      "select organisation_id as organisation from gateway_accounts where type = 'manual_eft'",
    );
    const organisation = account?.organisation ?? "";
    bench.say("writing transfers");
    await fillTransfers(server, url, organisation, TRANSFERS_A_LINE * count);
    const at = (place: number) => ({ from: WARM_UP_LINES + place * count, count });
    await importStatement({ bench, url, service, merchant, organisation }, { from: 0, count: WARM_UP_LINES });
    await server.query(url, "vacuum analyze");
    for (let round = 0; round < Math.min(rounds, 4); round++) {
      const { result, memory } = await watchingMemory(service, () =>
        importStatement({ bench, url, service, merchant, organisation }, at(2 * round)),
      );
      const floor = await statementFloor(url, organisation, at(2 * round + 1));
      bench.say(
        `reconciliation: ${result.seconds.toFixed(1)} s, ${result.matched} matched; floor ${floor.seconds.toFixed(1)} s, ${floor.matched} matched; ${Math.round(Math.max(...memory))} MB`,
      );
      measured.push({ seconds: result.seconds, floor: floor.seconds, memory });
    }
  } finally {
    await service.stop();
  }
  return linesOf(count, measured);
}

interface Shop {
  readonly bench: Bench;
  readonly url: string;
  readonly service: Service;
  readonly merchant: Awaited<ReturnType<typeof newMerchant>>;
  readonly organisation: string;
}

/** Imports the statement of these transfers; the making of the file is not measured. */
async function importStatement(
  { bench, url, service, merchant, organisation }: Shop,
  which: { readonly from: number; readonly count: number },
): Promise<{ readonly seconds: number; readonly matched: number }> {
  const csv = await statementCsv(bench.server, url, organisation, which);
  const form = new FormData();
  form.set("account", "Cheque");
  form.set("file", new Blob([csv]), "statement.csv");
  const began = performance.now();
  const run = (await merchant.upload(service.baseUrl, "/reconciliation/imports", form)) as {
    totals: { matched: number };
  };
  return { seconds: (performance.now() - began) / 1000, matched: run.totals.matched };
}

function linesOf(count: number, rounds: readonly Round[]): Line[] {
  const share = median(rounds.map(({ seconds, floor }) => floor / seconds));
  return [
    {
      name: `floor of a bank statement of ${count} lines`,
      value: count / median(rounds.map(({ floor }) => floor)),
      unit: "lines/s",
      note: "a few statements over all lines at once, of lines that are prepared",
    },
    {
      name: `bank statement of ${count} lines imported and matched`,
      value: count / median(rounds.map(({ seconds }) => seconds)),
      unit: "lines/s",
      ratio: share,
      floor: "the floor",
      target: target("at least", LEAST_SHARE, share, "of the floor"),
      note: `over HTTP, against ${TRANSFERS_A_LINE * count} transfers`,
    },
    ...memoryLines("imports", rounds, []),
  ];
}
