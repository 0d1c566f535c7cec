import {
  bankLineKey,
  heldIds,
  isImported,
  type KnownLine,
  type Line,
  lineKey,
} from "../../modules/reconciliation/rules.ts";
import { importedBefore, importedIds } from "../../modules/reconciliation/store/imported.ts";
import type { NewItem, Run } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";

/** How many lines are looked up at once. */
const SOUGHT_TOGETHER = 1000;

/** Recognises the lines of one statement that have been imported earlier. */
export interface Recognition {
  readonly tx: Tx;
  readonly run: Run;
  /** Whether the ids of the file are the bank's own. */
  readonly trustsIds: boolean;
  /** How often a line occurred in this statement, by its key in hexadecimal: in all, and with a new id. */
  readonly seen: Map<string, { all: number; fresh: number }>;
  /** Rows that were imported earlier. */
  duplicates: number;
  place: number;
}

/**
 * Begins to recognise the lines of a statement, whose ids are looked up first. The caller holds `lockReconciliation`.
 */
export async function beginRecognition(tx: Tx, run: Run, lines: AsyncIterable<Line>): Promise<Recognition> {
  let [same, other] = [0, 0];
  let part: Line[] = [];
  const look = async () => {
    const keyed = part.flatMap((line) => (line.bankId ? [{ line, key: bankLineKey(run.account, line.bankId) }] : []));
    const known = await importedIds(
      tx,
      run.id,
      keyed.map(({ key }) => key),
    );
    const held = heldIds(keyed.map(({ line, key }) => ({ line, known: known.get(key.toString("hex")) ?? [] })));
    [same, other, part] = [same + held.same, other + held.other, []];
  };
  for await (const line of lines) {
    if (line.bankId) part.push(line);
    if (part.length === SOUGHT_TOGETHER) await look();
  }
  if (part.length > 0) await look();
  return { tx, run, trustsIds: other <= same, seen: new Map(), duplicates: 0, place: 0 };
}

/** The next lines of a statement as items: lines that were imported earlier as duplicates, the others unmatched. */
export async function recognised(state: Recognition, lines: readonly Line[]): Promise<NewItem[]> {
  const { tx, run, trustsIds } = state;
  const keyed = lines.map((line) => {
    const bankKey = trustsIds && line.bankId ? bankLineKey(run.account, line.bankId) : null;
    return { line, key: lineKey(run.account, line), bankKey };
  });
  const [texts, ids] = await Promise.all([
    importedBefore(
      tx,
      run.id,
      keyed.map(({ key }) => key),
    ),
    importedIds(
      tx,
      run.id,
      keyed.flatMap(({ bankKey }) => bankKey ?? []),
    ),
  ]);
  return keyed.map(({ line, key, bankKey }): NewItem => {
    const text = key.toString("hex");
    const known = bankKey === null ? [] : (ids.get(bankKey.toString("hex")) ?? []);
    const trusted = bankKey !== null && (known.length === 0 || heldIds([{ line, known }]).same > 0);
    const seen = countSeen(state, text, { fresh: trusted && known.length === 0 });
    const before = { known, texts: texts.get(text) ?? { count: 0, without: 0 }, seen };
    const duplicate = isImported({ date: line.date, amount: line.amount, trusted }, before);
    if (duplicate && line.charge !== true) state.duplicates++;
    return itemOf(state, line, { key, bankKey: trusted ? bankKey : null, occurrence: seen.all, duplicate });
  });
}

function countSeen({ seen }: Recognition, text: string, { fresh }: { readonly fresh: boolean }) {
  const counted = seen.get(text) ?? { all: 0, fresh: 0 };
  counted.all++;
  if (fresh) counted.fresh++;
  seen.set(text, counted);
  return counted;
}

function itemOf(
  state: Recognition,
  { date, description, amount, reference }: KnownLine & Line,
  found: Pick<NewItem, "key" | "bankKey" | "occurrence"> & { readonly duplicate: boolean },
): NewItem {
  const { duplicate, ...keys } = found;
  return {
    id: newId("rci"),
    runId: state.run.id,
    place: state.place++,
    date,
    description,
    amount,
    reference,
    status: duplicate ? "duplicate" : "unmatched",
    ...keys,
    transactionReference: null,
    matchId: null,
    reason: null,
    matchedBy: null,
    matchedAt: null,
    ignoredBecause: null,
  };
}
