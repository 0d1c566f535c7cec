import { GatewayUnclear } from "../http.ts";
import { isNotReady, linesOf } from "./wire.ts";

const unreadable = (what: string): GatewayUnclear => new GatewayUnclear(`netcash: ${what} cannot be read`);

/** The outcome of an uploaded file. */
export interface LoadReport {
  readonly outcome: "accepted" | "accepted with errors" | "rejected";
  /** Faults of single records, by their number in the file, from 1. */
  readonly faults: readonly { readonly record: number; readonly accountReference: string; readonly message: string }[];
  /** Faults of the whole file. */
  readonly errors: readonly string[];
}

const OUTCOMES: Readonly<Record<string, LoadReport["outcome"]>> = {
  SUCCESSFUL: "accepted",
  "SUCCESSFUL WITH ERRORS": "accepted with errors",
  UNSUCCESSFUL: "rejected",
};
/** `UNSUCCESSFUL` contains `SUCCESSFUL`: where fields are separated by spaces, the longer word is searched first. */
const STATUS = /\b(SUCCESSFUL WITH ERRORS|UNSUCCESSFUL|SUCCESSFUL)\b/;

/** The records of a file between its first and last line. Throws `GatewayUnclear` for a file that is not whole. */
function within(text: string, what: string): { readonly first: string; readonly between: readonly string[] } {
  const [first, ...rest] = linesOf(text);
  const last = rest.pop();
  if (!first?.startsWith("###BEGIN") || !last?.startsWith("###END")) throw unreadable(what);
  return { first, between: rest };
}

/**
 * The load report of a batch of this name; null while Netcash has not written it. Throws `GatewayUnclear` for a report
 * that is cut, of another batch, or not understood.
 */
export function readLoadReport(text: string, batchName: string): LoadReport | null {
  if (isNotReady(text)) return null;
  const { first, between } = within(text, "a load report");
  const [, name, status] = first.includes("\t") ? first.split("\t").map((one) => one.trim()) : spaced(first);
  const outcome = OUTCOMES[status ?? ""];
  if (name !== batchName || !outcome) throw unreadable("a load report of another batch, or another outcome,");
  const errors = between.filter((line) => line.startsWith("###ERROR"));
  const faults = between
    .filter((line) => !line.startsWith("###"))
    .map((line) => {
      const [, accountReference = "", record = "", message = ""] =
        /^(?:Acc Ref\s*:)?\s*(\S+)\s+Line\s*:\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      if (!record) throw unreadable("a line of a load report");
      return { record: Number(record), accountReference, message: (message.split("\t")[0] ?? "").trim() };
    });
  return {
    outcome,
    faults,
    errors: errors.map(
      (line) =>
        line
          .replace(/^###ERROR\s*:?\s*/, "")
          .split("\t")[0]
          ?.trim() ?? "",
    ),
  };
}

/** A first line whose fields are separated by spaces, as older reports have it. */
function spaced(first: string): [string, string, string] {
  const [status = ""] = STATUS.exec(first) ?? [];
  const name = first.slice("###BEGIN".length, status === "" ? undefined : first.indexOf(status)).trim();
  return ["", name, status];
}

/** One of the last ten batches. */
export interface ListedBatch {
  /** By which it is authorised. */
  readonly id: string;
  readonly name: string;
  readonly status: "unauthorised" | "authorised" | "locked" | "processed" | "insufficient funds";
}

const BATCH_STATUSES: Readonly<Record<string, ListedBatch["status"]>> = {
  "1": "unauthorised",
  "2": "authorised",
  "3": "locked",
  "4": "processed",
  "5": "insufficient funds",
};

/** The list of the last ten batches; an empty one when there is none. Throws `GatewayUnclear` for another text. */
export function readBatchList(text: string): readonly ListedBatch[] {
  return linesOf(text)
    .filter((line) => !line.startsWith("###"))
    .map((line) => {
      const [, id, name, code] = line.split("\t").map((one) => one.trim());
      const status = BATCH_STATUSES[code ?? ""];
      if (!id || name === undefined || !status) throw unreadable("a list of batches");
      return { id, name, status };
    });
}

/** The state of an e-mandate, by its account reference. */
export interface ListedMandate {
  readonly accountReference: string;
  readonly status: number;
}

/** The file of all mandates; null while Netcash has not written it. Throws `GatewayUnclear` for a file that is cut or not understood. */
export function readMandates(text: string): readonly ListedMandate[] | null {
  if (isNotReady(text)) return null;
  return within(text, "a file of mandates").between.map((line) => {
    const [status = "", accountReference = ""] = line.split("\t").map((one) => one.trim());
    if (!/^\d{1,2}$/.test(status) || accountReference === "") throw unreadable("a line of a file of mandates");
    return { accountReference, status: Number(status) };
  });
}
