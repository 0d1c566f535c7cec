/** Figures over days or kinds, in the order of the axis. */
export interface ChartData {
  readonly title: string;
  /** One sentence on what is counted. */
  readonly about: string;
  /** Heading of the first column: what the axis shows. */
  readonly axis: string;
  readonly series: readonly { readonly name: string; readonly color: string }[];
  /** What is said when every figure is zero. */
  readonly none: string;
  readonly points: readonly { readonly at: string; readonly values: readonly number[] }[];
  /** A figure as text. */
  format(value: number): string;
}
