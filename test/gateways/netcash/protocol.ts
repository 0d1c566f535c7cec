import { SaxesParser } from "saxes";

/*
 * What Netcash checks of what merchants send, after api.netcash.co.za: envelopes, the order of arguments, batch files,
 * the form of Pay Now.
 */

export const CREDENTIALS = {
  debitOrderKey: "5f0a6d3e-7c1b-4a52-9c0e-3b1d2f4a6c8e",
  accountKey: "b2c4d6e8-0a1c-4e3f-8b5d-7f9e1a3c5b7d",
  payNowKey: "1e3c5a79-8b6d-4f2e-a1c3-5d7f9b0e2c4a",
  cardDebits: "on",
};
const VENDOR_KEY = "24ade73c-98cf-47b3-99be-cc7b867b3080";

/** The arguments of each method, in the order of the WSDL; `?` those that may be left out. */
const METHODS: Readonly<Record<string, string>> = {
  BatchFileUpload: "ServiceKey File",
  RequestFileUploadReport: "ServiceKey FileToken",
  RetrieveBatchStatus: "ServiceKey",
  RequestBatchAuthorise: "ServiceKey BatchIndicator SendEmail FromName FromAddress SendSMS ReleaseFunds BankTransfer",
  RequestMerchantStatement: "ServiceKey FromActionDate",
  RetrieveMerchantStatement: "ServiceKey PollingId",
  RequestMandateData: "ServiceKey",
  RetrieveMandateData: "ServiceKey FileToken",
  ValidateBankAccount: "ServiceKey AccountNumber BranchCode AccountType",
  AddMandate: `ServiceKey AccountReference MandateName MandateAmount IsConsumer FirstName Surname TradingName? RegistrationNumber? RegisteredName?
    MobileNumber? DebitFrequency CommencementMonth CommencementDay AgreementDate AgreementReferenceNumber CancellationNoticePeriod?
    PublicHolidayOption? Notes? Field1? Field2? Field3? Field4? Field5? Field6? Field7? Field8? Field9? AllowVariableDebitAmounts? BankDetailType
    BankAccountName BankAccountNumber BranchCode BankAccountType CreditCardToken? CreditCardType? ExpiryMonth? ExpiryYear? IsIdNumber? Title?
    EmailAddress? PhoneNumber? DateOfBirth? DecemberDebitDay? DebitMasterfileGroup? PhysicalAddressLine1? PhysicalAddressLine2?
    PhysicalAddressLine3? PhysicalSuburb? PhysicalCity? PhysicalProvince? PhysicalPostalCode? MandateActive? RequestAVS? AVSCheckNumber?
    IncludeDebiCheck AddToMasterFile?`,
};

