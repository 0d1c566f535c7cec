import { NativeSelect } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { editing } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { calledRole } from "../../lib/words.ts";
import { useRoleChoices } from "./roles.ts";

type Member = Shape<"Member">;
const TOUCHES = ["/members", "/roles", "/audit-log"];
const nameOf = ({ name, email }: Member) => name ?? email;

/** Changes the role of a member. */
export function ChangeRole({ member }: { readonly member: Member }) {
  const choices = useRoleChoices();
  const aboutOf = (role: string) => choices.find(({ value }) => value === role)?.about ?? member.roleName;
  // A role that one may not give is shown, so that opening the dialog changes nothing.
  const own = choices.some(({ value }) => value === member.role)
    ? []
    : [{ value: member.role, label: member.roleName }];
  return (
    <MoneyAction
      label="Change role"
      title={`Role of ${nameOf(member)}`}
      permission="members:write"
      initial={{ role: member.role }}
      fields={(form) => (
        <NativeSelect
          label="Role"
          data={[...own, ...choices.map(({ value, label }) => ({ value, label }))]}
          {...form.getInputProps("role")}
        />
      )}
      what={({ role }) => `${nameOf(member)} may: ${aboutOf(role)}. It holds immediately, on pages that are open too.`}
      edits={editing(member, ({ role }) => ({ role }))}
      send={({ role }: { role: string }, _keyFor, edit) =>
        got(api.PATCH("/members/{id}", { params: { path: { id: member.id } }, body: edit({ role }) }))
      }
      touches={TOUCHES}
      said={(changed) => `${nameOf(member)} is ${calledRole(changed)} now.`}
      button={{ size: "xs", variant: "default" }}
    />
  );
}

/** Removes a member, or withdraws an invitation. */
export const Remove = ({ member }: { readonly member: Member }) => (
  <MoneyAction
    label={member.status === "active" ? "Remove" : "Cancel invitation"}
    title={member.status === "active" ? `Remove ${nameOf(member)}` : `Withdraw the invitation of ${member.email}`}
    permission="members:write"
    danger
    initial={{}}
    what={() =>
      member.status === "active"
        ? `${nameOf(member)} can do nothing here from now on. What they did stays in the audit log.`
        : `The link that was emailed to ${member.email} no longer works.`
    }
    send={() => got(api.DELETE("/members/{id}", { params: { path: { id: member.id } } }))}
    touches={TOUCHES}
    said={() => (member.status === "active" ? `${nameOf(member)} removed` : "Invitation cancelled")}
    button={{ size: "xs" }}
  />
);
