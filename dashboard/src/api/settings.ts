import { api, got } from "./client.ts";
import { useRecord } from "./records.ts";

/** What forms take from the settings, which those who may not read these need, too. */
export const useFormDefaults = () => useRecord(["/settings", "defaults"], () => got(api.GET("/settings/defaults")));
