import { addBusinessDays, isBusinessDay, nextBusinessDay } from "../../kernel/business-days.ts";
import { addDays, type CalendarDay, calendarDay, type Instant, timeOfDay } from "../../kernel/time.ts";
import type { DebitBatchState, GatewayCall, RejectedDebit } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { type BatchRecord, batchFile, type Instruction } from "./batch-file.ts";
import { callText, refusalOf } from "./client.ts";
import { type ListedBatch, type LoadReport, readBatchList, readLoadReport } from "./reports.ts";

/** Until this time a file for the same day is sent, so that it is loaded and authorised by 10:59, when Netcash's day closes. */
const SAME_DAY_UNTIL = "10:30";
/** How many business days ahead a two-day file has to be. Two are documented; uploads with fewer than three were seen refused. */
export const TWO_DAY_AHEAD = 3;

/** The first action date of a file that is sent at that time. */
export function earliestActionDate(at: Instant): CalendarDay {
  const today = calendarDay(at);
  return isBusinessDay(today) && timeOfDay(at) < SAME_DAY_UNTIL ? today : nextBusinessDay(addDays(today, 1));
}

const instructionFor = (now: Instant, actionDate: CalendarDay): Instruction =>
  actionDate >= addBusinessDays(calendarDay(now), TWO_DAY_AHEAD) ? "TwoDay" : "Sameday";

/** Debits as they are put into a file. */
type Records<Line extends BatchRecord> = AsyncIterable<Line> | Iterable<Line>;

interface SentBatch<Line extends BatchRecord> {
  /** Ours; Netcash has the batch under the same reference. */
  readonly name: string;
  readonly actionDate: CalendarDay;
  readonly layout: Parameters<typeof batchFile<Line>>[1];
  readonly records: Records<Line>;
}

const serviceKeyOf = ({ credentials }: GatewayCall): string => credentials["debitOrderKey"] ?? "";

/**
 * Uploads a file and authorises the batch when Netcash has checked it by then. Throws `GatewayUnclear` when the upload
 * has no clear answer; after a clear upload, unclear answers leave the batch `processing`.
 */
export async function sendBatch<Line extends BatchRecord>(
  { name, actionDate, layout, records }: SentBatch<Line>,
  call: GatewayCall,
): Promise<DebitBatchState> {
  const serviceKey = serviceKeyOf(call);
  const instruction = instructionFor(call.now, actionDate);
  const file = batchFile({ serviceKey, instruction, name, actionDate }, layout, records);
  const args = [
    ["ServiceKey", serviceKey],
    ["File", file],
  ] as const;
  const token = (await callText(call, { method: "BatchFileUpload", args, repeatable: false })).trim();
  const refusal = refusalOf(token);
  if (refusal) return refusal;
  if (!/^[\w-]+(\.[\w-]+)+$/.test(token))
    throw new GatewayUnclear("netcash: an upload was answered without a file token");
  try {
    return await followBatch({ name, token, records }, call);
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    return { kind: "processing", batchRef: token, rejected: [] };
  }
}

/** A batch whose file was uploaded, as far as its token says. */
interface KnownFile<Line extends BatchRecord> {
  readonly name: string;
  /** Null when the answer to the upload was lost: the batch is then looked for by its name. */
  readonly token: string | null;
  readonly records: Records<Line>;
}

/**
 * The state of a batch; authorises it as soon as Netcash lists it. Throws `GatewayUnclear` for one whose upload had no
 * clear answer and which is not listed: Netcash lists the last ten batches only, and only those that it has checked.
 */
export async function followBatch<Line extends BatchRecord>(
  { name, token, records }: KnownFile<Line>,
  call: GatewayCall,
): Promise<DebitBatchState> {
  const report = token === null ? null : await loadReport(call, token, name);
  if (token !== null && report === null) return { kind: "processing", batchRef: token, rejected: [] };
  if (report?.outcome === "rejected") return { kind: "refused", reason: reasonOf(report) };
  const rejected = report && report.faults.length > 0 ? await rejectedOf(report, records) : [];
  const listed = await findListed(call, name);
  if (!listed) {
    if (token === null) throw new GatewayUnclear("netcash: the batch is not among the last ten");
    return { kind: "processing", batchRef: token, rejected };
  }
  return { ...(await released(call, listed)), batchRef: token ?? listed.id, rejected };
}

