import { z } from "zod";
import { ZERO } from "../../kernel/money.ts";
import { type ReportedAmount, randAmount } from "../amounts.ts";

/** Netcash's hosts; paths below them do not collide, so one stand-in can serve both. */
export const HOSTS = { services: "https://ws.netcash.co.za", payNow: "https://paynow.netcash.co.za" } as const;

/** A SOAP service with the name of its contract, which is part of `SOAPAction`. */
export const SERVICES = {
  nif: { path: "/NIWS/NIWS_NIF.svc", contract: "INIWS_NIF" },
  validation: { path: "/NIWS/NIWS_Validation.svc", contract: "INIWS_Validation" },
} as const;
export const PAY_NOW_PATH = "/site/paynow.aspx";
export const CHECK_PATH = "/PayNow/TransactionStatus/Check";

/** Netcash's own key for software that it has not accredited. */
export const VENDOR_KEY = "24ade73c-98cf-47b3-99be-cc7b867b3080";

/** Result codes that several methods share. */
export const RESULT_CODES: Readonly<Record<string, string>> = {
  "100": "Netcash does not accept the service key (100).",
  "101": "Netcash does not accept the format of a date (101).",
  "102": "Netcash does not accept a date or a parameter (102).",
  "103": "Netcash does not accept an amount or the software vendor's key (103).",
  "104": "The merchant's account at Netcash is inactive (104).",
  "105": "The service is inactive at Netcash (105).",
  "106": "The key is that of another service at Netcash (106).",
  "200": "Netcash has an error of its own (200).",
  "201": "Netcash has locked the account for some minutes (201).",
  "311": "The key is not valid for this service at Netcash (311).",
};

/** A file that Netcash has not prepared yet. */
export const isNotReady = (text: string): boolean => /^\s*$|^\s*FILE NOT READY\b/i.test(text);

/** Netcash separates lines by LF, CRLF or CR alone. Empty lines are left out. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");

/**
 * Rand as Netcash writes it, such as `299.00`. For a text that is no amount, answers one that matches no payment, so
 * that its fact is stored and flagged.
 */
export const reportedRand = (text: string): ReportedAmount =>
  randAmount(text.trim()) ?? { amount: ZERO, inexactAmount: text };

const text = z.string().max(1000);

/** What `TransactionStatus/Check` answers, and what a postback and the payer's browser bring: all of it text. */
export const PayNowResult = z.object({
  TransactionAccepted: text,
  Reason: text.optional(),
  Reference: text,
  Amount: text,
  RequestTrace: text,
  Method: text.optional(),
  Extra1: text.optional(),
  ccToken: text.optional(),
  ccHolder: text.optional(),
  ccMasked: text.optional(),
  ccExpiry: text.optional(),
});
export type PayNowResult = z.infer<typeof PayNowResult>;

/** What Netcash posts when a payer has signed or declined an e-mandate. */
export const MandatePostback = z.object({ AccountRef: text.min(1), MandateSuccessful: text });
