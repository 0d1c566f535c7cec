import { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS, EVENTS } from "../../catalogue.ts";
import { clientDocument, dashboardDocument } from "../../http/openapi.ts";
import type { Run } from "./command.ts";

/** `openapi`: prints the document, generated from the code; needs no database. */
export const openapi: Run = async (call) => {
  const document = call.given("dashboard")
    ? dashboardDocument(DASHBOARD_ENDPOINTS)
    : clientDocument(CLIENT_ENDPOINTS, EVENTS);
  await call.print(`${JSON.stringify(document, null, call.json ? 0 : 2)}\n`);
  return 0;
};
