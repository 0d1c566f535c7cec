import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NativeSelect,
  Text,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { type Membership, useActing } from "../api/session.ts";
import { Icon } from "../components/icon.tsx";
import { formatDay, formatTime } from "../lib/time.ts";
import { calledRole, words } from "../lib/words.ts";
import { ENTRY_ICONS, isWithin, navigationFor, tabsAt } from "./navigation.ts";
import { openPalette, Palette } from "./palette.tsx";
import { useShellShortcuts } from "./shell-shortcuts.ts";

const ShortcutSheet = lazy(() =>
  import("./shortcut-sheet.tsx").then(({ ShortcutSheet }) => ({ default: ShortcutSheet })),
);
const Tour = lazy(() => import("./tour.tsx").then(({ Tour }) => ({ default: Tour })));

const ON_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The frame of every page: navigation, search, the signed-in person, and the page itself. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { membership } = useActing();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [keys, setKeys] = useState(false);
  useShellShortcuts(() => setKeys(true));
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the address closes the menu
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 236, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a className="tefo-skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? "Close the menu" : "Open the menu"}
            />
            <Text fw={750} c="var(--mantine-color-anchor)" size="lg" visibleFrom="xs">
              Tefo
            </Text>
            <OrganisationChoice />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SearchButton />
            <PersonMenu showKeys={() => setKeys(true)} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" bg="var(--tefo-side)" style={{ overflowY: "auto" }} aria-label="Main">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Standing membership={membership} />
        <Group maw={1200} mx="auto" pt="md" display="block">
          {membership.tourDue && (
            <Suspense>
              <Tour />
            </Suspense>
          )}
          <Tabs />
          <Outlet />
        </Group>
      </AppShell.Main>
      <Palette />
      {keys && (
        <Suspense>
          <ShortcutSheet close={() => setKeys(false)} />
        </Suspense>
      )}
    </AppShell>
  );
}

const SearchButton = () => (
  <>
    <Button
      variant="default"
      leftSection={<Icon name="search" size={16} />}
      rightSection={<kbd className="tefo-quiet">{ON_MAC ? "⌘ K" : "Ctrl K"}</kbd>}
      onClick={openPalette}
      visibleFrom="sm"
    >
      Search
    </Button>
    <ActionIcon variant="default" size="lg" onClick={openPalette} hiddenFrom="sm" aria-label="Search">
      <Icon name="search" />
    </ActionIcon>
  </>
);

/** Facts about the whole organisation: a sandbox and its clock, a trial and its end, a read-only account. */
function Standing({
  membership: { sandbox, clock, readOnly, status, trialEndsAt, permissions },
}: {
  readonly membership: Membership;
}) {
  const { session } = useActing();
  return (
    <>
      {!session.mailEnabled && permissions.includes("settings:write") && (
        <div className="tefo-sandbox">
          Email is not set up: nothing leaves this server. <Link to="/set-up">Set up email</Link>
        </div>
      )}
      {sandbox && (
        <div className="tefo-sandbox">
          Sandbox: this organisation's money is not real.
          {clock.set && ` Its clock stands at ${formatTime(clock.now)}.`}
        </div>
      )}
      {readOnly && (
        <div className="tefo-sandbox" role="status">
          {status === "expired"
            ? "The trial is over: you can read everything, and change nothing. Ask whoever runs this server to activate the organisation."
            : `This account is ${words(status).toLowerCase()}: you can read everything, and change nothing.`}
        </div>
      )}
      {!readOnly && status === "trial" && trialEndsAt !== null && (
        <div className="tefo-sandbox">
          The trial ends on {formatDay(trialEndsAt)}. After that nothing can be changed until whoever runs this server
          activates the organisation.
        </div>
      )}
    </>
  );
}

/** Scrolls the navigation to an entry. `scrollIntoView` would also change the position from which the Tab key continues. */
function bringIntoSight(entry: Element | null | undefined): void {
  const bar = entry?.closest("nav");
  if (!entry || !bar) return;
  const [at, seen] = [entry.getBoundingClientRect(), bar.getBoundingClientRect()];
  bar.scrollTop += Math.max(0, at.bottom - seen.bottom) - Math.max(0, seen.top - at.top);
}

function Navigation() {
  const { membership } = useActing();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the address brings its entry into sight
  useEffect(() => bringIntoSight(list.current?.querySelector("[aria-current=page]")), [path]);
  return (
    <div className="tefo-nav" ref={list}>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        <Icon name="home" /> Home
      </Link>
      {navigationFor(membership).map(({ label, entries }) => (
        <div key={label} className="tefo-nav" data-group={label}>
          <h2>{label}</h2>
          {entries.map((shown) => (
            <Link
              key={shown.entry}
              to={`/${shown.resources[0].name}`}
              aria-current={isWithin(path, shown) ? "page" : undefined}
            >
              <Icon name={ENTRY_ICONS[shown.entry]} />
              {shown.entry}
            </Link>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The lists of an entry of the navigation, above each of them. */
function Tabs() {
  const { membership } = useActing();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const tabs = tabsAt(path, membership);
  if (tabs.length === 0) return null;
  return (
    <nav className="tefo-tabs" aria-label="Tabs">
      {tabs.map(({ name, label }) => (
        <Link key={name} to={`/${name}`} activeOptions={{ exact: true, includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

function OrganisationChoice() {
  const { session, membership, switchTo } = useActing();
  if (session.organisations.length === 1)
    return (
      <Text size="sm" fw={600} truncate dir="auto" maw={240}>
        {membership.name}
      </Text>
    );
  return (
    <NativeSelect
      aria-label="Organisation"
      maw={200}
      value={membership.slug}
      onChange={(event) => switchTo(event.currentTarget.value)}
      data={session.organisations.map(({ slug, name }) => ({ value: slug, label: name }))}
    />
  );
}

function PersonMenu({ showKeys }: { showKeys(): void }) {
  const { session, membership, signOut } = useActing();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = session.user.name || session.user.email;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label={`Account of ${name}`}>
          {name.charAt(0).toUpperCase()}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.user.email}, {calledRole(membership)}
        </Menu.Label>
        {(["auto", "light", "dark"] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            // The menu's own role would refuse the mark of the chosen one.
            renderRoot={(root) => <button {...root} role="menuitemradio" aria-checked={colorScheme === scheme} />}
            leftSection={<Icon name={scheme === "auto" ? "gear" : scheme === "light" ? "sun" : "moon"} size={16} />}
            rightSection={colorScheme === scheme ? <Icon name="check" size={14} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {scheme === "auto" ? "System theme" : words(scheme)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item renderRoot={(root) => <Link {...root} to="/account" />} leftSection={<Icon name="key" size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item
          renderRoot={(root) => <Link {...root} to="/organisations/new" />}
          leftSection={<Icon name="plus" size={16} />}
        >
          New organisation
        </Menu.Item>
        <Menu.Item onClick={showKeys} leftSection={<Icon name="bolt" size={16} />}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="code" size={16} />}>
          Docs and API reference
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()} leftSection={<Icon name="out" size={16} />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
