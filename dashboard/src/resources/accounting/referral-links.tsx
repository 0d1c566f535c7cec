import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId } from "../../components/values.tsx";

/** The organisation's links for signing up with accounting partners, with the counts of each (interface 4.13). */
export const Page = () => (
  <ResourceList
    resource="accounting/referral-links"
    title="Partner links"
    path="/accounting/referral-links"
    searchable={false}
    idOf={({ partner }) => partner}
    linkOf={() => null}
    columns={[
      { name: "name", label: "Partner", cell: ({ name }) => name },
      { name: "url", label: "Link", cell: ({ url }) => <CopyId id={url} /> },
      { name: "clicks", label: "Clicks", figures: true, cell: ({ clicks }) => clicks },
      { name: "signUps", label: "Sign-ups", figures: true, cell: ({ signUps }) => signUps },
    ]}
    empty={{
      title: "No partner",
      text: "For each accounting partner there is a link of your own, which counts who opens it and who signs up there.",
    }}
  />
);
