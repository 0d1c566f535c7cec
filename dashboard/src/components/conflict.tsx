import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { ChangedField } from "../lib/edits.ts";
import { formatTime } from "../lib/time.ts";
import { valueWords } from "../lib/value-words.ts";
import { words } from "../lib/words.ts";

/** A conflict: somebody changed the record while it was edited; and the two ways to continue. */
export interface Conflict {
  readonly changed: readonly ChangedField[];
  /** Puts the changed values into the form; input in other fields stays. */
  takeTheirs(): void;
  /** Sends the input and overwrites the change. */
  overwrite(): void;
}

const Change = ({ of: { before, after } }: { readonly of: ChangedField }) => (
  <>
    is now <span dir="auto">{valueWords(after)}</span>; it was <span dir="auto">{valueWords(before)}</span>
  </>
);

/** Shows what somebody else has changed in the meantime. It takes the focus, so that it is read out. */
export function ConflictNotice({ changed, takeTheirs, overwrite }: Conflict) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <Alert color="red" role="alert" tabIndex={-1} ref={box} title="Someone else changed this">
      <Stack gap="sm">
        <Text size="sm">Nothing was saved. What you typed is still here.</Text>
        <List size="sm">
          {changed.map((one) => (
            <List.Item key={one.field}>
              <strong>{words(one.field)}</strong>{" "}
              {valueWords(one.after) === valueWords(one.before) ? "changed" : <Change of={one} />}
              {one.by && one.at && (
                <>
                  {" "}
                  (<span dir="auto">{one.by}</span>, {formatTime(one.at)})
                </>
              )}
            </List.Item>
          ))}
        </List>
        <Group gap="sm">
          <Button variant="default" onClick={takeTheirs}>
            Use their version
          </Button>
          <Button color="red.9" onClick={overwrite}>
            Keep my version
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
