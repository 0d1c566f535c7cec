import type { Bench } from "../bench.ts";
import { startHelper } from "../child.ts";
import { fillCards } from "../fill-cards.ts";
import { ORGANISATIONS } from "../names.ts";
import type { Line } from "../report.ts";
import { measurePeak, underLoad } from "./throughput.ts";

const SUBJECT = {
  kind: "card-charge",
  name: "charge of a saved card",
  connections: 16,
  organisations: ORGANISATIONS,
  share: 0.4,
} as const;

/**
 * Throughput beside its floor. A stand-in of the gateway answers, because the sandbox gateway of the service would
 * write rows of its own in the same database.
 */
export async function measureCardCharge(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("card_charges");
  await fillCards(bench.server, url);
  const gateway = startHelper<object, string>("gateway.ts");
  try {
    const environment = { PROCESS: "api", GATEWAY_URL_SANDBOX: await gateway.ask({}) };
    return await underLoad(
      bench,
      url,
      async (service, load) => {
        const { lines } = await measurePeak(bench, SUBJECT, url, service, load);
        return lines.map((line) =>
          line.name === SUBJECT.name ? { ...line, note: `${line.note}, a gateway that answers at once` } : line,
        );
      },
      environment,
    );
  } finally {
    await gateway.stop();
  }
}
