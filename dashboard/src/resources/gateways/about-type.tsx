import { List, Text } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { abilities } from "../../lib/gateway-words.ts";

/** What a type of gateway can do, costs and cannot do. */
export const AboutType = ({ type }: { readonly type: Shape<"GatewayType"> }) => (
  <>
    <Text size="sm">
      {type.capabilities.length > 0 ? `It does ${abilities(type.capabilities)}.` : ""}{" "}
      {type.currencies ? `Currencies: ${type.currencies.join(", ")}.` : "Any currency."}
    </Text>
    {type.fees && <Text size="sm">{type.fees.about}</Text>}
    {type.limits.length > 0 && (
      <List size="sm">
        {type.limits.map((limit) => (
          <List.Item key={limit}>{limit}</List.Item>
        ))}
      </List>
    )}
  </>
);
