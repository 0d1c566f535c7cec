import { Modal, Stack, Switch, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Key, shortcutsOn, turnShortcuts, useShortcutGroups } from "../components/shortcuts.tsx";

/** The shortcuts of the page and of every page, and whether they work in this browser. */
export function ShortcutSheet({ close }: { close(): void }) {
  // As they were when the sheet was opened: while it is open, no other page is.
  const [groups] = useState(useShortcutGroups());
  const [on, setOn] = useState(shortcutsOn());
  const turn = (next: boolean) => {
    turnShortcuts(next);
    setOn(next);
  };
  const together = [...new Set(groups.map(({ title }) => title))].map((title) => ({
    title,
    shortcuts: groups.filter((group) => group.title === title).flatMap(({ shortcuts }) => shortcuts),
  }));
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts" size="xl" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="lg">
        <div className="tefo-beside">
          {together
            .filter(({ shortcuts }) => shortcuts.length > 0)
            .map(({ title, shortcuts }) => (
              <section key={title} aria-label={title}>
                <Title order={3} size="h5" mb="xs">
                  {title}
                </Title>
                <dl className="tefo-keys">
                  {shortcuts.map(({ keys, label }) => (
                    <div key={`${keys.join(" ")} ${label}`}>
                      <dt>{label}</dt>
                      <dd>
                        {keys.map((key, place) => (
                          // biome-ignore lint/suspicious/noArrayIndexKey: a key may be pressed twice
                          <Key key={place} of={key} />
                        ))}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
        </div>
        <Switch
          label="Single keys do this in this browser"
          checked={on}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
        <Text size="sm" c="dimmed">
          They do nothing while you type in a field. Ctrl K, or Command K, always opens the search.
        </Text>
      </Stack>
    </Modal>
  );
}
