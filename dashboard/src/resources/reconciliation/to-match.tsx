import { Button, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useGrowingList, useList } from "../../api/lists.ts";
import { useMay } from "../../api/session.ts";
import { TextLink } from "../../components/link.tsx";
import { Empty, Failure, showDone } from "../../components/notice.tsx";
import { Key, useShortcuts } from "../../components/shortcuts.tsx";
import { useTitle } from "../../components/title.ts";
import { Money, Time, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";
import { ImportButton } from "./import-button.tsx";
import { type Line, type Matching, useMatching } from "./matching.ts";
import { allocationsOf } from "./parts.ts";
import { LinePanel } from "./to-match-line.tsx";

/** Sums of what is left, as `useGrowingList` keeps the rest of each page's answer. */
type Left = readonly {
  readonly currency: string;
  readonly lines: number;
  readonly received: number;
  readonly paid: number;
}[];

/** The lines that are left to match, with what each may be: accepted by one key, one after the other. */
export function Page() {
  useTitle("To match");
  const list = useGrowingList("/reconciliation/to-match", { limit: "50" });
  const matching = useMatching();
  const lines = list.items.filter(({ id }) => !matching.gone.has(id));
  const may = useMay()("reconciliation:write");
  const exact = exactOf(lines).length;
  const offersExact = may && (exact > 0 || list.hasNextPage);
  const [reading, setReading] = useState(false);
  const matchExact = async () => {
    setReading(true);
    const all = await list.readAll();
    setReading(false);
    const found = exactOf(all.filter(({ id }) => !matching.gone.has(id)));
    if (found.length > 0) matching.match(found);
    else showDone("No line has an exact match");
  };
  const left = (list.data?.pages[0] as { readonly left?: Left } | undefined)?.left ?? [];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="center">
        <Title order={1} size="h2">
          To match
        </Title>
        <Group gap="sm">
          <ImportButton />
          {offersExact && (
            <Button
              variant="default"
              loading={reading}
              onClick={() => void matchExact()}
              rightSection={<Key of="Shift A" />}
            >
              {exactWords(exact, list.hasNextPage)}
            </Button>
          )}
        </Group>
      </Group>
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Skeleton height={320} aria-busy="true" aria-label="Loading" />}
      {list.isSuccess && lines.length === 0 && !list.hasNextPage && (
        <Empty
          title="Every line is matched"
          text="Import the next bank statement, and each of its lines is compared with your invoices and payments. What does not match by itself comes here, with what it may be."
        />
      )}
      {lines.length > 0 && <Proposed />}
      {lines.length > 0 && (
        <>
          <LeftWords left={left} />
          <Lines
            lines={lines}
            matching={matching}
            matchExact={offersExact && !reading ? () => void matchExact() : null}
            may={may}
          />
        </>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more lines
        </Button>
      )}
    </Stack>
  );
}

/** The lines whose first suggestion is exact, matched to it. */
const exactOf = (lines: readonly Line[]) =>
  lines.flatMap((line) => {
    const [first] = line.suggestions;
    return first?.exact ? [{ line, title: first.title, allocations: allocationsOf(first) }] : [];
  });

/** With more lines than are shown, how many are exact is known when they are read. */
const exactWords = (count: number, more: boolean): string => {
  if (more) return "Match all exact";
  return count === 1 ? "Match the exact one" : `Match all ${count} exact`;
};

const LeftWords = ({ left }: { readonly left: Left }) =>
  left.map(({ currency, lines, received, paid }) => (
    <Text key={currency} size="sm" c="dimmed">
      {counted(lines, "line")} to match: {formatMoney(received, currency)} in, {formatMoney(paid, currency)} out
    </Text>
  ));

/** That rules wait for a decision, which matches here have proposed. */
function Proposed() {
  const rules = useList("/reconciliation/rules", { status: "proposed", limit: "1" });
  if (!rules.data?.data.length) return null;
  return (
    <Text size="sm">
      Lines like some that you matched can be matched by a rule from now on.{" "}
      <TextLink to="/reconciliation/rules" search={{ status: "proposed" }} underline="always">
        Review the proposed rules
      </TextLink>
    </Text>
  );
}

