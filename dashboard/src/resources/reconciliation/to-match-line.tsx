import { Alert, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useRef, useState } from "react";
import { SubmitButton, WhileAllowed } from "../../components/allowed.tsx";
import { TextLink } from "../../components/link.tsx";
import { Key, useShortcuts } from "../../components/shortcuts.tsx";
import { Money, Time, Words } from "../../components/values.tsx";
import { formatMoney, sumOf } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { IgnoreLine } from "./ignore.tsx";
import { MatchLine } from "./match.tsx";
import type { Line, Matching } from "./matching.ts";
import { allocationsOf, type Candidate, leftOf, type Part, partOf, partsOf } from "./parts.ts";

/** The parts of a candidate, and the rest of the line as credit of its customer where that is what was overpaid. */
function withCredit(line: Line, candidate: Candidate): readonly Part[] {
  const parts = partsOf(candidate);
  const left = leftOf(line.amount, parts);
  const { customerId } = candidate;
  return left > 0 && customerId !== null
    ? [...parts, partOf("Credit of the customer", { kind: "customer_credit", customerId }, left)]
    : parts;
}

/** What can be done with the chosen line, by button and key. */
function useLineActions(line: Line, matching: Matching, may: boolean) {
  const [place, choose] = useState(0);
  const [parts, setParts] = useState<readonly Part[] | null>(null);
  const [adding, setAdding] = useState("");
  const ignore = useRef<HTMLDivElement>(null);
  const chosen = line.suggestions[place];
  const accept = () => {
    if (!chosen || chosen.allocations.length === 0) return;
    if (leftOf(line.amount, partsOf(chosen)) === 0)
      matching.match([{ line, title: chosen.title, allocations: allocationsOf(chosen) }]);
    else {
      setParts(withCredit(line, chosen));
      setAdding("");
    }
  };
  /** Opens the parts of the line, with the fields of one kind; closes them when they are open. */
  const open = (kind: string) => {
    setParts(parts === null || kind !== adding ? [] : null);
    setAdding(kind);
  };
  const plain = (title: string, kind: "bank_fee" | "own_transfer") => () =>
    matching.match([{ line, title, allocations: [{ kind }] }]);
  const others = [
    ...(line.amount < 0 ? [{ keys: ["b"], label: "Bank fee", run: plain("bank fee", "bank_fee") }] : []),
    { keys: ["t"], label: "Transfer", run: plain("transfer", "own_transfer") },
    ...(line.amount > 0 ? [{ keys: ["s"], label: "Sale", run: () => open("sale") }] : []),
    { keys: ["f"], label: "Find or split", run: () => open("") },
  ];
  const suggested = line.suggestions.map((_one, index) => ({
    keys: [String(index + 1)],
    label: `Suggestion ${index + 1}`,
    run: () => choose(index),
  }));
  const accepting = chosen ? [{ keys: ["Enter"], label: "OK and next", run: accept }] : [];
  const ignoring = { keys: ["i"], label: "Ignore", run: () => ignore.current?.querySelector("button")?.click() };
  useShortcuts("This line", may ? [...suggested, ...accepting, ...others, ignoring] : []);
  return { place, choose, parts, adding, accept, others, ignore };
}

/** What the chosen line may be: the suggestions, each by its number, and what else it can be matched to. */
export function LinePanel(props: { readonly line: Line; readonly matching: Matching; readonly may: boolean }) {
  const { line, matching, may } = props;
  const { place, choose, parts, adding, accept, others, ignore } = useLineActions(line, matching, may);
  const refused = matching.refused.get(line.id);
  return (
    <Paper withBorder p="lg" component="section" aria-label="The chosen line">
      <Stack gap="md">
        <LineHead line={line} />
        {refused && (
          <Alert color="red" role="alert" title="Not matched">
            {refused}
          </Alert>
        )}
        {line.suggestions.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing fits by itself. Find the customer or the invoice, or say what the line is.
          </Text>
        )}
        <ol className="tefo-suggestions" aria-label="Suggestions">
          {line.suggestions.map((candidate, index) => (
            <Suggestion
              // A line has each candidate once; their titles may be the same.
              key={JSON.stringify(candidate)}
              candidate={candidate}
              line={line}
              number={index + 1}
              chosen={index === place}
              choose={() => choose(index)}
              accept={may && candidate.allocations.length > 0 ? accept : null}
            />
          ))}
        </ol>
        <WhileAllowed to="reconciliation:write">
          <Group gap="sm">
            {others.map(({ keys: [key = ""], label, run }) => (
              <Button key={label} variant="default" onClick={run} rightSection={<Key of={key} />}>
                {label}
              </Button>
            ))}
            <div ref={ignore}>
              <IgnoreLine line={line} button={{ rightSection: <Key of="i" /> }} />
            </div>
          </Group>
          {parts && (
            <MatchLine
              key={`${adding} ${JSON.stringify(parts)}`}
              line={line}
              start={parts}
              adding={adding}
              matched={matching.match}
            />
          )}
        </WhileAllowed>
      </Stack>
    </Paper>
  );
}

const LineHead = ({ line }: { readonly line: Line }) => (
  <Group className="tefo-match-head" justify="space-between" align="flex-start" wrap="nowrap">
    <div>
      <Text size="sm" c="dimmed">
        Money {line.amount < 0 ? "out" : "in"}, <Time at={line.date} />, {line.account}
      </Text>
      <Title order={2} size="h4">
        <TextLink to={pathTo("reconciliation/items", line.id)} inherit>
          <Words of={line.description || "(empty)"} />
        </TextLink>
      </Title>
      {line.reference && (
        <Text size="sm">
          Reference <Words of={line.reference} />
        </Text>
      )}
    </div>
    <Text className="tefo-figure">
      <Money amount={line.amount} currency={line.currency} />
    </Text>
  </Group>
);

function Suggestion(props: {
  readonly candidate: Candidate;
  readonly line: Line;
  readonly number: number;
  readonly chosen: boolean;
  choose(): void;
  /** Null: it cannot be accepted. */
  readonly accept: (() => void) | null;
}) {
  const { candidate, line, number, chosen, accept } = props;
  const left = leftOf(line.amount, partsOf(candidate));
  const used = formatMoney(sumOf([line.amount, -left]), line.currency);
  return (
    <li data-chosen={chosen}>
      <button type="button" aria-pressed={chosen} onClick={props.choose}>
        <Key of={String(number)} />
        <span>
          <strong>
            <Words of={candidate.title} />
          </strong>
          <span className="tefo-quiet">
            <Words of={candidate.reason} />
            {candidate.date && (
              <>
                {" "}
                · <Time at={candidate.date} day />
              </>
            )}
          </span>
        </span>
        <span className="tefo-suggestion-sum">
          <Money amount={candidate.amount} currency={line.currency} />
          {candidate.exact && (
            <span className="tefo-status" data-tone="good">
              Exact
            </span>
          )}
          {left !== 0 && candidate.allocations.length > 0 && (
            <span className="tefo-quiet">{formatMoney(left, line.currency)} left over</span>
          )}
        </span>
      </button>
      {chosen && candidate.eftOrderId && (
        <TextLink to={pathTo("eft-orders", candidate.eftOrderId)}>
          View the bank transfer, and approve it first
        </TextLink>
      )}
      {chosen && accept && (
        <SubmitButton busy={false} onClick={accept} rightSection={<Key of="Enter" />}>
          {left === 0 ? `OK, match ${used}` : `Use ${used} of the line, and say what the rest is`}
        </SubmitButton>
      )}
    </li>
  );
}
