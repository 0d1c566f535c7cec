/** Status, headers and exact text of an answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Replaces `text` when the answer is long. */
  readonly pieces?: AsyncIterable<Buffer>;
  readonly headers?: Readonly<Record<string, string>>;
}
