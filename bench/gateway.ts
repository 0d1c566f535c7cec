import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ChargeRequest, Payment } from "../src/gateways/sandbox/wire.ts";
import { serveParent } from "./child.ts";

/* A stand-in of the sandbox gateway that answers every charge at once with pending, since banks take days. It stores nothing. */

const server = createServer(async (request, response) => {
  const body = await text(request);
  // The service asks again about a charge that has been pending for some minutes: GET …/payments/<reference>.
  const charge = body === "" ? null : (JSON.parse(body) as ChargeRequest);
  const reference = charge?.reference ?? decodeURIComponent(request.url?.split("/").at(-1) ?? "").replace(/^sbp_/, "");
  const payment: Payment = {
    id: `sbp_${reference}`,
    reference,
    status: "pending",
    amount: charge?.amount ?? 1,
    currency: charge?.currency ?? "ZAR",
    fee: null,
    payerEmail: charge?.payer.email ?? null,
    card: null,
    decline: null,
    subscription: null,
    occurredAt: null,
  };
  response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(payment));
}).listen(0, "127.0.0.1");
const listening = once(server, "listening");

/** Answers its base URL. */
serveParent(async (_request: object): Promise<string> => {
  await listening;
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
