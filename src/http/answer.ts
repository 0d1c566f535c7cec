/** Status, headers and exact text of an answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}