function Lines(props: {
  readonly lines: readonly Line[];
  readonly matching: Matching;
  matchExact: (() => void) | null;
  readonly may: boolean;
}) {
  const { lines, matching, matchExact, may } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const at = Math.max(
    0,
    lines.findIndex(({ id }) => id === chosen),
  );
  const line = lines[at];
  const box = useRef<HTMLUListElement>(null);
  const moved = useRef(false);
  const choose = (place: number) => {
    const next = lines[place];
    if (!next) return;
    moved.current = true;
    setChosen(next.id);
  };
  // The next line has the focus before the one that has it leaves.
  const match: Matching["match"] = (matches) => {
    choose(at + 1 < lines.length ? at + 1 : at - 1);
    matching.match(matches);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line takes the focus, and nothing else does
  useEffect(() => {
    if (moved.current) box.current?.querySelector<HTMLElement>("[aria-current=true]")?.focus();
    moved.current = false;
  }, [line?.id]);
  useShortcuts("Reconcile", [
    { keys: ["ArrowDown"], label: "Next line", run: () => choose(at + 1) },
    { keys: ["ArrowUp"], label: "Previous line", run: () => choose(at - 1) },
    ...(matchExact ? [{ keys: ["Shift A"], label: "Match all exact", run: matchExact }] : []),
    ...(may && matching.last.length > 0 ? [{ keys: ["u"], label: "Undo the last match", run: matching.undo }] : []),
  ]);
  return (
    <>
      <div className="tefo-match">
        <ul className="tefo-match-lines" aria-label="Lines to match" ref={box} data-shortcuts>
          {lines.map((one) => (
            <LineRow
              key={one.id}
              line={one}
              chosen={one.id === line?.id}
              refused={matching.refused.has(one.id)}
              choose={() => choose(lines.indexOf(one))}
            />
          ))}
        </ul>
        {line && <LinePanel key={line.id} line={line} matching={{ ...matching, match }} may={may} />}
      </div>
      <VisuallyHidden role="status" aria-live="polite">
        {line && `${counted(lines.length, "line")} left. Now: ${line.description || "a line without description"}`}
      </VisuallyHidden>
      {may && <KeyHints />}
    </>
  );
}

const HINTS = [
  [["ArrowUp", "ArrowDown"], "Line"],
  [["1", "9"], "Suggestion"],
  [["Enter"], "OK and next"],
  [["u"], "Undo"],
  [["?"], "All shortcuts"],
] as const;

const KeyHints = () => (
  <Group gap="lg" className="tefo-quiet" visibleFrom="sm">
    {HINTS.map(([keys, label]) => (
      <Group key={label} gap={4}>
        {keys.map((key) => (
          <Key key={key} of={key} />
        ))}
        {label}
      </Group>
    ))}
  </Group>
);

const TONES = { exact: ["good", "Exact"], likely: ["wait", "Likely"], none: ["off", "Not found"] } as const;

/** What is known of a line's match, in a word. */
const tokenOf = ({ suggestions: [first] }: Line) => TONES[first ? (first.exact ? "exact" : "likely") : "none"];

function LineRow(props: { readonly line: Line; readonly chosen: boolean; readonly refused: boolean; choose(): void }) {
  const { line, chosen, refused } = props;
  const [tone, word] = refused ? (["bad", "Not matched"] as const) : tokenOf(line);
  return (
    <li>
      <button type="button" aria-current={chosen} onClick={props.choose}>
        <span className="tefo-match-first">
          <Words of={line.description || "(empty)"} />
          <strong>
            <Money amount={line.amount} currency={line.currency} />
          </strong>
        </span>
        <span className="tefo-match-second">
          <span>
            <Time at={line.date} /> · <Words of={line.suggestions[0]?.title ?? "No suggestion"} />
          </span>
          <span className="tefo-status" data-tone={tone}>
            {word}
          </span>
        </span>
      </button>
    </li>
  );
}
