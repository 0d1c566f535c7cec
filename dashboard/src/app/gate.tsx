import { Center, Loader, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { api, setPrompts } from "../api/client.ts";
import { ApiFailure } from "../api/failure.ts";
import {
  type Acting,
  ActingContext,
  chooseMembership,
  keepMembership,
  type Membership,
  readSession,
  type Session,
} from "../api/session.ts";
import { forgetForms } from "../components/kept-form.tsx";
import { ButtonLink } from "../components/link.tsx";
import { Empty, Failure, showDone } from "../components/notice.tsx";
import { calledRole } from "../lib/words.ts";
import { Shell } from "./shell.tsx";
import type { Asked } from "./sign-in-again.tsx";

// Most people who open the dashboard are signed in.
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }));
const NewOrganisation = lazy(async () => ({ default: (await import("./new-organisation.tsx")).Page }));
const SignInAgain = lazy(async () => ({ default: (await import("./sign-in-again.tsx")).SignInAgain }));

/** Shows the sign-in until a person is signed in, then the dashboard. */
export function Gate() {
  const session = useQuery({ queryKey: ["session"], queryFn: readSession, staleTime: 60_000 });
  if (session.isPending) return <Loading />;
  if (session.error instanceof ApiFailure && session.error.status === 401)
    return (
      <Suspense fallback={<Loading />}>
        <SignIn done={() => void session.refetch()} />
      </Suspense>
    );
  if (!session.data)
    return (
      <Center mih="100vh">
        <Failure error={session.error} again={() => void session.refetch()} />
      </Center>
    );
  return <SignedIn session={session.data} />;
}

const Loading = () => (
  <Center mih="100vh">
    <Loader aria-label="Loading" />
  </Center>
);

function SignedIn({ session }: { readonly session: Session }) {
  const cache = useQueryClient();
  const [membership, setMembership] = useState(() => chooseMembership(session));
  const [asked, setAsked] = useState<Asked | null>(null);
  const current = useMemo(() => membershipNow(session, membership), [session, membership]);
  useTold(current);
  useMemo(() => current && keepMembership(current), [current]);
  useEffect(() => {
    const ask = (why: Asked["why"]) => () =>
      new Promise<boolean>((resolve) =>
        setAsked({
          why,
          answer(signedIn) {
            setAsked(null);
            resolve(signedIn);
          },
        }),
      );
    setPrompts({
      signIn: shared(ask("ended")),
      prove: shared(ask("proof")),
      refused: () => void cache.invalidateQueries({ queryKey: ["session"] }),
    });
  }, [cache]);
  const acting = useMemo<Acting | null>(
    () =>
      current && {
        session,
        membership: current,
        switchTo(slug) {
          const next = session.organisations.find((one) => one.slug === slug);
          if (!next) return;
          keepMembership(next);
          setMembership(next);
          cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
        },
        async signOut() {
          await api.POST("/auth/sign-out", { body: {} });
          forgetForms();
          cache.clear();
          location.assign("/dashboard");
        },
      },
    [session, current, cache],
  );
  if (!acting) return <NoOrganisation />;
  return (
    <ActingContext value={acting}>
      <Shell key={acting.membership.slug} />
      <Suspense>{asked && <SignInAgain email={session.user.email} asked={asked} />}</Suspense>
    </ActingContext>
  );
}

/**
 * The present role and permissions, which are read with the session; the choice of organisation stays. A former member has
 * no permissions.
 */
const membershipNow = ({ organisations }: Session, chosen: Membership | null): Membership | null =>
  organisations.find(({ slug }) => slug === chosen?.slug) ?? (chosen && { ...chosen, permissions: [] });

/** Shows a message when the role in an organisation has changed, or ended, while the dashboard is open. */
function useTold(membership: Membership | null): void {
  const known = useRef(membership);
  useEffect(() => {
    const [before, now] = [known.current, membership];
    known.current = membership;
    if (!before || before.slug !== now?.slug) return;
    if (before.permissions.length > 0 && now.permissions.length === 0)
      showDone(`You are a member of ${now.name} no longer.`);
    else if (before.role !== now.role) showDone(`Your role is ${calledRole(now)} now.`);
    else if (before.permissions.join() !== now.permissions.join())
      showDone(`What the role ${calledRole(now)} may do has changed.`);
  }, [membership]);
}

/** The page for a member of no organisation: the way to an organisation of their own. */
function NoOrganisation() {
  const making = useRouterState({ select: ({ location }) => location.pathname.endsWith("/organisations/new") });
  if (making)
    return (
      <Suspense fallback={<Loading />}>
        <Stack component="main" p="md" maw={672} mx="auto">
          <NewOrganisation />
        </Stack>
      </Suspense>
    );
  return (
    <Stack mih="100vh" justify="center" component="main">
      <Empty
        page
        title="You are a member of no organisation"
        text="Ask an owner of your organisation for an invitation, or make one of your own."
        action={<ButtonLink to="/organisations/new">Create an organisation</ButtonLink>}
      />
    </Stack>
  );
}

/** Requests that are refused together ask the person once. */
function shared(ask: () => Promise<boolean>): () => Promise<boolean> {
  let open: Promise<boolean> | null = null;
  return () => {
    open ??= ask().finally(() => {
      open = null;
    });
    return open;
  };
}
