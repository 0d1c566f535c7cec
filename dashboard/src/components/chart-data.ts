/** Figures over days or kinds, in the order of the axis. */
export interface ChartData {
  readonly title: string;
  /** One sentence about what is counted. */
  readonly about: string;
  /** Heading of the first column: the axis. */
  readonly axis: string;
  readonly series: readonly { readonly name: string; readonly color: string }[];
  /** The text when every figure is zero. */
  readonly none: string;
  readonly points: readonly { readonly at: string; readonly values: readonly number[] }[];
  /** A figure as text. */
  format(value: number): string;
}
