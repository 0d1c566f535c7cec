import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { areasOf } from "../../components/areas.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink, TextLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Facts, ResourcePage, Section } from "../../components/resource-page.tsx";
import { Time } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { counted } from "../../lib/words.ts";

type Role = Shape<"Role">;

/** The page of a role. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const role = useRecord(["/roles", id], () => got(api.GET("/roles/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="roles"
      list="Roles"
      record={role}
      show={(record) => ({
        title: record.name,
        name: record.name,
        id: record.id,
        facts: [
          ["Made by", record.builtIn ? "Built in" : "You"],
          [
            "Held by",
            <TextLink key="holders" to="/members">
              {counted(record.holders, "person", "people")}
            </TextLink>,
          ],
          ["Last updated", <Time key="changed" at={record.updatedAt} />],
        ],
        actions: <Actions role={record} />,
        sections: <Permissions role={record} />,
        timeline: !record.builtIn,
      })}
    />
  );
}

const Permissions = ({ role }: { readonly role: Role }) => {
  const { see, change } = areasOf(role.permissions);
  return (
    <Section title="Permissions">
      <Facts
        of={[
          ["May see and change", change.join(", ") || "Nothing"],
          ["May see only", see.join(", ") || "Nothing else"],
          ["Everybody has", "The home page, search and timelines, of what they may see"],
        ]}
      />
    </Section>
  );
};

/** A built-in role can only be copied. */
const Actions = ({ role }: { readonly role: Role }) => (
  <>
    <Permitted to="members:write">
      <ButtonLink to="/roles/new" search={{ from: role.id }} variant="default">
        Copy
      </ButtonLink>
    </Permitted>
    {!role.builtIn && (
      <>
        <Permitted to="members:write">
          <ButtonLink to={`${pathTo("roles", role.id)}/edit`} variant="default">
            Edit
          </ButtonLink>
        </Permitted>
        <DeleteAction
          name={role.name}
          permission="members:write"
          what="Only a role that nobody has can be deleted: give its members another one first."
          send={() => got(api.DELETE("/roles/{id}", { params: { path: { id: role.id } } }))}
          touches={["/roles", "/audit-log"]}
          to="/roles"
        />
      </>
    )}
  </>
);
