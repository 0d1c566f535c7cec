import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { messageOf } from "../../api/failure.ts";
import { showDone } from "../../components/notice.tsx";
import { formatMoney } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";
import type { Body } from "./parts.ts";

export type Line = Shape<"ReconciliationToMatch">;

/** What a match of a line changes elsewhere. */
export const TOUCHES = ["/reconciliation", "/invoices", "/transactions", "/customers"];
const FOLLOWING = ["/overview", "/timeline", "/record-names", "/related-records"];

/** A line with what it is matched with, in words and in the API's form. */
interface Match {
  readonly line: Line;
  readonly title: string;
  readonly allocations: readonly Body[];
}

/** Lines that are matched here one after the other: they leave the list at once, and come back when the match is refused or undone. */
export interface Matching {
  /** Lines that are matched, or are being matched. */
  readonly gone: ReadonlySet<string>;
  /** Why lines were not matched, by their ids. */
  readonly refused: ReadonlyMap<string, string>;
  /** The last matches, which can be undone; none when there is nothing to undo. */
  readonly last: readonly Match[];
  match(matches: readonly Match[]): void;
  undo(): void;
}

const sent = ({ line, allocations }: Match) =>
  got(
    api.POST("/reconciliation/items/{id}/match", {
      params: { path: { id: line.id }, header: { "Idempotency-Key": crypto.randomUUID() } },
      body: { allocations: [...allocations] },
    }),
  );

const undone = ({ line }: Match) =>
  got(api.POST("/reconciliation/items/{id}/unmatch", { params: { path: { id: line.id } } }));

const saidOf = ([first, ...others]: readonly Match[]): string =>
  first && others.length === 0
    ? `${formatMoney(first.line.amount, first.line.currency)} matched to ${first.title}`
    : `${counted(others.length + 1, "line")} matched`;

/** Matches lines without waiting for the answers, of which refusals are shown. */
export function useMatching(): Matching {
  const cache = useQueryClient();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [last, setLast] = useState<readonly Match[]>([]);
  const readAgain = () =>
    Promise.all([...TOUCHES, ...FOLLOWING].map((path) => cache.invalidateQueries({ queryKey: [path] })));
  const comeBack = (ids: readonly string[]) => setGone((now) => new Set([...now].filter((id) => !ids.includes(id))));
  const match = async (matches: readonly Match[]) => {
    const ids = matches.map(({ line }) => line.id);
    setGone((now) => new Set([...now, ...ids]));
    setRefused((now) => new Map([...now].filter(([id]) => !ids.includes(id))));
    const done: Match[] = [];
    // One after the other: two lines may name the same invoice, and then the second is refused.
    for (const one of matches) {
      try {
        await sent(one);
        done.push(one);
      } catch (error) {
        setRefused((now) => new Map([...now, [one.line.id, messageOf(error)]]));
        comeBack([one.line.id]);
      }
    }
    if (done.length > 0) {
      setLast(done);
      showDone(saidOf(done), () => void undo(done));
    }
    await readAgain();
  };
  const undo = async (matches: readonly Match[]) => {
    setLast([]);
    for (const one of matches.toReversed()) {
      try {
        await undone(one);
        comeBack([one.line.id]);
      } catch (error) {
        showDone(`Not undone: ${messageOf(error)}`);
      }
    }
    await readAgain();
  };
  return {
    gone,
    refused,
    last,
    match: (matches) => void match(matches),
    undo: () => void undo(last),
  };
}