export interface MethodCall {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

/** Reads an envelope; a text says why Netcash would not. */
export function readEnvelope(headers: Readonly<Record<string, string | undefined>>, xml: string): MethodCall | string {
  if (!/^text\/xml;\s*charset=utf-8$/i.test(headers["content-type"] ?? "")) return "the content type";
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const args: [string, string][] = [];
  let [method, fault, text] = ["", "", ""];
  parser.on("error", (error) => {
    fault ||= error.message;
  });
  parser.on("doctype", () => {
    fault ||= "a document type";
  });
  parser.on("opentag", ({ local, uri }) => {
    path.push(local);
    text = "";
    const own = path.length <= 2 ? "http://schemas.xmlsoap.org/soap/envelope/" : "http://tempuri.org/";
    if (uri !== own) fault ||= `the namespace of ${local}`;
    if (path.length === 3) method = local;
  });
  parser.on("text", (part) => {
    text += part;
  });
  parser.on("closetag", ({ local }) => {
    if (path.length === 4) args.push([local, text]);
    path.pop();
  });
  parser.write(xml).close();
  if (fault) return fault;
  const contract = method === "ValidateBankAccount" ? "INIWS_Validation" : "INIWS_NIF";
  if ((headers["soapaction"] ?? "").replaceAll('"', "") !== `http://tempuri.org/${contract}/${method}`)
    return "the SOAPAction";
  const known = METHODS[method]?.split(/\s+/);
  if (!known) return `no method ${method}`;
  let place = 0;
  for (const [name] of args) {
    const at = known.findIndex((one, index) => index >= place && one.replace("?", "") === name);
    if (at < 0) return `the argument ${name}, or its place`;
    place = at + 1;
  }
  const missing = known.find((name) => !name.endsWith("?") && !args.some(([given]) => given === name));
  return missing ? `no argument ${missing}` : { method, args: Object.fromEntries(args) };
}

/** One debit of a file, by the numbers of its columns. */
export type Debit = Readonly<Record<string, string>>;

export interface ReadFile {
  readonly instruction: string;
  readonly name: string;
  readonly actionDate: string;
  readonly debits: readonly Debit[];
  /** Against the whole file. */
  readonly errors: readonly string[];
  /** Against single records, by their number from 1. */
  readonly faults: readonly { readonly record: number; readonly debit: Debit; readonly message: string }[];
}

const BANK = "101 102 131 132 133 134 136 162 301";
const CARD = "101 102 131 132 133 134 135 136 137 162 301";

/** Reads a batch file; a number is the code with which the upload is refused. */
export function readFile(text: string, serviceKey: string): ReadFile | 100 | 101 | 102 {
  const records = text.split("\n").map((record) => record.split("\t"));
  const [head = [], columns = [], ...rest] = records;
  const foot = rest.pop() ?? [];
  const [h, key, one, instruction = "", name = "", actionDate = "", vendor, ...more] = head;
  if (h !== "H" || more.length > 0 || one !== "1" || vendor !== VENDOR_KEY || name === "") return 102;
  if (key !== serviceKey) return 100;
  if (!/^(TwoDay|Sameday)$/.test(instruction)) return 102;
  if (!isDate(actionDate)) return 101;
  const numbers = columns.slice(1).join(" ");
  if (columns[0] !== "K" || (numbers !== BANK && numbers !== CARD)) return 102;
  const errors: string[] = [];
  const debits = rest.map((record) =>
    Object.fromEntries(record.slice(1).map((value, at) => [columns[at + 1] ?? "?", value])),
  );
  if (rest.some((record) => record[0] !== "T" || record.length !== columns.length))
    errors.push("A record does not fit the key record.");
  const sum = debits.reduce(
    (total, debit) => total + BigInt(/^\d+$/.test(debit["162"] ?? "") ? (debit["162"] ?? "0") : "0"),
    0n,
  );
  if (foot.join("\t") !== ["F", debits.length, sum, "9999"].join("\t"))
    errors.push("The footer does not fit the file.");
  if ((text.match(/(?<!\d)\d{15,19}(?!\d)/g) ?? []).some(isCardNumber))
    errors.push("A full card number is in the file.");
  const seen = new Set<string>();
  const faults = debits.flatMap((debit, at) => {
    const message = faultOf(debit, numbers === CARD, seen);
    seen.add(debit["101"] ?? "");
    return message === null ? [] : [{ record: at + 3, debit, message }];
  });
  return { instruction, name, actionDate, debits, errors, faults };
}

/** By its check digit. */
const isCardNumber = (digits: string): boolean =>
  [...digits].reverse().reduce((sum, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return sum + (doubled > 9 ? doubled - 9 : doubled);
  }, 0) %
    10 ===
  0;

function faultOf(debit: Debit, isCard: boolean, seen: ReadonlySet<string>): string | null {
  const is = (column: string, pattern: RegExp) => pattern.test(debit[column] ?? "");
  if (!is("101", /^[\x21-\x7e]{2,22}$/) || seen.has(debit["101"] ?? ""))
    return "Account reference is not valid or not unique";
  if (!is("102", /^.{1,50}$/u)) return "Account name is not valid";
  if (!is("131", isCard ? /^2$/ : /^1$/)) return "Banking detail type is not valid";
  if (!is("132", /^.{1,30}$/u)) return "Account holder is not valid";
  if (!is("162", /^[1-9]\d{0,11}$/)) return "Amount is not valid";
  if (!is("301", /^.{1,50}$/u)) return "Extra 1 is not valid";
  if (isCard) {
    const fits =
      is("133", /^[12]$/) && is("134", /^(0?[1-9]|1[0-2])$/) && is("135", /^20\d\d$/) && is("137", /\*+\d{4}$/);
    return fits && is("136", /^[0-9a-f-]{36}$/) ? null : "Card token is not valid or has expired";
  }
  const fits = is("133", /^[1-4]$/) && is("134", /^\d{6}$/) && is("136", /^\d{4,13}$/);
  if (!fits)
    return "Account details could not be validated. Please check the fields Bank account type, Branch code and Account number.";
  return null;
}

/** `CCYYMMDD` of a day that exists and is no Sunday. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return (
    !Number.isNaN(date.getTime()) &&
    date.toISOString().slice(0, 10) === `${year}-${month}-${day}` &&
    date.getUTCDay() !== 0
  );
}

const FORM = ["m1", "m2", "p2", "p3", "p4", "Budget", "m4", "m5", "m6", "m9", "m10", "m11", "m14", "m15"];

/** Why Pay Now does not take a form; null when it does. */
export function formFault(pairs: readonly (readonly [string, string])[], used: ReadonlySet<string>): string | null {
  const form = Object.fromEntries(pairs);
  const unknown = pairs.find(([name]) => !FORM.includes(name));
  if (unknown) return `no field ${unknown[0]}`;
  if (form["m1"] !== CREDENTIALS.payNowKey || form["m2"] !== VENDOR_KEY) return "the keys";
  if (!/^[\x21-\x7e]{1,25}$/.test(form["p2"] ?? "") || used.has(form["p2"] ?? "")) return "p2 is not valid or was used";
  if (!/^.{1,50}$/su.test(form["p3"] ?? "")) return "p3 is longer than 50 characters, or empty";
  if (!/^\d{1,9}\.\d{2}$/.test(form["p4"] ?? "")) return "p4 is no amount";
  return form["Budget"] === "N" ? null : "Budget";
}

/** An envelope with a result that is text; the prefix is not that of the request, and lines end with a character reference. */
export const resultEnvelope = (method: string, result: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${method}Response xmlns="http://tempuri.org/">${`<${method}Result>${escaped(result).replaceAll("\r\n", "&#xD;")}</${method}Result>`}</${method}Response></s:Body></s:Envelope>`;

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
