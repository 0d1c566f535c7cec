import { randomBytes } from "node:crypto";
import { newLinkKey } from "../../src/flows/organisations/link-key.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import type { Secrets } from "../../src/platform/secrets.ts";

/** An organisation that a test stores: an active sandbox on plan business, its clock real time, unless `facts` say otherwise. */
export function newOrganisation(secrets: Secrets, facts: Partial<Organisation> = {}): Organisation {
  const id = newId("org");
  return {
    id,
    slug: `shop-${randomBytes(4).toString("hex")}`,
    name: "Thandi's Shop",
    plan: "business",
    state: "active",
    trialEndsAt: null,
    sandbox: true,
    clockAt: null,
    limits: {},
    rateLimit: null,
    tokenKeySealed: newLinkKey(secrets, id),
    createdAt: machineNow(),
    ...facts,
  };
}
