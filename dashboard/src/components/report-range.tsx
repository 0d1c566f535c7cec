import { Group, NativeSelect, SegmentedControl } from "@mantine/core";
import { useActing } from "../api/session.ts";
import { DIVISIONS, divisionOf, PERIODS, type Period, type Span, THIS_MONTH } from "../lib/periods.ts";
import { toDateInput } from "../lib/time.ts";
import { words } from "../lib/words.ts";
import { DayFilter } from "./date-input.tsx";
import { useListAddress } from "./list-address.ts";
import { ReportCurrency } from "./report-currency.tsx";

/** The days of a report, which its address holds (`from`, `to`, `by`): those of `initial` unless others are chosen. */
export function useReportSpan(initial: Period = THIS_MONTH): Span & { readonly today: string } {
  const { from, to, by } = useListAddress().filters;
  const today = toDateInput(useActing().membership.clock.now);
  const span = initial.span(today);
  const [first, last] = [from ?? span.from, to ?? span.to];
  return { from: first, to: last, by: DIVISIONS.find((one) => one === by) ?? divisionOf(first, last), today };
}

/**
 * The choice of a report's days: a period that ends today, or any days; what they are divided by, where they are; and its currency, where
 * there are several.
 */
export function ReportRange({
  periods = PERIODS,
  initial = THIS_MONTH,
  divided = true,
  inCurrency = true,
}: {
  readonly periods?: readonly Period[];
  readonly initial?: Period;
  readonly divided?: boolean;
  /** Whether the report's figures are amounts, of one currency. */
  readonly inCurrency?: boolean;
}) {
  const { filter } = useListAddress();
  const { from, to, by, today } = useReportSpan(initial);
  const shown = periods.find(({ span }) => span(today).from === from && span(today).to === to);
  const show = (label: string) => {
    const span = periods.find((one) => one.label === label)?.span(today);
    if (span) filter({ from: span.from, to: span.to, by: "" });
  };
  const day = (name: "from" | "to", label: string, value: string) => (
    <DayFilter
      label={label}
      value={value}
      onChange={(chosen) => chosen !== "" && filter({ from, to, [name]: chosen })}
    />
  );
  return (
    <Group gap="sm" align="flex-end" className="tefo-controls">
      <SegmentedControl
        size="xs"
        className="tefo-period"
        aria-label="Period"
        value={shown?.label ?? ""}
        onChange={show}
        data={periods.map(({ label }) => label)}
      />
      {day("from", "From", from)}
      {day("to", "To", to)}
      {divided && (
        <NativeSelect
          label="By"
          data={DIVISIONS.map((value) => ({ value, label: words(value) }))}
          value={by}
          onChange={({ currentTarget }) => filter({ from, to, by: currentTarget.value })}
        />
      )}
      {inCurrency && <ReportCurrency />}
    </Group>
  );
}
