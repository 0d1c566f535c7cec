import { ActionIcon, CopyButton, Text, Tooltip } from "@mantine/core";
import { isId, useRecordName } from "../api/names.ts";
import { formatMoney } from "../lib/money.ts";
import { pathOfId } from "../lib/paths.ts";
import { formatDay, formatTime, formatUtc, isDate } from "../lib/time.ts";
import { words } from "../lib/words.ts";
import { Icon } from "./icon.tsx";
import { TextLink } from "./link.tsx";

/** The text for an empty value. */
const NONE = "–";

/** An amount of the API, in whole currency units, with figures of one width. */
export const Money = ({
  amount,
  currency,
}: {
  readonly amount: number | null | undefined;
  readonly currency: string;
}) => (
  <span className="tefo-figures">{amount === null || amount === undefined ? NONE : formatMoney(amount, currency)}</span>
);

/**
 * A date, or a timestamp in South African time; UTC is in the markup, and is shown under the pointer and on keyboard
 * focus. `day` leaves out the time of day.
 */
export function Time({ at, day = false }: { readonly at: string | null | undefined; readonly day?: boolean }) {
  if (!at) return <span>{NONE}</span>;
  if (isDate(at)) return <time dateTime={at}>{formatDay(at)}</time>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what the pointer shows
    <time dateTime={at} title={formatUtc(at)} tabIndex={0}>
      {day ? formatDay(at) : formatTime(at)}
    </time>
  );
}

const TONES: Readonly<Record<string, "good" | "wait" | "act" | "bad">> = {
  active: "good",
  paid: "good",
  complete: "good",
  accepted: "good",
  approved: "good",
  delivered: "good",
  processed: "good",
  good: "good",
  enabled: "good",
  verified: "good",
  completed: "good",
  applied: "good",
  invoiced: "good",
  matched: "good",
  up: "good",
  works: "good",
  won: "good",
  collected: "good",
  submitted: "wait",
  sent: "wait",
  pending: "wait",
  unmatched: "act",
  at_risk: "act",
  included: "wait",
  proposed: "act",
  running: "wait",
  partially_paid: "wait",
  partially_refunded: "good",
  partially_applied: "wait",
  trial: "wait",
  trialing: "wait",
  issued: "wait",
  owing: "wait",
  invited: "wait",
  awaiting_payment: "wait",
  awaiting_review: "act",
  awaiting_signature: "wait",
  awaiting_approval: "act",
  open: "wait",
  submitting: "wait",
  queued: "wait",
  sending: "wait",
  under_review: "wait",
  not_received: "act",
  overdue: "bad",
  past_due: "bad",
  failed: "bad",
  unpaid: "bad",
  disputed: "bad",
  reversed: "bad",
  needs_response: "act",
  suspended: "bad",
  parked: "bad",
  refused: "bad",
  failing: "act",
  down: "bad",
  recorded: "act",
};

/** Statuses that people call otherwise than the API. */
const SAID: Readonly<Record<string, string>> = {
  parked: "Failed",
  recorded: "Not sent: email is off",
  conceded: "Accepted by you",
  complete: "Paid",
  partially_paid: "Part paid",
  partially_refunded: "Part refunded",
};

/** The label of a status. */
export const statusWords = (of: string): string => SAID[of] ?? words(of);

/** A status in the API's words; its colour repeats the meaning of the word. */
export const Status = ({ of }: { readonly of: string }) => (
  <span className="tefo-status" data-tone={TONES[of] ?? "off"}>
    {statusWords(of)}
  </span>
);

/** An id or reference with a button that copies it. */
export const CopyId = ({ id, label = "Copy" }: { readonly id: string; readonly label?: string }) => (
  <span className="tefo-id" data-long={id.length > 40}>
    <code>{id}</code>
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? "Copied" : `${label} ${id}`}
          >
            <Icon name={copied ? "check" : "copy"} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </span>
);

/** Text of a merchant or payer, in its own direction; a dash for an empty one. */
export const Words = ({ of }: { readonly of: string | null | undefined }) => (
  <Text span inherit dir="auto" className="tefo-words">
    {of ? of : NONE}
  </Text>
);

/** The name of a record as text: `known` when it is given, else read. */
export const RecordName = ({ id, known }: { readonly id: string; readonly known?: string | null }) =>
  known ? <Words of={known} /> : <ReadName id={id} />;

function ReadName({ id }: { readonly id: string }) {
  const { data, isLoading } = useRecordName(id);
  return isLoading ? <span aria-busy="true">…</span> : <Words of={data?.name ?? id} />;
}

/** A record by its name, as a link to its page. The name is read, unless it is given; a record without one is shown by its id. */
export function IdLink({
  id,
  children,
}: {
  readonly id: string | null | undefined;
  readonly children?: string | undefined;
}) {
  if (!id) return <span>{NONE}</span>;
  // A related record of two records has both ids; the first is its own.
  const [own = id] = id.split(":");
  if (children === undefined && isId(own)) return <NamedLink id={own} />;
  return <Linked to={pathOfId(id)} text={children ?? id} />;
}

function NamedLink({ id }: { readonly id: string }) {
  const { data, isLoading } = useRecordName(id);
  if (isLoading) return <span aria-busy="true">…</span>;
  return <Linked to={data?.path ?? pathOfId(id)} text={data?.name ?? id} />;
}

const Linked = ({ to, text }: { readonly to: string | null; readonly text: string }) =>
  to === null ? (
    <code>{text}</code>
  ) : (
    <TextLink to={to}>
      <Words of={text} />
    </TextLink>
  );
