/** Status, headers and exact text of an answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** In place of `text`, where the answer is long. */
  readonly pieces?: AsyncIterable<Buffer>;
  readonly headers?: Readonly<Record<string, string>>;
}
