import { Button, Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { type Item, useList } from "../../api/lists.ts";
import { useMay } from "../../api/session.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { Pages } from "../../components/resource-list.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Words } from "../../components/values.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { reasonOf } from "../../lib/unpaid.ts";
import { counted } from "../../lib/words.ts";
import { TOUCHES } from "./actions.tsx";

type Batch = Shape<"DebitBatch">;
type Debit = Item<"/debit-batches/{id}/debits">;

const PAGE = 20;

/** The debits of a batch, of which some can be held back until it is submitted. */
export function Debits({ batch }: { readonly batch: Batch }) {
  const { id, heldBack } = batch;
  const may = useMay();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [held, setHeld] = useState<"true" | undefined>();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const list = useList(`/debit-batches/${id}/debits` as "/debit-batches/{id}/debits", {
    limit: String(PAGE),
    startingAfter: cursors.at(-1),
    held,
  });
  const items = list.data?.data ?? [];
  const next = list.data?.hasMore ? (list.data.nextCursor ?? null) : null;
  const show = (after: readonly string[]) => {
    setCursors(after);
    setChosen([]);
  };
  const selects = batch.status === "open" && may("mandates:write");
  const selected = items.filter(({ reference }) => chosen.includes(reference));
  const filter = (value: "true" | undefined) => {
    setHeld(value);
    show([]);
  };
  return (
    <Section
      title="Debits"
      actions={
        <Group gap="xs">
          {selects && (
            <HoldBack batch={batch} debits={selected.filter((one) => !one.heldBack)} done={() => show(cursors)} />
          )}
          {selects && (
            <Release batch={batch} debits={selected.filter((one) => one.heldBack)} done={() => show(cursors)} />
          )}
        </Group>
      }
    >
      {heldBack.count > 0 && <HeldFilter batch={batch} held={held} choose={filter} />}
      <Rows
        label="Debits"
        items={items}
        keyOf={({ reference }) => reference}
        none={list.isPending ? "Loading …" : held ? "No debit is held back" : "No debits in this batch"}
        columns={[
          ...(selects ? [selection(chosen, setChosen)] : []),
          ...COLUMNS,
          { label: "Status", cell: (debit) => <InBatch debit={debit} open={batch.status === "open"} /> },
          { label: "Reason", cell: (debit) => <Why debit={debit} /> },
          {
            label: "Amount",
            figures: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
        ]}
      />
      <Pages
        address={{
          later: cursors.length > 0,
          previous: () => show(cursors.slice(0, -1)),
          next: (cursor) => show([...cursors, cursor]),
        }}
        count={items.length}
        next={next}
      />
    </Section>
  );
}

interface HeldFilterProps {
  readonly batch: Batch;
  readonly held: "true" | undefined;
  choose(held: "true" | undefined): void;
}

/** The buttons for all debits, and for those that are held back. */
const HeldFilter = ({ batch: { count, heldBack }, held, choose }: HeldFilterProps) => (
  <Group gap="xs" mb="md">
    <Button size="xs" variant={held ? "default" : "light"} aria-pressed={!held} onClick={() => choose(undefined)}>
      All {count + heldBack.count}
    </Button>
    <Button size="xs" variant={held ? "light" : "default"} aria-pressed={!!held} onClick={() => choose("true")}>
      Held back {heldBack.count}
    </Button>
  </Group>
);

/** The column by which rows are chosen. */
const selection = (chosen: readonly string[], choose: (references: readonly string[]) => void) => ({
  label: "Select",
  cell: ({ reference, customerName }: Debit) => (
    <Checkbox
      aria-label={`Select ${customerName}, ${reference}`}
      checked={chosen.includes(reference)}
      onChange={({ currentTarget: { checked } }) =>
        choose(checked ? [...chosen, reference] : chosen.filter((one) => one !== reference))
      }
    />
  ),
});

const COLUMNS = [
  {
    label: "Customer",
    cell: ({ customerId, customerName }: Debit) => <IdLink id={customerId}>{customerName}</IdLink>,
  },
  { label: "Mandate", cell: ({ mandateId }: Debit) => <IdLink id={mandateId} /> },
  { label: "Payment", cell: ({ reference }: Debit) => <IdLink id={reference} /> },
  {
    label: "Last result",
    cell: ({ lastResult }: Debit) => (lastResult === null ? "First debit" : <Status of={lastResult} />),
  },
  { label: "Unpaid in a row", figures: true, cell: ({ unpaidInARow }: Debit) => unpaidInARow },
];

/** How a debit stands in its batch: before the batch is submitted, whether it goes with it. */
const InBatch = ({ debit, open }: { readonly debit: Debit; readonly open: boolean }) => {
  if (debit.heldBack) return <Status of="held_back" />;
  if (!open) return <Status of={debit.status} />;
  return <Status of={debit.unpaidInARow > 0 ? "at_risk" : "included"} />;
};

/** Who held a debit back and why, or the bank's reason, or the earlier debit for which it makes up. */
const Why = ({ debit }: { readonly debit: Debit }) => {
  const { heldBack, heldFrom } = debit;
  if (heldBack)
    return <Words of={[heldBack.reason, heldBack.by && `(${heldBack.by})`].filter((one) => one).join(" ")} />;
  if (heldFrom && !debit.unpaidReason)
    return (
      <>
        Held back before: <IdLink id={heldFrom} />
      </>
    );
  return <Words of={reasonOf(debit)} />;
};

interface Chosen {
  readonly batch: Batch;
  readonly debits: readonly Debit[];
  done(): void;
}

const total = (debits: readonly Debit[], currency: string) =>
  `${counted(debits.length, "debit")}, ${formatMoney(
    debits.reduce((all, { amount }) => all + amount, 0),
    currency,
  )}`;

/** The days on which debits that are held back are collected. */
const nextDays = (debits: readonly Debit[]): string => {
  const days = [...new Set(debits.flatMap(({ nextDebitDate }) => nextDebitDate ?? []))].toSorted();
  const [first, ...others] = days;
  if (!first) return "the mandate's next debit day";
  return others.length === 0 ? formatDay(first) : `the next debit day of each, from ${formatDay(first)} on`;
};

const HoldBack = ({ batch: { id, currency }, debits, done }: Chosen) =>
  debits.length > 0 && (
    <MoneyAction
      label={`Hold back ${debits.length}`}
      title={
        debits.length === 1 ? `Hold back the debit of ${debits[0]?.customerName}` : `Hold back ${debits.length} debits`
      }
      permission="mandates:write"
      initial={{ reason: "" }}
      reason="required"
      what={() =>
        `${total(debits, currency)}: not sent to the bank with this batch. Collected on ${nextDays(debits)}, beside what is due then. Until the batch is submitted you can release ${debits.length === 1 ? "it" : "them"} again.`
      }
      send={({ reason }) => {
        const body = { references: debits.map(({ reference }) => reference), reason: reason.trim() };
        return got(api.POST("/debit-batches/{id}/hold-back", { params: { path: { id } }, body }));
      }}
      touches={TOUCHES}
      said={() => {
        done();
        return `Held back: ${total(debits, currency)}`;
      }}
      button={{ variant: "default", size: "xs" }}
    />
  );

const Release = ({ batch: { id, currency }, debits, done }: Chosen) =>
  debits.length > 0 && (
    <MoneyAction
      label={`Release ${debits.length}`}
      title={
        debits.length === 1 ? `Release the debit of ${debits[0]?.customerName}` : `Release ${debits.length} debits`
      }
      permission="mandates:write"
      initial={{}}
      what={() => `${total(debits, currency)}: sent to the bank with this batch again.`}
      send={() => {
        const body = { references: debits.map(({ reference }) => reference) };
        return got(api.POST("/debit-batches/{id}/release", { params: { path: { id } }, body }));
      }}
      touches={TOUCHES}
      said={() => {
        done();
        return `Released: ${total(debits, currency)}`;
      }}
      button={{ variant: "default", size: "xs" }}
    />
  );
