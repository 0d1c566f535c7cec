import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";

/** Reads one endpoint. */
export const useEndpoint = (id: string) =>
  useRecord(["/webhook-endpoints", id], () => got(api.GET("/webhook-endpoints/{id}", { params: { path: { id } } })));
