import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountCapabilities } from "../../src/gateways/capabilities.ts";
import { findAdapter } from "../../src/gateways/registry.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { addCardCustomer } from "../support/cards.ts";
import { closeVerified } from "../support/verified.ts";
import { JOURNEYS, type Stage } from "./journeys.ts";
import { recordLeaks } from "./leaks.ts";
import { openStandIn, type StandIn, type StandInProtocol } from "./stand-in.ts";

const NOW = "2027-03-01T10:00:00.000Z";

/** What merchants do, over the gateways of these protocols, which have each another type: one list of journeys, each against a stand-in. */
export function runJourneys(protocols: readonly StandInProtocol[]): void {
  const leaks = recordLeaks();
  let api: TestApi;
  const standIns = new Map<string, StandIn>();
  before(async () => {
    // Every notification comes from this machine.
    const urls: Record<string, string> = { IP_RATE_LIMIT: "1000000" };
    for (const protocol of protocols) {
      const standIn = await openStandIn(protocol);
      standIns.set(protocol.type, standIn);
      urls[`GATEWAY_URL_${protocol.type.toUpperCase()}`] = standIn.url;
    }
    api = await openApi(urls, leaks);
  });
  after(async () => {
    await closeVerified(api).finally(() => Promise.all([...standIns.values()].map((standIn) => standIn.close())));
  });

  const standInOf = (type: string): StandIn => standIns.get(type) ?? assert.fail(type);

  /** A merchant whose account was added as staff do. */
  async function open(type: string): Promise<Stage> {
    const standIn = standInOf(type);
    const shop = await api.addMerchant({ clockAt: new Date(NOW) as never });
    const staff = await shop.signIn();
    const added = await staff<{ id: string; capabilities: string[]; notifyUrl: string }>("POST", "/gateways", {
      type,
      credentials: standIn.credentials,
    });
    assert.equal(added.status, 201, added.text);
    standIn.acts.notifyAt?.(added.body.notifyUrl);
    standIn.setNow(new Date(NOW));
    return {
      ...{ api, shop, staff, standIn },
      account: { id: added.body.id } as Stage["account"],
      can: new Set(added.body.capabilities),
      customer: await addCardCustomer(shop),
      async move(now) {
        standIn.setNow(new Date(now));
        const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
        assert.equal(answer.status, 200, answer.text);
        return answer.body.ran;
      },
    };
  }

  describeGateways(protocols, { api: () => api, standInOf, open });

  test("no secret, token, full number or raw body was logged, and no door has answered a credential or a token", () =>
    leaks.expectNone(standIns.values()));
}

interface Setting {
  readonly api: () => TestApi;
  readonly standInOf: (type: string) => StandIn;
  readonly open: (type: string) => Promise<Stage>;
}

function describeGateways(protocols: readonly StandInProtocol[], { api, standInOf, open }: Setting): void {
  // Each gateway has a stand-in and merchants of its own, so they do not wait for one another.
  describe("gateways", { concurrency: 4 }, () => {
    for (const protocol of protocols) {
      const { type, credentials: known } = protocol;
      describe(type, { concurrency: 1 }, () => {
        const abilities = accountCapabilities(findAdapter(type) ?? assert.fail(type), known);

        test("wrong credentials are refused when they are saved, and none ever comes back", async () => {
          const { wrongCredentials, credentials } = standInOf(type);
          const shop = await api().addMerchant();
          const staff = await shop.signIn();
          if (wrongCredentials) {
            const refused = await staff("POST", "/gateways", { type, credentials: wrongCredentials });
            assert.equal(refused.status, 400, refused.text);
            assert.deepEqual((await staff<{ data: unknown[] }>("GET", "/gateways")).body.data, []);
          }
          const added = await staff("POST", "/gateways", { type, credentials });
          assert.equal(added.status, 201, added.text);
          const texts = [added.text, (await staff("GET", "/gateways")).text, (await staff("GET", "/audit-log")).text];
          const { body: types } = await staff<{
            data: { type: string; credentialFields: { name: string; secret: boolean }[] }[];
          }>("GET", "/gateway-types");
          const fields = types.data.find((one) => one.type === type)?.credentialFields ?? [];
          for (const { name, secret } of fields)
            if (secret && credentials[name])
              for (const text of texts) assert.ok(!text.includes(credentials[name]), name);
        });

        for (const { name, needs, appliesTo, run } of JOURNEYS)
          if (needs.every((one) => abilities.includes(one)) && (appliesTo?.(protocol) ?? true))
            test(name, async () => run(await open(type)));
      });
    }
  });
}
