import { createContext, useContext } from "react";
import { api, got, type Shape, setOrganisation } from "./client.ts";

/** Who is signed in. */
export type Session = Shape<"Session">;
/** A membership: the organisation, and the permissions of the role in it. */
export type Membership = Session["organisations"][number];
/** A permission of a role, such as `invoices:write`. */
export type Permission = Membership["permissions"][number];

/** Reads who is signed in. Throws `ApiFailure` 401 when nobody is. */
export const readSession = (): Promise<Session> => got(api.GET("/session"));

const CHOSEN = "tefo.organisation";

/**
 * The membership to use: the one that the address names (`?organisation=slug`), else this tab's, else the one used
 * last, else the first. Null for a person without any.
 */
export function chooseMembership({ organisations }: Session): Membership | null {
  const named = new URLSearchParams(location.search).get("organisation");
  const candidates = [named, sessionStorage.getItem(CHOSEN), localStorage.getItem(CHOSEN)];
  for (const slug of candidates) {
    const found = organisations.find((one) => one.slug === slug);
    if (found) return found;
  }
  return organisations[0] ?? null;
}

/** Uses this organisation from now on, in this tab and in those opened later. */
export function keepMembership({ slug }: Membership): void {
  sessionStorage.setItem(CHOSEN, slug);
  localStorage.setItem(CHOSEN, slug);
  setOrganisation(slug);
}

/** The present member and organisation. */
export interface Acting {
  readonly session: Session;
  readonly membership: Membership;
  /** Changes to another organisation; everything is read again. */
  switchTo(slug: string): void;
  signOut(): Promise<void>;
}

/** Set by the app around all pages for signed-in people. */
export const ActingContext = createContext<Acting | null>(null);

/** The present member and organisation. Throws outside of the signed-in part of the app. */
export function useActing(): Acting {
  const acting = useContext(ActingContext);
  if (!acting) throw new Error("nobody is signed in here");
  return acting;
}

/** Whether the person's role has a permission. */
export function useMay(): (permission: Permission) => boolean {
  const { membership } = useActing();
  return (permission) => membership.permissions.includes(permission);
}

/**
 * What is said of a record that was sent by email: that it was, or that email is not set up on this server, so that it
 * is only kept under Emails.
 */
export function useSaidSent(): (what: string) => string {
  const { session } = useActing();
  return (what) => (session.mailEnabled ? `${what} sent` : `${what} saved. Not emailed: email is off`);
}
