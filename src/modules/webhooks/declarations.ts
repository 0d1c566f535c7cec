import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { EndpointTest } from "./schema.ts";

export const ENDPOINT_TEST = event("endpoint.test", {
  about: "`{endpointId}`: a test that a key or staff asked for.",
  data: EndpointTest,
});

/** Sends a delivery to its endpoint; each endpoint is a lane. Deliveries mostly wait for the endpoint's server, so many run at once. */
export const WEBHOOK_DELIVER = dueWork("webhook.deliver", {
  together: 32,
  perProcess: 1024,
  ownLanes: true,
  followUps: 0,
});
