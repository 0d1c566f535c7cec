import { randText } from "../stand-in.ts";
import { type Debit, escaped } from "./protocol.ts";

/** A payment on Pay Now's pages. */
export interface PayNow {
  readonly fields: Readonly<Record<string, string>>;
  readonly trace: string;
  readonly amount: number;
  accepted: boolean;
  reversed: boolean;
  reason: string;
  card: Readonly<Record<string, string>> | null;
}

export interface Batch {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly instruction: string;
  readonly actionDate: string;
  readonly debits: readonly Debit[];
  readonly report: string;
  /** 0: its file was rejected. */
  status: 0 | 1 | 2;
  asked: number;
}

export interface Line {
  readonly day: string;
  readonly text: string;
}

export interface Mandate {
  readonly accountReference: string;
  readonly name: string;
  readonly amount: string;
  status: number;
}

export const NEW_LINE = "\r\n";
export const dayOf = (compact: string): string => compact.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
export const centsOf = (text = ""): number => Number(text.replace(".", ""));

/** What Pay Now posts, and what the status query answers. */
export const resultOf = (
  { fields, trace, accepted, reason, card }: PayNow,
  amount: number,
): Record<string, string> => ({
  TransactionAccepted: String(accepted),
  Reason: reason,
  Reference: fields["p2"] ?? "",
  Amount: randText(amount),
  RequestTrace: trace,
  Method: "1",
  Extra1: fields["m4"] ?? "",
  Extra2: fields["m5"] ?? "",
  Extra3: fields["m6"] ?? "",
  ...card,
});

export const balance = (day: string, type: string, words: string): string =>
  [day, type, "0", words, "0.0000", "+", "0", "", "", "", ""].join("\t");

export const mandateResult = (code: string, url: string, errors: readonly string[]): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><AddMandateResponse xmlns="http://tempuri.org/"><AddMandateResult xmlns:a="http://schemas.datacontract.org/2004/07/NIWS" xmlns:b="http://schemas.microsoft.com/2003/10/Serialization/Arrays"><a:ErrorCode>${code}</a:ErrorCode><a:Errors>${errors.map((error) => `<b:string>${escaped(error)}</b:string>`).join("")}</a:Errors><a:MandateUrl>${escaped(url)}</a:MandateUrl><a:Warnings/></AddMandateResult></AddMandateResponse></s:Body></s:Envelope>`;
