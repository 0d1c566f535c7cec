/** The states of a resource as the interface's table has them: from each status, where each action leads. A missing cell is a refused move. */
export type MoveTable<Status extends string, Action extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Action, Status>>>>
>;

/** Answers where an action leads from a status by the table; null where it is refused. */
export const movesOf =
  <Status extends string, Action extends string>(table: MoveTable<Status, Action>) =>
  (from: Status, action: Action): Status | null =>
    table[from][action] ?? null;
