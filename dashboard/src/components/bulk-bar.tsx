import { Alert, Button, Group, List, Modal, Paper, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { messageOf } from "../api/failure.ts";
import { type Permission, useMay } from "../api/session.ts";
import { counted } from "../lib/words.ts";

/** An action on many records at once. */
export interface BulkAction<T> {
  readonly label: string;
  readonly permission: Permission;
  /** Whether it can be done to this record; others are left out, and the dialog says so. */
  applies(item: T): boolean;
  /** What a record is called in the dialog. */
  name(item: T): string;
  /** What will happen, for the records that it applies to. */
  what(items: readonly T[]): ReactNode;
  /** Does it to one record; `key` is the same for each try. */
  run(item: T, key: string): Promise<unknown>;
  readonly touches: readonly string[];
}

/** What is selected in a list, with the actions on it. */
export function BulkBar<T>({
  items,
  actions,
  clear,
}: {
  readonly items: readonly T[];
  readonly actions: readonly BulkAction<T>[];
  clear(): void;
}) {
  const may = useMay();
  const [chosen, setChosen] = useState<BulkAction<T> | null>(null);
  if (items.length === 0) return null;
  return (
    <Paper withBorder p="xs" className="tefo-bulk">
      <Group gap="sm">
        <Text size="sm" fw={600} aria-live="polite">
          {items.length} selected
        </Text>
        {actions
          .filter(({ permission }) => may(permission))
          .map((action) => (
            <Button key={action.label} size="xs" variant="default" onClick={() => setChosen(action)}>
              {action.label}
            </Button>
          ))}
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear selection
        </Button>
      </Group>
      <Modal
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title={chosen?.label}
        centered
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {chosen && <BulkRun action={chosen} items={items} close={() => setChosen(null)} clear={clear} />}
      </Modal>
    </Paper>
  );
}

interface Result {
  readonly done: number;
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}

/** Does the action to one record after the other; `result` counts while it runs. */
function useBulkRun<T>(action: BulkAction<T>, items: readonly T[]) {
  const cache = useQueryClient();
  const batch = useRef(crypto.randomUUID());
  const [result, setResult] = useState<Result | null>(null);
  const [busy, setBusy] = useState(false);
  const perform = async () => {
    setBusy(true);
    let so: Result = { done: 0, faults: [] };
    for (const [index, item] of items.entries()) {
      try {
        await action.run(item, `${batch.current}-${index}`);
        so = { ...so, done: so.done + 1 };
      } catch (error) {
        so = { ...so, faults: [...so.faults, { name: action.name(item), message: messageOf(error) }] };
      }
      setResult(so);
    }
    await Promise.all(action.touches.map((path) => cache.invalidateQueries({ queryKey: [path] })));
    setBusy(false);
  };
  return { result, busy, perform };
}

function BulkRun<T>({
  action,
  items,
  close,
  clear,
}: {
  readonly action: BulkAction<T>;
  readonly items: readonly T[];
  close(): void;
  clear(): void;
}) {
  const fitting = items.filter(action.applies);
  const left = items.length - fitting.length;
  const { result, busy, perform } = useBulkRun(action, fitting);
  const finish = () => {
    close();
    clear();
  };
  return (
    <Stack gap="md">
      {fitting.length > 0 && <div>{action.what(fitting)}</div>}
      {left > 0 && (
        <Text size="sm">
          {counted(left, "record")} of the selection cannot be changed so, and will be left as they are.
        </Text>
      )}
      {result && (
        <Progress value={(100 * (result.done + result.faults.length)) / fitting.length} aria-label="Progress" />
      )}
      {result && !busy && (
        <Alert
          color={result.faults.length > 0 ? "red" : "teal"}
          role="alert"
          title={`${counted(result.done, "record")} done`}
        >
          <List size="sm">
            {result.faults.map(({ name, message }) => (
              <List.Item key={name}>
                {name}: {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        {result && !busy ? (
          <Button onClick={finish}>Close</Button>
        ) : (
          <>
            <Button variant="default" onClick={close} disabled={busy}>
              Back
            </Button>
            <Button onClick={() => void perform()} loading={busy} disabled={fitting.length === 0}>
              {action.label}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
