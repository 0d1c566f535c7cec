import { useElementSize } from "@mantine/hooks";
import type { ReactNode } from "react";

/* Drawings as wide as their cards: axis labels stay inside, and phones get one drawn for them. */

const LEFT = 56;
const TOP = 22;
const BOTTOM = 26;
const TICKS = 4;
/** A drawing narrower than this is a phone's. */
const NARROW = 480;

interface Frame {
  readonly width: number;
  readonly height: number;
  /** Where an amount stands. */
  y(amount: number): number;
}

/** The amounts at the lines of a drawing, in round steps. */
function ticksOf(least: number, most: number): number[] {
  const span = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(span / TICKS));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one * TICKS >= span) ?? span / TICKS;
  const from = Math.floor(least / step);
  const to = Math.max(Math.ceil(most / step), from + 1);
  return Array.from({ length: to - from + 1 }, (_, at) => (from + at) * step);
}

/** The lines and their amounts, with the drawing in it, as wide as there is room. */
function Plot({
  label,
  amounts,
  base = 0,
  format,
  children,
}: {
  /** What it shows, for a screen reader. */
  readonly label: string;
  readonly amounts: readonly number[];
  /** What the drawing has in any case. */
  readonly base?: number;
  format(amount: number): string;
  children(frame: Frame): ReactNode;
}) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const narrow = width < NARROW;
  const height = narrow ? 160 : 226;
  const ticks = ticksOf(Math.min(base, ...amounts), Math.max(base, ...amounts));
  const [first = 0, last = 1] = [ticks[0], ticks.at(-1)];
  const y = (amount: number) => TOP + ((last - amount) / (last - first)) * (height - TOP - BOTTOM);
  return (
    <div ref={ref} className="tefo-plot">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={tick === 0 ? "tefo-base" : "tefo-grid"} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {children({ width, height, y })}
        </svg>
      )}
    </div>
  );
}

/** What is added up over days, beside the days before; `labels` are the places of the axis and their texts. */
export function Lines({
  label,
  values,
  before,
  beforeName,
  labels,
  format,
}: {
  readonly label: string;
  readonly values: readonly number[];
  readonly before: readonly number[];
  readonly beforeName: string;
  readonly labels: readonly (readonly [at: number, text: string])[];
  format(amount: number): string;
}) {
  const places = Math.max(values.length, before.length, 2);
  const path = (x: (at: number) => number, y: (amount: number) => number, of: readonly number[]) =>
    of.map((value, at) => `${at === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return (
    <Plot label={label} amounts={[...values, ...before]} format={format}>
      {({ width, height, y }) => {
        const x = (at: number) => LEFT + 6 + (at / (places - 1)) * (width - LEFT - 12);
        const [end, value = 0] = [values.length - 1, values.at(-1)];
        const past = before.at(-1);
        return (
          <>
            {values.length > 0 && (
              <path className="tefo-area" d={`${path(x, y, values)}L${x(end)} ${y(0)}L${x(0)} ${y(0)}Z`} />
            )}
            <path className="tefo-before" d={path(x, y, before)} />
            <path className="tefo-stroke" d={path(x, y, values)} />
            <circle className="tefo-mark" cx={x(end)} cy={y(value)} r={4.5} />
            {past !== undefined && width >= NARROW && (
              <text x={width - 6} y={y(past) - 8} textAnchor="end">
                {beforeName} {format(past)}
              </text>
            )}
            {labels.map(([at, text], index) => (
              <text key={text} x={x(at)} y={height - 6} textAnchor={anchorOf(index, labels.length, at, places)}>
                {text}
              </text>
            ))}
          </>
        );
      }}
    </Plot>
  );
}

const [SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE] = [240, 56, 6];

/** How a figure moved, beneath it: no axis, the last value marked. */
export function Sparkline({ label, values }: { readonly label: string; readonly values: readonly number[] }) {
  const most = Math.max(...values, 0);
  const least = Math.min(...values, 0);
  const places = Math.max(values.length - 1, 1);
  const x = (at: number) => SPARK_EDGE + (at / places) * (SPARK_WIDTH - 2 * SPARK_EDGE);
  const y = (value: number) => SPARK_EDGE + ((most - value) / (most - least || 1)) * (SPARK_HEIGHT - 2 * SPARK_EDGE);
  const path = values.map((value, at) => `${at === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const end = values.length - 1;
  return (
    <svg viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} width="100%" role="img" aria-label={label}>
      <path className="tefo-area" d={`${path}L${x(end)} ${y(0)}L${x(0)} ${y(0)}Z`} />
      <path className="tefo-stroke" d={path} />
      <circle className="tefo-mark" cx={x(end)} cy={y(values[end] ?? 0)} r={4} />
    </svg>
  );
}

/** Texts at the ends of the axis stay inside. */
const anchorOf = (index: number, count: number, at: number, places: number): "start" | "middle" | "end" => {
  if (index === 0 && at === 0) return "start";
  return index === count - 1 && at >= places - 2 ? "end" : "middle";
};

/** A colour, each of a fixed meaning: cards and single series, EFT and invoices, debit orders, everything else. */
export type Series = 1 | 2 | 3 | 5;

/** A bar of parts that stand on one another. */
export interface Bar {
  readonly at: string;
  /** What a phone says. */
  readonly short: string;
  readonly parts: readonly { readonly value: number; readonly series: Series }[];
}

/** Bars from zero, each with its sum where there is room. */
export function Bars({
  label,
  bars,
  format,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
  format(amount: number): string;
}) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  return (
    <Plot label={label} amounts={[0, ...sums]} format={format}>
      {({ width, height, y }) => {
        const narrow = width < NARROW;
        const room = (width - LEFT) / bars.length;
        const wide = Math.min(76, room * 0.6);
        // Texts that would touch are left out.
        const every = Math.ceil(bars.length / Math.max(1, Math.floor((width - LEFT) / (narrow ? 46 : 84))));
        return bars.map(({ at, short, parts }, index) => {
          const middle = LEFT + room * (index + 0.5);
          const sum = sums[index] ?? 0;
          let below = 0;
          return (
            <g key={middle}>
              {parts.map(({ value, series }) => {
                const from = below;
                below += value;
                const [high, low] = [y(Math.max(from, below)), y(Math.min(from, below))];
                return (
                  value !== 0 && (
                    <rect
                      key={series}
                      data-series={series}
                      x={middle - wide / 2}
                      y={high}
                      width={wide}
                      height={Math.max(1, low - high - 1)}
                      rx={2}
                    />
                  )
                );
              })}
              {sum !== 0 && every === 1 && (
                <text className="tefo-sum" x={middle} y={y(Math.max(sum, 0)) - 6} textAnchor="middle">
                  {format(sum)}
                </text>
              )}
              {index % every === 0 && (
                <text x={middle} y={height - 6} textAnchor="middle">
                  {narrow ? short : at}
                </text>
              )}
            </g>
          );
        });
      }}
    </Plot>
  );
}

