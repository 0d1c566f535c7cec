import { setTimeout as sleep } from "node:timers/promises";
import type { Frequency } from "../../kernel/frequency.ts";
import { toDecimalText } from "../../kernel/money.ts";
import { personName } from "../../kernel/person-name.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import { calendarDay } from "../../kernel/time.ts";
import type { EMandateRequest, GatewayCall, Refusal } from "../contract.ts";
import type { MandateFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { callMethod, callText, refusalOf } from "./client.ts";
import { type ListedMandate, readMandates } from "./reports.ts";
import { textOf, textsIn } from "./soap.ts";

const FREQUENCIES: Readonly<Record<Frequency, string>> = {
  monthly: "Monthly",
  quarterly: "ThreeMonthly",
  biannually: "SixMonthly",
  annually: "Annually",
};
const ACCOUNT_TYPES = { current: "Current", savings: "Savings", transmission: "Transmission" } as const;
const NAME_MAX = 50;
/** From this day of the month on, a mandate debits on the last day of the month. */
const LAST_DAY = 31;

/** Asks Netcash for an e-mandate, which the payer signs on Netcash's page. */
export async function createMandate(
  request: EMandateRequest,
  call: GatewayCall,
): Promise<{ readonly kind: "created"; readonly signUrl: string } | Refusal> {
  const result = await callMethod(call, { method: "AddMandate", args: argumentsOf(request, call), repeatable: false });
  const code = textOf(result, "ErrorCode");
  const signUrl = textOf(result, "MandateUrl");
  if (code === "000" && /^https?:\/\//.test(signUrl)) return { kind: "created", signUrl };
  if (code === "000" || !/^\d{3}$/.test(code))
    throw new GatewayUnclear("netcash: a mandate without a code or an address");
  // A duplicate: an earlier request took effect, and its answer was lost.
  if (code === "330") throw new GatewayUnclear("netcash: it has a mandate of this reference");
  const said = textsIn(result.children.find(({ name }) => name === "Errors")).join(" ");
  return { kind: "refused", reason: said || (refusalOf(code)?.reason ?? `Netcash refused the mandate (${code}).`) };
}

/** In exactly the order of the service; unknown values are left out. */
function argumentsOf(request: EMandateRequest, call: GatewayCall): (readonly [string, string])[] {
  const { accountReference, amount, payer, bank, idNumber } = request;
  const name = personName(payer) ?? bank.holder;
  const [first = name, ...others] = bank.holder.split(" ");
  const day = request.debitDay === LAST_DAY ? "LDOM" : String(request.debitDay);
  const args: (readonly [string, string | null])[] = [
    ["ServiceKey", call.credentials["debitOrderKey"] ?? ""],
    ["AccountReference", accountReference],
    ["MandateName", text(name)],
    ["MandateAmount", toDecimalText(amount)],
    ["IsConsumer", "true"],
    ["FirstName", text(payer.firstName ?? first)],
    ["Surname", text(payer.lastName ?? (others.join(" ") || first))],
    ["RegistrationNumber", idNumber],
    ["MobileNumber", payer.phone],
    ["DebitFrequency", FREQUENCIES[request.frequency]],
    ["CommencementMonth", String(firstMonth(request))],
    ["CommencementDay", day],
    ["AgreementDate", calendarDay(call.now).replaceAll("-", "")],
    ["AgreementReferenceNumber", accountReference],
    ["PublicHolidayOption", "VeryNextOrdinaryBusinessDay"],
    ["Notes", text(request.description) || null],
    ["Field1", accountReference],
    ["AllowVariableDebitAmounts", String(request.amountVaries)],
    ["BankDetailType", "BankAccount"],
    ["BankAccountName", text(bank.holder)],
    ["BankAccountNumber", bank.number],
    ["BranchCode", bank.branchCode],
    ["BankAccountType", ACCOUNT_TYPES[bank.type]],
    ["IsIdNumber", idNumber === null ? null : String(/^\d{13}$/.test(idNumber))],
    ["Title", "NotSet"],
    ["EmailAddress", payer.email],
    ["DecemberDebitDay", day],
    ["MandateActive", "true"],
    ["RequestAVS", "false"],
    ["IncludeDebiCheck", "false"],
    ["AddToMasterFile", "false"],
  ];
  return args.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
}

const text = (value: string): string => truncate(singleLine(value), NAME_MAX).trim();

/** The month, 1 to 12, of the first debit: that of the start, or the next when the debit day is before the start. */
function firstMonth({ startDate, debitDay }: EMandateRequest): number {
  const [, month, day] = startDate.split("-").map(Number);
  return debitDay >= (day ?? 1) ? (month ?? 1) : ((month ?? 1) % 12) + 1;
}

const ACCEPTED = new Set([6, 9]);
const REJECTED: Readonly<Record<number, string>> = {
  3: "The mandate expired before it was signed.",
  4: "The mandate failed.",
  5: "The account holder declined the mandate.",
};

/** Asks Netcash about a mandate. Null when its file does not list it. Throws `GatewayUnclear` while the file is not ready. */
export async function askAboutMandate(accountReference: string, call: GatewayCall): Promise<MandateFact | null> {
  const earlier = await fileAskedForBefore(call);
  const known = earlier?.find((mandate) => mandate.accountReference === accountReference);
  if (known && mandateFact(known).kind !== "waiting") return mandateFact(known);
  const mandates = await mandatesNow(call);
  const found = mandates.find((mandate) => mandate.accountReference === accountReference);
  return found ? mandateFact(found) : null;
}

function mandateFact({ accountReference, status }: ListedMandate): MandateFact {
  const rejected = REJECTED[status];
  return {
    about: "mandate",
    kind: ACCEPTED.has(status) ? "accepted" : rejected === undefined ? "waiting" : "rejected",
    occurredAt: null,
    gatewayWord: String(status),
    accountReference,
    reason: rejected ?? null,
    signUrl: null,
  };
}

/** Pauses between requests for a file. Netcash needs up to some minutes; after them the caller asks again later. */
const PAUSES_MS = [100, 400, 1500, 3000];

/**
 * Files that were not ready at the end of a request, by gateway account: the next request in this process reads these
 * first. Another process, or this one after a restart, asks for a new file.
 */
const awaited = new Map<string, string>();
const AWAITED_MAX = 1000;

async function fileAskedForBefore(call: GatewayCall): Promise<readonly ListedMandate[] | null> {
  const token = awaited.get(call.accountId);
  const mandates = token === undefined ? null : await retrieve(call, token);
  if (mandates) awaited.delete(call.accountId);
  return mandates;
}

async function mandatesNow(call: GatewayCall): Promise<readonly ListedMandate[]> {
  const args = [["ServiceKey", call.credentials["debitOrderKey"] ?? ""]] as const;
  const token = (await callText(call, { method: "RequestMandateData", args, repeatable: true })).trim();
  const refusal = refusalOf(token);
  if (refusal || token === "") throw new GatewayUnclear(`netcash: ${refusal?.reason ?? "no file of mandates"}`);
  for (const pause of PAUSES_MS) {
    const mandates = await retrieve(call, token);
    if (mandates) return mandates;
    await sleep(pause);
  }
  const mandates = await retrieve(call, token);
  if (mandates) return mandates;
  if (awaited.size >= AWAITED_MAX) awaited.clear();
  awaited.set(call.accountId, token);
  throw new GatewayUnclear("netcash: the file of mandates is not ready");
}

async function retrieve(call: GatewayCall, token: string): Promise<readonly ListedMandate[] | null> {
  const args = [
    ["ServiceKey", call.credentials["debitOrderKey"] ?? ""],
    ["FileToken", token],
  ] as const;
  const answer = await callText(call, { method: "RetrieveMandateData", args, repeatable: true });
  const refusal = refusalOf(answer);
  if (refusal) throw new GatewayUnclear(`netcash: ${refusal.reason}`);
  return readMandates(answer);
}
