import type { GatewayCall, RawNotification } from "../../../src/gateways/contract.ts";
import { type GatewayHttp, gatewayHttp } from "../../../src/gateways/http.ts";
import { instant } from "../../../src/kernel/time.ts";

export const KEYS = {
  debitOrderKey: "5f0a6d3e-7c1b-4a52-9c0e-3b1d2f4a6c8e",
  accountKey: "b2c4d6e8-0a1c-4e3f-8b5d-7f9e1a3c5b7d",
  payNowKey: "1e3c5a79-8b6d-4f2e-a1c3-5d7f9b0e2c4a",
  cardDebits: "on",
};

/** A Monday morning, before the day is closed. */
export const NOW = instant("2027-03-01T06:00:00Z");

/** A call of the adapter. Without a base URL it is for Netcash's own hosts; `http` answers for them. */
export const call = (http: GatewayHttp = gatewayHttp, changes: Partial<GatewayCall> = {}): GatewayCall => ({
  credentials: KEYS,
  accountId: "gw_1",
  mode: "live",
  baseUrl: null,
  sources: null,
  http,
  now: NOW,
  machineNow: NOW,
  ...changes,
});

/** An answer of a SOAP method with a text, under one of the prefixes that Netcash uses. */
export const soap = (method: string, result: string, prefix = "s"): string =>
  `<${prefix}:Envelope xmlns:${prefix}="http://schemas.xmlsoap.org/soap/envelope/"><${prefix}:Body>` +
  `<${method}Response xmlns="http://tempuri.org/"><${method}Result>${result}</${method}Result></${method}Response>` +
  `</${prefix}:Body></${prefix}:Envelope>`;

/** A message as it arrives. */
export const posted = (fields: Readonly<Record<string, string>> | string): RawNotification => ({
  method: "POST",
  url: "http://localhost:8080/api/webhooks/netcash?account=gw_1",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  rawBody: Buffer.from(typeof fields === "string" ? fields : new URLSearchParams(fields).toString()),
  remoteAddress: "127.0.0.1",
});

export const POSTBACK = {
  TransactionAccepted: "true",
  Reason: "Success",
  Reference: "TEFO-20270301-9F3C01AB",
  Amount: "299.00",
  RequestTrace: "0A1B2C3D4E5F",
  Method: "1",
  Extra1: "TEFO-20270301-9F3C01AB",
};
