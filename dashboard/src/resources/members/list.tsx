import { Group } from "@mantine/core";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { ChangeRole, Remove } from "./actions.tsx";

/** The list of members and open invitations. */
export const Page = () => (
  <ResourceList
    resource="members"
    title="Team"
    path="/members"
    exported="/exports/members.csv"
    create={{ label: "Invite team member", permission: "members:write", to: "/members/new" }}
    linkOf={() => null}
    columns={[
      { name: "email", label: "Email address", cell: ({ email }) => <Words of={email} /> },
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      { name: "role", label: "Role", cell: ({ roleName }) => <Words of={roleName} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      {
        name: "actions",
        label: "Actions",
        cell: (member) => (
          <Group gap="xs">
            <ChangeRole member={member} />
            <Remove member={member} />
          </Group>
        ),
      },
    ]}
    empty={{ title: "Only you so far", text: "Invite a colleague, with the role that fits what they do." }}
  />
);
