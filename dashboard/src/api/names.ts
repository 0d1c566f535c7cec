import { useQueries, useQuery } from "@tanstack/react-query";
import { api, got, type Shape } from "./client.ts";

/** The name of a record, and its path. */
export type RecordName = Shape<"RecordNames">["data"][number];

/** The most names that are read at once. */
const IDS_MAX = 100;

type Answer = (name: RecordName | null) => void;
let waiting = new Map<string, { answer: Answer; fail(error: unknown): void }[]>();

/** Whether a text is an id, and not a reference that people use. */
export const isId = (text: string): boolean => /^[a-z]+_[0-9a-z]{26,32}$/.test(text);

/** Reads a name together with all others that are requested at the same moment; null for a record without one. */
function readName(id: string): Promise<RecordName | null> {
  if (waiting.size === 0) setTimeout(readWaiting);
  return new Promise((answer, fail) => {
    waiting.set(id, [...(waiting.get(id) ?? []), { answer, fail }]);
  });
}

async function readWaiting(): Promise<void> {
  const asked = [...waiting];
  waiting = new Map();
  for (let at = 0; at < asked.length; at += IDS_MAX) {
    const some = asked.slice(at, at + IDS_MAX);
    const ids = some.map(([id]) => id).join(",");
    try {
      const { data } = await got(api.GET("/record-names", { params: { query: { ids } } }));
      const names = new Map(data.map((name) => [name.id, name]));
      for (const [id, askers] of some) for (const { answer } of askers) answer(names.get(id) ?? null);
    } catch (error) {
      for (const [, askers] of some) for (const { fail } of askers) fail(error);
    }
  }
}

const asking = (id: string) => ({
  queryKey: ["/record-names", id],
  queryFn: () => readName(id),
  staleTime: 60_000,
  enabled: isId(id),
});

/** The name of the record with this id. All names on a page are read by one request. */
export const useRecordName = (id: string) => useQuery(asking(id));

/** As `useRecordName`, of several: the names that are read so far, by id. */
export const useRecordNames = (ids: readonly string[]): ReadonlyMap<string, string> =>
  useQueries({
    queries: ids.map(asking),
    combine: (read) => new Map(read.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : []))),
  });
