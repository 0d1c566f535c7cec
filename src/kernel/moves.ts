/**
 * Status transitions of a resource as in the interface's table: the next status by status and action. A missing cell is
 * a refused transition.
 */
export type MoveTable<Status extends string, Action extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Action, Status>>>>
>;

/** The status that an action leads to from a status, by the table; null when the transition is refused. */
export const movesOf =
  <Status extends string, Action extends string>(table: MoveTable<Status, Action>) =>
  (from: Status, action: Action): Status | null =>
    table[from][action] ?? null;
