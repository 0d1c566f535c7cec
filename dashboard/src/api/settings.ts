import { api, got } from "./client.ts";
import { useRecord } from "./records.ts";

/** The organisation's settings. */
export const useSettings = () => useRecord(["/settings"], () => got(api.GET("/settings")));
