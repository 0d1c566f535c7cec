import { List, Text } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { abilities } from "../../lib/gateway-words.ts";

/** The abilities, the cost and the limits of a type of gateway. */
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
