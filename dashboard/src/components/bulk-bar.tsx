import { Alert, Button, Checkbox, Group, List, Modal, Paper, Progress, Stack, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { messageOf } from "../api/failure.ts";
import { type Permission, useActing, useMay } from "../api/session.ts";
import { counted } from "../lib/words.ts";
import { WITHOUT_REASON } from "./money-action.tsx";

/** An action on many records at once (decisions.md#bulk-actions-are-single-actions). */
export interface BulkAction<T> {
  readonly label: string;
  readonly permission: Permission;
  /** Whether it can be done to this record; others are left out, and the dialog says how many. */
  applies(item: T): boolean;
  /** The name of a record in the dialog. */
  name(item: T): string;
  /** The effect, for the records to which it applies, with the answer to `choice`. */
  what(items: readonly T[], choice: boolean): ReactNode;
  /** Asks once for a reason, which each record gets. `optional`: it may stay empty. */
  readonly reason?: "required" | "optional";
  /** A box that is ticked at first, shown when it applies to a record at this moment of the organisation's clock. */
  readonly choice?: { readonly label: string; applies(item: T, now: string): boolean };
  readonly danger?: boolean;
  /** Does it to one record; `key` is the same for each try. */
  run(item: T, key: string, given: Given): Promise<unknown>;
  readonly touches: readonly string[];
}

/** What the dialog asked: a trimmed reason, and the answer to the action's `choice` where it applies to the record. */
export interface Given {
  readonly reason: string;
  readonly choice: boolean;
}

/** The selection in a list, with the actions on it. The result of an action is shown also when the list no longer shows its records. */
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
  return (
    <>
      {items.length > 0 && (
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
        </Paper>
      )}
      <Modal
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title={chosen?.label}
        centered
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {chosen && <BulkRun action={chosen} selected={items} close={() => setChosen(null)} clear={clear} />}
      </Modal>
    </>
  );
}

interface Result {
  readonly done: number;
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}

/** Does the action to one record after the other; `result` counts while it runs. */
function useBulkRun<T>(action: BulkAction<T>, items: readonly T[]) {
  const cache = useQueryClient();
  const { now } = useActing().membership.clock;
  const batch = useRef(crypto.randomUUID());
  const [result, setResult] = useState<Result | null>(null);
  const [busy, setBusy] = useState(false);
  const perform = async ({ reason, choice }: Given) => {
    setBusy(true);
    let so: Result = { done: 0, faults: [] };
    for (const [index, item] of items.entries()) {
      try {
        const given = { reason, choice: choice && (action.choice?.applies(item, now) ?? false) };
        await action.run(item, `${batch.current}-${index}`, given);
        so = { ...so, done: so.done + 1 };
      } catch (error) {
        so = { ...so, faults: [...so.faults, { name: action.name(item), message: messageOf(error) }] };
      }
      setResult(so);
    }
    const touched = [...action.touches, "/overview", "/timeline", "/record-names"];
    await Promise.all(touched.map((path) => cache.invalidateQueries({ queryKey: [path] })));
    setBusy(false);
  };
  return { result, busy, perform };
}

/** The dialog of an action: its effect, then its progress, then its result. */
function BulkRun<T>({
  action,
  selected,
  close,
  clear,
}: {
  readonly action: BulkAction<T>;
  readonly selected: readonly T[];
  close(): void;
  clear(): void;
}) {
  // The records at the time when the dialog was opened: the action may no longer apply to a changed one.
  const [items] = useState(selected);
  const fitting = items.filter(action.applies);
  const { result, busy, perform } = useBulkRun(action, fitting);
  if (!result)
    return (
      <Preview
        action={action}
        items={fitting}
        left={items.length - fitting.length}
        busy={busy}
        close={close}
        begin={(given) => void perform(given)}
      />
    );
  const finish = () => {
    close();
    clear();
  };
  return (
    <Stack gap="md">
      <Progress value={(100 * (result.done + result.faults.length)) / fitting.length} aria-label="Progress" />
      {!busy && (
        <>
          <Alert
            color={result.faults.length > 0 ? "red" : "teal"}
            role="alert"
            title={`${counted(result.done, "record")} done`}
          >
            {result.faults.length > 0 && (
              <List size="sm">
                {result.faults.map(({ name, message }) => (
                  <List.Item key={name}>
                    {name}: {message}
                  </List.Item>
                ))}
              </List>
            )}
          </Alert>
          <Button onClick={finish} style={{ alignSelf: "flex-end" }}>
            Close
          </Button>
        </>
      )}
    </Stack>
  );
}

/** The question of an action that asks one of some of these records; null when it asks none. */
function useChoice<T>({ choice: of }: BulkAction<T>, items: readonly T[]) {
  const { now } = useActing().membership.clock;
  const [chosen, choose] = useState(true);
  return of && items.some((item) => of.applies(item, now)) ? { label: of.label, chosen, choose } : null;
}

function Preview<T>({
  action,
  items,
  left,
  busy,
  close,
  begin,
}: {
  readonly action: BulkAction<T>;
  /** The records to which it applies. */
  readonly items: readonly T[];
  /** The number of selected records to which it does not apply. */
  readonly left: number;
  readonly busy: boolean;
  close(): void;
  begin(given: Given): void;
}) {
  const asked = useChoice(action, items);
  const choice = asked?.chosen ?? false;
  const [reason, setReason] = useState("");
  const [lacking, setLacking] = useState(false);
  const check = () => {
    const lacks = action.reason === "required" && reason.trim() === "";
    setLacking(lacks);
    if (!lacks) begin({ reason: reason.trim(), choice });
  };
  return (
    <Stack gap="md">
      {action.reason && items.length > 0 && (
        <Textarea
          label="Reason"
          withAsterisk={action.reason === "required"}
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          error={lacking && WITHOUT_REASON}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {asked && (
        <Checkbox
          label={asked.label}
          checked={choice}
          onChange={(event) => asked.choose(event.currentTarget.checked)}
        />
      )}
      {items.length > 0 && (
        <Alert color={action.danger ? "red" : "gray"} title="What will happen">
          {action.what(items, choice)}
        </Alert>
      )}
      {left > 0 && (
        <Text size="sm">
          {counted(left, "record")} of the selection cannot be changed so, and will be left as they are.
        </Text>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} disabled={busy}>
          Back
        </Button>
        <Confirm action={action} busy={busy} disabled={items.length === 0} confirm={check} />
      </Group>
    </Stack>
  );
}

const Confirm = <T,>({
  action: { label, danger = false },
  busy,
  disabled,
  confirm,
}: {
  readonly action: BulkAction<T>;
  readonly busy: boolean;
  readonly disabled: boolean;
  confirm(): void;
}) => (
  <Button onClick={confirm} loading={busy} disabled={disabled} {...(danger ? { color: "red.9" } : {})}>
    {label}
  </Button>
);