/** An amount of a waterfall and what it is. */
interface Step {
  readonly at: string;
  readonly value: number;
}

/** A bar of a waterfall; the first and the last have no `value`. */
interface StepBar {
  readonly at: string;
  readonly from: number;
  readonly to: number;
  readonly value: number | null;
}

/**
 * The bars of a waterfall and the amount at which its scale begins: a third of what moved below the least amount, unless
 * that is nearer to zero than to the most.
 */
function waterfall(first: Step, steps: readonly Step[], last: Step) {
  let reached = first.value;
  const moves = steps.map(({ at, value }) => {
    const from = reached;
    reached += value;
    return { at, from, to: reached, value };
  });
  const amounts = [first.value, last.value, ...moves.map(({ to }) => to)];
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  const base = Math.max(0, least - (most - least) / 3);
  const floor = base < most / 2 ? 0 : base;
  const start = floor === 0 ? 0 : (ticksOf(floor, most)[0] ?? 0);
  const bars: readonly StepBar[] = [
    { at: first.at, from: start, to: first.value, value: null },
    ...moves,
    { at: last.at, from: start, to: last.value, value: null },
  ];
  return { bars, amounts, floor, start };
}

/** A waterfall: what there was, what was added and taken away, and what there is. A scale that does not begin at zero says so. */
export function Steps({
  label,
  first,
  steps,
  last,
  format,
}: {
  readonly label: string;
  readonly first: Step;
  readonly steps: readonly Step[];
  readonly last: Step;
  format(amount: number): string;
}) {
  const { bars, amounts, floor, start } = waterfall(first, steps, last);
  return (
    <>
      <Plot label={label} amounts={amounts} base={floor} format={format}>
        {(frame) => {
          const room = (frame.width - LEFT) / bars.length;
          return bars.map((bar, index) => (
            <StepOf
              key={bar.at}
              bar={bar}
              frame={frame}
              middle={LEFT + room * (index + 0.5)}
              joint={index < bars.length - 1 ? room : 0}
              wide={Math.min(76, room * 0.66)}
              format={format}
            />
          ));
        }}
      </Plot>
      {start > 0 && <p className="tefo-quiet tefo-reason">The scale starts at {format(start)}.</p>}
    </>
  );
}

/** A bar of a waterfall, with the line to the next one, which is `joint` away. */
function StepOf({
  bar: { at, from, to, value },
  frame: { width, height, y },
  middle,
  joint,
  wide,
  format,
}: {
  readonly bar: StepBar;
  readonly frame: Frame;
  readonly middle: number;
  readonly joint: number;
  readonly wide: number;
  format(amount: number): string;
}) {
  const narrow = width < NARROW;
  const [high, low] = [y(Math.max(from, to)), y(Math.min(from, to))];
  const left = middle - wide / 2;
  return (
    <g>
      {value === 0 ? (
        <line className="tefo-joint" x1={left} x2={left + wide} y1={y(to)} y2={y(to)} />
      ) : (
        <rect
          data-series={value === null ? 1 : value > 0 ? "good" : 5}
          x={left}
          y={high}
          width={wide}
          height={Math.max(1, low - high)}
          rx={2}
        />
      )}
      {joint > 0 && <line className="tefo-joint" x1={left + wide} x2={left + joint} y1={y(to)} y2={y(to)} />}
      {!narrow && value !== 0 && (
        <text className="tefo-sum" x={middle} y={high - 6} textAnchor="middle">
          {value !== null && value > 0 && "+"}
          {format(value ?? to)}
        </text>
      )}
      <text x={middle} y={height - 6} textAnchor="middle">
        {narrow ? at.slice(0, 3) : at}
      </text>
    </g>
  );
}
