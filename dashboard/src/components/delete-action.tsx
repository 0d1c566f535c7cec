import { useNavigate } from "@tanstack/react-router";
import type { Permission } from "../api/session.ts";
import { MoneyAction } from "./money-action.tsx";

/** A button that deletes a record, after a dialog that says what is deleted with it, and then goes to `to`. */
export function DeleteAction({
  name,
  what,
  permission,
  send,
  touches,
  to,
}: {
  readonly name: string;
  readonly what: string;
  readonly permission: Permission;
  send(): Promise<unknown>;
  readonly touches: readonly string[];
  /** Left out when the open page is not the record's. */
  readonly to?: string;
}) {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Delete"
      title={`Delete ${name}`}
      permission={permission}
      initial={{}}
      what={() => what}
      send={async () => {
        await send();
        if (to !== undefined) await navigate({ to });
      }}
      touches={touches}
      said={() => "Deleted"}
      danger
      {...(to === undefined && { button: { size: "xs" } })}
    />
  );
}
