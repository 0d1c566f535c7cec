import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What becomes of a request to a gateway: whether it is carried out, once or twice, and what is answered. */
export type Conduct =
  | "answers"
  | "hangs"
  | "fails"
  | "makes it and hangs"
  | "makes it and fails"
  | "makes it and is unreadable"
  | "makes it twice";

const NOT_MADE: ReadonlySet<Conduct> = new Set(["hangs", "fails"]);
const NO_ANSWER: ReadonlySet<Conduct> = new Set(["hangs", "makes it and hangs"]);

interface Answered {
  readonly status: number;
  readonly body: string;
}

const FAILED: Answered = { status: 503, body: "{}" };

/** The service's own sandbox gateway, reached through a server that may not carry out requests, or not answer them. */
export async function openUnreliableGateway(
  servicePort: () => number,
  conductOf: (request: IncomingMessage) => Conduct,
) {
  let hanging = 0;
  const carryOut = async (
    { url, method = "GET", headers: given }: IncomingMessage,
    body: string,
  ): Promise<Answered> => {
    const { host: _, connection: __, "content-length": ___, ...headers } = given;
    const answer = await fetch(`http://127.0.0.1:${servicePort()}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body === "" ? {} : { body }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  /** Null: no answer. */
  const forward = async (request: IncomingMessage): Promise<Answered | null> => {
    const body = await text(request);
    const conduct = conductOf(request);
    if (conduct === "makes it twice") await carryOut(request, body);
    const answer = NOT_MADE.has(conduct) ? FAILED : await carryOut(request, body);
    if (NO_ANSWER.has(conduct)) {
      hanging++;
      return null;
    }
    if (conduct === "makes it and is unreadable") return { status: 200, body: "<html>" };
    return conduct === "makes it and fails" ? FAILED : answer;
  };
  const server = createServer(async (request, response) => {
    const answer = await forward(request).catch(() => FAILED);
    if (answer) response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many requests had no answer. */
    hanging: () => hanging,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
