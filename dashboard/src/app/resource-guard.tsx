import type { ReactNode } from "react";
import { type Permission, useActing } from "../api/session.ts";
import { WhileAllowed } from "../components/allowed.tsx";
import { permissionWords } from "../components/areas.ts";
import { ButtonLink } from "../components/link.tsx";
import { Empty } from "../components/notice.tsx";
import type { Resource } from "../components/resource.ts";
import { calledRole } from "../lib/words.ts";
import { visible } from "./navigation.ts";

/**
 * Shows a page to people with its permission; to others, which permission is missing. A page stays when the permission
 * is lost while it is open.
 */
export function ResourceGuard({
  resource,
  permission,
  children,
}: {
  readonly resource: Resource;
  readonly permission: Permission;
  readonly children: ReactNode;
}) {
  const { membership } = useActing();
  const needed = [permission, ...(resource.also ?? [])];
  const missing = needed.filter((one) => !membership.permissions.includes(one));
  const lacking = (
    <Empty
      page
      title="You do not have access"
      text={`The role ${calledRole(membership)} may not ${missing.map(permissionWords).join(", nor ")}. Ask an owner or admin: they can give you another role under Settings, Team.`}
    />
  );
  const page = (
    <WhileAllowed to={permission} otherwise={lacking}>
      {children}
    </WhileAllowed>
  );
  if (missing.length > 0) return missing.includes(permission) ? page : lacking;
  if (resource.only === "sandbox" && !membership.sandbox)
    return (
      <Empty
        page
        title="Only a sandbox has this"
        text={`${membership.name} takes real money, at real times. Make another organisation as a sandbox to try things out.`}
        action={<ButtonLink to="/organisations/new">New organisation</ButtonLink>}
      />
    );
  if (!visible(resource, membership))
    return (
      <Empty
        page
        title={`${resource.label} is not part of your plan`}
        text="Ask the operator of this service for a plan that includes it."
      />
    );
  return page;
}
