import { getJson, type Shape } from "../../api/client.ts";
import { ApiFailure } from "../../api/failure.ts";
import { useRecord } from "../../api/records.ts";

/** Reads one endpoint. An organisation has few, so it is found in their list. Throws 404 like other records. */
export const useEndpoint = (id: string) =>
  useRecord(["/webhook-endpoints", id], async () => {
    const { data } = (await getJson("/webhook-endpoints", { limit: "100" })) as { data: Shape<"WebhookEndpoint">[] };
    const found = data.find((endpoint) => endpoint.id === id);
    if (!found) throw new ApiFailure(404, { error: "not_found", message: "There is no such endpoint." }, null);
    return found;
  });
