import { ActionIcon, CopyButton, Text, Tooltip } from "@mantine/core";
import { formatMoney } from "../lib/money.ts";
import { pathOfId } from "../lib/paths.ts";
import { formatDay, formatTime, formatUtc, isDate } from "../lib/time.ts";
import { words } from "../lib/words.ts";
import { Icon } from "./icon.tsx";
import { TextLink } from "./link.tsx";

/** What is shown in place of nothing. */
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

/** A date, or a timestamp in South African time; UTC stands in its tooltip and in the markup. `day` leaves out the time of day. */
export function Time({ at, day = false }: { readonly at: string | null | undefined; readonly day?: boolean }) {
  if (!at) return <span>{NONE}</span>;
  if (isDate(at)) return <time dateTime={at}>{formatDay(at)}</time>;
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {day ? formatDay(at) : formatTime(at)}
    </time>
  );
}

const TONES: Readonly<Record<string, "good" | "wait" | "bad" | "over">> = {
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
  submitted: "wait",
  sent: "wait",
  pending: "wait",
  unmatched: "wait",
  proposed: "wait",
  running: "wait",
  partially_paid: "wait",
  partially_refunded: "wait",
  partially_applied: "wait",
  trial: "wait",
  trialing: "wait",
  issued: "wait",
  owing: "wait",
  paused: "wait",
  invited: "wait",
  awaiting_payment: "wait",
  awaiting_review: "wait",
  awaiting_signature: "wait",
  awaiting_approval: "wait",
  open: "wait",
  submitting: "wait",
  queued: "wait",
  sending: "wait",
  not_received: "bad",
  overdue: "bad",
  past_due: "bad",
  failed: "bad",
  rejected: "bad",
  suspended: "bad",
  parked: "bad",
  declined: "bad",
  refused: "bad",
  failing: "bad",
  down: "bad",
};

/** Statuses whose name in the API says too little. */
const SAID: Readonly<Record<string, string>> = { parked: "Given up", recorded: "Kept, not sent" };

/** What a status is called. */
export const statusWords = (of: string): string => SAID[of] ?? words(of);

/** A status in the API's words; its colour repeats what the word says. */
export const Status = ({ of }: { readonly of: string }) => (
  <span className="tefo-status" data-tone={TONES[of] ?? "over"}>
    {statusWords(of)}
  </span>
);

/** An id or reference with a button that copies it. */
export const CopyId = ({ id, label = "Copy" }: { readonly id: string; readonly label?: string }) => (
  <span className="tefo-id">
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

/** Text of a merchant or payer, in its own direction; a dash for none. */
export const Words = ({ of }: { readonly of: string | null | undefined }) => (
  <Text span inherit dir="auto" className="tefo-words">
    {of ? of : NONE}
  </Text>
);

/** An id as a link to its page, where its kind has one. */
export function IdLink({
  id,
  children,
}: {
  readonly id: string | null | undefined;
  readonly children?: string | undefined;
}) {
  if (!id) return <span>{NONE}</span>;
  const path = pathOfId(id);
  return path === null ? <code>{children ?? id}</code> : <TextLink to={path}>{children ?? id}</TextLink>;
}
