import { Alert, Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { api, got } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useChange } from "../../api/records.ts";
import { SubmitButton } from "../../components/allowed.tsx";
import { CustomerInput } from "../../components/customer-input.tsx";
import { FormError } from "../../components/form.tsx";
import { TextLink } from "../../components/link.tsx";
import { showDone } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Money, Time, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { TOUCHES } from "./matching.ts";
import { type Body, bodiesOf, isTaken, type Line, leftOf, type Part, partOf, partsOf } from "./parts.ts";
import { Sale } from "./sale.tsx";

/**
 * Matches an unmatched line: candidates and other parts are added to `start` until nothing of the line is left. With
 * `matched` the caller matches it.
 */
export function MatchLine<L extends Line>({
  line,
  start = [],
  adding = "",
  matched,
}: {
  readonly line: L;
  readonly start?: readonly Part[];
  /** The kind of part whose fields are open at first. */
  readonly adding?: string;
  matched?(
    matches: readonly { readonly line: L; readonly title: string; readonly allocations: readonly Body[] }[],
  ): void;
}) {
  const [parts, setParts] = useState<readonly Part[]>(start);
  const left = leftOf(line.amount, parts);
  const match = useChange(
    (chosen: readonly Part[], keyFor) => {
      const body = { allocations: bodiesOf(chosen) };
      const header = { "Idempotency-Key": keyFor(body) };
      return got(
        api.POST("/reconciliation/items/{id}/match", { params: { path: { id: line.id } }, headers: header, body }),
      );
    },
    TOUCHES,
    () => showDone("Line matched"),
  );
  return (
    <>
      <Candidates line={line} parts={parts} take={(taken) => setParts([...parts, ...taken])} />
      <Section title="Match to">
        <Stack gap="md">
          <FormError error={match.error} title="The line was not matched" />
          {parts.map((part) => (
            <PartRow
              key={part.key}
              part={part}
              currency={line.currency}
              change={(amount) => setParts(parts.map((one) => (one.key === part.key ? { ...one, amount } : one)))}
              remove={() => setParts(parts.filter(({ key }) => key !== part.key))}
            />
          ))}
          <Others line={line} left={left} adding={adding} add={(part) => setParts([...parts, part])} />
          <Group justify="space-between">
            <Text aria-live="polite" fw={600}>
              {left === 0 ? "Fully matched" : `${formatMoney(left, line.currency)} of the line is left.`}
            </Text>
            <SubmitButton
              disabled={parts.length === 0 || left !== 0}
              busy={match.isPending}
              onClick={() => {
                if (matched)
                  matched([{ line, title: parts.map(({ title }) => title).join(", "), allocations: bodiesOf(parts) }]);
                else if (!match.isPending) match.mutate(parts);
              }}
            >
              Match
            </SubmitButton>
          </Group>
        </Stack>
      </Section>
    </>
  );
}

function Candidates(props: {
  readonly line: Line;
  readonly parts: readonly Part[];
  take(parts: readonly Part[]): void;
}) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 300);
  const path = `/reconciliation/items/${props.line.id}/candidates` as "/reconciliation/items/{id}/candidates";
  const found = useList(path, { q });
  return (
    <Section title="Suggestions">
      <Stack gap="md">
        <TextInput
          label="Search a customer or an invoice"
          description="How a name, a reference or an email address begins, or the number of an invoice."
          type="search"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Rows
          label="Suggestions"
          items={found.data?.data ?? []}
          keyOf={({ title }, index) => `${title} ${index}`}
          none={
            found.isPending
              ? "Searching …"
              : "Nothing fits by itself. Search the customer, or say below what the line is."
          }
          columns={[
            { label: "Record", cell: ({ title }) => <Words of={title} /> },
            { label: "Reason", cell: ({ reason }) => <Words of={reason} /> },
            { label: "Date", cell: ({ date }) => <Time at={date} day /> },
            {
              label: "Open",
              figures: true,
              cell: ({ amount }) => <Money amount={amount} currency={props.line.currency} />,
            },
            {
              label: "Actions",
              cell: (candidate) =>
                candidate.eftOrderId ? (
                  <TextLink to={pathTo("eft-orders", candidate.eftOrderId)}>View</TextLink>
                ) : (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Take ${candidate.title}`}
                    disabled={isTaken(candidate, props.parts)}
                    onClick={() => props.take(partsOf(candidate))}
                  >
                    Take
                  </Button>
                ),
            },
          ]}
        />
      </Stack>
    </Section>
  );
}

function PartRow(props: {
  readonly part: Part;
  readonly currency: string;
  change(amount: number | string): void;
  remove(): void;
}) {
  const { part, currency } = props;
  return (
    <Group align="flex-end" gap="sm" wrap="wrap">
      <NumberInput
        label={part.title}
        value={part.amount}
        onChange={props.change}
        decimalScale={2}
        thousandSeparator=" "
        allowedDecimalSeparators={[".", ","]}
        prefix={currency === "ZAR" ? "R " : `${currency} `}
        hideControls
        inputMode="decimal"
        style={{ flex: "1 1 16rem" }}
      />
      {part.open !== null && part.open !== Number(part.amount) && (
        <Button variant="default" onClick={() => part.open !== null && props.change(part.open)}>
          All {formatMoney(part.open, currency)}
        </Button>
      )}
      <Button variant="default" onClick={props.remove} aria-label={`Remove ${part.title}`}>
        Remove
      </Button>
    </Group>
  );
}

const OTHERS = [
  { value: "", label: "Something else …" },
  { value: "bank_fee", label: "Bank fee" },
  { value: "own_transfer", label: "Transfer" },
  { value: "sale", label: "Sale without an invoice" },
  { value: "customer_credit", label: "Customer credit" },
  { value: "payout", label: "Gateway payout" },
];

/** Of money that came in. */
const RECEIVED = ["sale", "customer_credit"];

/** Parts that are no candidates: a fee, an own transfer, a sale, an overpayment, a payout. Its amount begins with the rest of the line. */
function Others(props: { readonly line: Line; readonly left: number; readonly adding: string; add(part: Part): void }) {
  const { line, left, add } = props;
  const [kind, setKind] = useState(props.adding);
  const gateways = useList("/gateways", {}, kind === "payout");
  const choose = (part: Part) => {
    setKind("");
    add(part);
  };
  const pick = (value: string) => {
    if (value === "bank_fee") choose(partOf("Bank fee", { kind: value }, left));
    else if (value === "own_transfer") choose(partOf("Transfer", { kind: value }, left));
    else setKind(value);
  };
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Add"
        data={OTHERS.filter(({ value }) => line.amount > 0 || !RECEIVED.includes(value))}
        value={kind}
        onChange={(event) => pick(event.currentTarget.value)}
      />
      {kind === "sale" && <Sale line={line} left={left} add={choose} />}
      {kind === "customer_credit" && (
        <CustomerInput
          label="Whose credit it is"
          value=""
          onChange={(customerId) =>
            customerId && choose(partOf("Credit of the customer", { kind: "customer_credit", customerId }, left))
          }
        />
      )}
      {kind === "payout" && (
        <NativeSelect
          label="Gateway"
          data={[
            { value: "", label: "Choose …" },
            ...(gateways.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value=""
          onChange={(event) => {
            const gatewayId = event.currentTarget.value;
            if (gatewayId) choose(partOf("Gateway payout", { kind: "payout", gatewayId }, left));
          }}
        />
      )}
      {left !== 0 && left !== line.amount && (
        <Alert color="gray">
          What the bank kept of a payment is a fee below zero, what was overpaid is credit of the customer.
        </Alert>
      )}
    </Stack>
  );
}
