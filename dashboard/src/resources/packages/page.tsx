import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useActing, useMay } from "../../api/session.ts";
import { DeleteAction } from "../../components/delete-action.tsx";
import { ButtonLink, TextLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { TierLines } from "../../components/tier-fields.tsx";
import { CopyId, Money, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { priceVatInWords } from "../../lib/vat.ts";
import { counted } from "../../lib/words.ts";
import { ExternalComparison } from "./external.tsx";
import { featureInWords } from "./feature-fields.tsx";

type Package = Shape<"Package">;

/** The page of a package, with its plans. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { membership } = useActing();
  const params = { path: { id } };
  const found = useRecord(["/packages", id], () => got(api.GET("/packages/{id}", { params })));
  return (
    <ResourcePage
      resource="packages"
      list="Packages"
      record={found}
      show={(record) => ({
        title: record.name,
        name: record.name,
        id: record.id,
        status: record.enabled ? "enabled" : "disabled",
        facts: facts(record),
        actions: (
          <>
            <Permitted to="packages:write">
              <ButtonLink to={`${pathTo("packages", id)}/edit`} variant="default">
                Edit
              </ButtonLink>
            </Permitted>
            <DeleteAction
              name={record.name}
              permission="packages:write"
              what={`It goes with ${counted(record.plans.length, "plan")}. A package whose plans are used stays; disable it instead.`}
              send={() => got(api.DELETE("/packages/{id}", { params }))}
              touches={["/packages", "/plans"]}
              to="/packages"
            />
          </>
        ),
        sections: (
          <>
            <Plans of={record} />
            {membership.plan.features.includes("invoicing") && (
              <Permitted to="subscriptions:read">
                <ExternalComparison id={record.id} />
              </Permitted>
            )}
          </>
        ),
      })}
    />
  );
}

const facts = (record: Package) =>
  [
    ["Description", <Words key="description" of={record.description} />],
    [
      "Subscriptions",
      <TextLink key="subscriptions" to="/customer-subscriptions" search={{ packageId: record.id }}>
        Those of this package
      </TextLink>,
    ],
    ["Created", <Time key="made" at={record.createdAt} />],
    ["Last updated", <Time key="changed" at={record.updatedAt} />],
  ] as const;

function Plans({ of }: { readonly of: Package }) {
  const may = useMay();
  const to = `${pathTo("packages", of.id)}/plans`;
  return (
    <Section
      title="Plans"
      actions={
        <Permitted to="packages:write">
          <ButtonLink to={`${to}/new`} size="xs">
            New plan
          </ButtonLink>
        </Permitted>
      }
    >
      <Rows
        label="Plans"
        items={of.plans}
        keyOf={({ id }) => id}
        none="No plan yet. Nobody can subscribe to a package without a plan."
        columns={[
          {
            label: "Name",
            cell: ({ id, name }) =>
              may("packages:write") ? (
                <TextLink to={`${to}/${id}`}>
                  <Words of={name} />
                </TextLink>
              ) : (
                <Words of={name} />
              ),
          },
          { label: "Status", cell: ({ enabled }) => <Status of={enabled ? "enabled" : "disabled"} /> },
          {
            label: "Price",
            figures: true,
            cell: (plan) => (
              <>
                <Money amount={plan.amount} currency={plan.currency} /> {per(plan.frequency)}
                <TierLines of={plan} currency={plan.currency} />
              </>
            ),
          },
          {
            label: "VAT",
            figures: true,
            cell: (plan) => priceVatInWords(plan),
          },
          {
            label: "Set-up fee",
            figures: true,
            cell: ({ setupFee, currency }) => <Money amount={setupFee} currency={currency} />,
          },
          {
            label: "Includes",
            cell: ({ features }) => (
              <Words of={features.map((feature) => `${feature.key}: ${featureInWords(feature)}`).join(", ") || null} />
            ),
          },
          { label: "Trial", figures: true, cell: ({ trialDays }) => counted(trialDays, "day") },
          { label: "Id", cell: ({ id, code }) => <CopyId id={code ?? id} /> },
          ...(may("packages:write")
            ? [{ label: "Actions", cell: (plan: Shape<"Plan">) => <DeletePlan plan={plan} /> }]
            : []),
        ]}
      />
    </Section>
  );
}

const DeletePlan = ({ plan: { id: planId, packageId: id, name } }: { readonly plan: Shape<"Plan"> }) => (
  <DeleteAction
    name={name}
    permission="packages:write"
    what="Nobody can subscribe to it again. A plan that subscriptions, checkouts or coupons use stays; disable it instead."
    send={() => got(api.DELETE("/packages/{id}/plans/{planId}", { params: { path: { id, planId } } }))}
    touches={["/packages", "/plans"]}
  />
);