async function loadReport(call: GatewayCall, token: string, name: string): Promise<LoadReport | null> {
  const args = [
    ["ServiceKey", serviceKeyOf(call)],
    ["FileToken", token],
  ] as const;
  const text = await callText(call, { method: "RequestFileUploadReport", args, repeatable: true });
  const refusal = refusalOf(text);
  if (refusal) throw new GatewayUnclear(`netcash: ${refusal.reason}`);
  return readLoadReport(text, name);
}

async function findListed(call: GatewayCall, name: string): Promise<ListedBatch | undefined> {
  const text = await listText(call);
  const refusal = refusalOf(text);
  if (refusal) throw new GatewayUnclear(`netcash: ${refusal.reason}`);
  return readBatchList(text).find((batch) => batch.name === name);
}

/** Whether Netcash lists a batch of that name among its last ten. */
export const listsBatch = async (name: string, call: GatewayCall): Promise<boolean> =>
  (await findListed(call, name)) !== undefined;

/** The list of the last ten batches as it came, or a code. */
export const listText = (call: GatewayCall): Promise<string> =>
  callText(call, {
    method: "RetrieveBatchStatus",
    args: [["ServiceKey", serviceKeyOf(call)]],
    repeatable: true,
  });

const DONE = new Set(["0", "000"]);
/** Netcash does not find the batch: it lists it in a moment. */
const NOT_FOUND = "202";
/** Why a batch is not authorised by request. */
const HOLDS: Readonly<Record<string, string>> = {
  "316": "the merchant's compliance documents at Netcash are incomplete",
  "317": "Netcash does not know the batch by its id",
  "318": "a debit is above the account's limit for one debit",
  "319": "the batch is above the account's limit for a day",
  "320": "the batch is above the account's limit for a batch",
  "321": "Netcash does not let it be authorised in this way",
  "322": "automatic authorisation is not enabled on the account",
  "323": "there is not enough money in the account",
};

type Released = { readonly kind: "submitted" | "processing" } | { readonly kind: "held"; readonly reason: string };

/** Authorises a batch that waits for it. */
async function released(call: GatewayCall, batch: ListedBatch): Promise<Released> {
  if (batch.status === "insufficient funds") return held("there is not enough money in the account");
  if (batch.status !== "unauthorised") return { kind: "submitted" };
  const args = [
    ["ServiceKey", serviceKeyOf(call)],
    ["BatchIndicator", batch.id],
    ["SendEmail", "false"],
    ["FromName", ""],
    ["FromAddress", ""],
    ["SendSMS", "false"],
    ["ReleaseFunds", "false"],
    ["BankTransfer", "false"],
  ] as const;
  const code = (await callText(call, { method: "RequestBatchAuthorise", args, repeatable: true })).trim();
  if (DONE.has(code)) return { kind: "submitted" };
  if (code === NOT_FOUND) return { kind: "processing" };
  if (!/^\d{3}$/.test(code)) throw new GatewayUnclear("netcash: an authorisation without a code");
  return held(HOLDS[code] ?? "Netcash gives no other reason", code);
}

const held = (why: string, code = "5"): Released => ({
  kind: "held",
  reason:
    `Netcash has the batch and waits until it is authorised: ${why} (${code}). ` +
    "Authorise it in Netcash's own pages; do not upload it again.",
});

/** The debits that Netcash did not accept, by their account references, which are unique in a file. */
async function rejectedOf<Line extends BatchRecord>(
  { faults }: LoadReport,
  records: Records<Line>,
): Promise<RejectedDebit[]> {
  const reasons = new Map<string, string>();
  for (const { accountReference, message } of faults)
    reasons.set(accountReference, [reasons.get(accountReference), message].filter(Boolean).join(" "));
  const rejected: RejectedDebit[] = [];
  for await (const { accountReference, reference } of records) {
    const reason = reasons.get(accountReference);
    if (reason === undefined) continue;
    rejected.push({ reference, reason });
    reasons.delete(accountReference);
  }
  if (reasons.size > 0) throw new GatewayUnclear("netcash: a load report names debits that are not in the batch");
  return rejected;
}

const FAULTS_SHOWN = 5;

const reasonOf = ({ errors, faults }: LoadReport): string =>
  [...errors, ...faults.slice(0, FAULTS_SHOWN).map(({ record, message }) => `Line ${record}: ${message}`)].join(" ") ||
  "Netcash did not take the file.";
