import type { Bench } from "../bench.ts";
import { apiKey } from "../names.ts";
import { pageWeightLines } from "../page-weight.ts";
import type { Line } from "../report.ts";
import { startService } from "../service.ts";

/** The size of a first load of the pay page. */
export async function measurePayPage({ server }: Bench): Promise<Line[]> {
  const url = await server.database("tefo");
  const service = await startService(server, { DATABASE_URL: url });
  try {
    return await pageWeightLines("pay page", await newPayPage(service.baseUrl));
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
