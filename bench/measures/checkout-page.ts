import type { Bench } from "../bench.ts";
import { fillCatalogue } from "../fill-subscriptions.ts";
import { checkoutPath } from "../names.ts";
import { pageWeightLines } from "../page-weight.ts";
import type { Line } from "../report.ts";
import { latencyLines } from "./latency.ts";
import { underLoad } from "./throughput.ts";

const P99_MS = 25;

/** Size and latency of the hosted checkout page of a package, by one process that serves requests alone. */
export async function measureCheckoutPage(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("checkout_page");
  await fillCatalogue(bench.server, url);
  return underLoad(
    bench,
    url,
    async (service, load) => [
      ...(await pageWeightLines("checkout page", `${service.baseUrl}${checkoutPath(1)}`)),
      ...(await latencyLines(
        bench,
        { kind: "checkout-page", name: "checkout page", p99Ms: P99_MS },
        url,
        service,
        load,
      )),
    ],
    { PROCESS: "api" },
  );
}
