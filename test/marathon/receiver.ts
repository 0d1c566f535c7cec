import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Takes merchants' webhooks; of every `refusedEach` deliveries one is refused and one is not answered. */
export interface Receiver {
  /** The URL of one merchant's endpoint. */
  urlOf(slug: string): string;
  /** The ids of the events that a merchant has acknowledged. */
  received(slug: string): ReadonlySet<string>;
  /** Deliveries that named another organisation than the one whose endpoint they came to. */
  readonly misled: readonly string[];
  /** Whether deliveries are refused at times. */
  reliable(is: boolean): void;
  close(): void;
}

const REFUSED_EACH = 11;

export async function openReceiver(): Promise<Receiver> {
  const events = new Map<string, Set<string>>();
  const misled: string[] = [];
  let reliable = true;
  let deliveries = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const slug = request.url?.split("/").at(-1) ?? "";
    const event = JSON.parse(body) as { id: string; type: string; organisation?: { slug: string } };
    // Events of 1.0.0-rc.1 do not say whose they are.
    if (event.organisation && event.organisation.slug !== slug)
      misled.push(`${event.type} of ${event.organisation.slug} at ${slug}`);
    const turn = deliveries++ % REFUSED_EACH;
    if (!reliable && turn === 0) return;
    const refused = !reliable && turn === 1;
    response.writeHead(refused ? 503 : 200).end();
    if (refused) return;
    const known = events.get(slug) ?? new Set();
    events.set(slug, known.add(event.id));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (slug) => `http://127.0.0.1:${port}/hook/${slug}`,
    received: (slug) => events.get(slug) ?? new Set(),
    misled,
    reliable: (is) => {
      reliable = is;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
