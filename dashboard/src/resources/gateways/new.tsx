import { Paper, Stack, Text, Title } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useActing } from "../../api/session.ts";
import { ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { pathTo } from "../../lib/paths.ts";
import { AboutType } from "./about-type.tsx";
import { AccountFields, newValues, typedCredentials, type Values } from "./account-form.tsx";

type Type = Shape<"GatewayType">;

/** Adds a gateway: first its type, then the form of that type. */
export function Page() {
  const { type: chosen } = useLocation().search as { type?: string };
  const types = useRecord(["/gateway-types"], () => got(api.GET("/gateway-types")));
  const type = types.data?.data.find((one) => one.type === chosen);
  return (
    <Frame
      title={type ? `Add ${type.name}` : "Add a gateway"}
      back={type ? { label: "All gateways", to: "/gateways/new" } : { label: "Gateways", to: "/gateways" }}
    >
      <Loaded of={types}>{({ data }) => (type ? <New key={type.type} type={type} /> : <Types types={data} />)}</Loaded>
    </Frame>
  );
}

const Types = ({ types }: { readonly types: readonly Type[] }) => (
  <div className="tefo-choices">
    {types.map((type) => (
      <Paper withBorder p="lg" key={type.type}>
        <Stack gap="xs">
          <Title order={2} size="h4">
            <TextLink to="/gateways/new" search={{ type: type.type }}>
              {type.name}
            </TextLink>
          </Title>
          <AboutType type={type} />
        </Stack>
      </Paper>
    ))}
  </div>
);

const NOTIFY: Readonly<Record<NonNullable<Type["notifyUrl"]>, string>> = {
  "sent with each payment":
    "It is told with each payment where to report what became of it; there is nothing to set up.",
  "registered when saved": "It is told where to report when you save.",
  "pasted by staff": "Once it is saved, copy its notification address into the gateway's own dashboard.",
};

function New({ type }: { readonly type: Type }) {
  const { membership } = useActing();
  const bodyOf = (values: Values) => ({
    type: type.type,
    ...values,
    name: values.name.trim(),
    credentials: typedCredentials(values),
  });
  return (
    <>
      <AboutType type={type} />
      {type.notifyUrl && <Text size="sm">{NOTIFY[type.notifyUrl]}</Text>}
      <ResourceForm
        initial={newValues(type, membership.sandbox)}
        fields={(form) => (
          <AccountFields
            form={form}
            type={type}
            set={[]}
            test={(values) => {
              const { mode, credentials } = bodyOf(values);
              return got(api.POST("/gateways/test", { body: { type: type.type, mode, credentials } }));
            }}
          />
        )}
        label="Add the gateway"
        send={(values: Values) => got(api.POST("/gateways", { body: bodyOf(values) }))}
        touches={["/gateways", "/payout-hold"]}
        said="Gateway added"
        to={({ id }) => pathTo("gateways", id)}
        back="/gateways"
      />
    </>
  );
}
