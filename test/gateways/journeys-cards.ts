import assert from "node:assert/strict";
import { addSetup, cardsNow, type Shown, setupNow } from "../support/cards.ts";
import type { Journey, Stage } from "./journeys.ts";
import { inBooks, shown, start } from "./journeys.ts";
import { decideAt } from "./payer.ts";

/** A card that its customer has added at the gateway. */
async function addedCard(stage: Stage): Promise<Shown> {
  const setup = await addSetup(stage);
  const { location } = await start(stage, String(setup["url"]));
  await decideAt(stage.api, location, "paid");
  assert.equal((await setupNow(stage, setup))["status"], "completed");
  const [card] = await cardsNow(stage);
  assert.ok(card, "the card is listed");
  return card;
}

async function chargeOf(stage: Stage, externalReference: string) {
  const { key } = await stage.shop.addKey(["charge_saved_cards"]);
  const path = `/customers/${stage.customer}/cards/default/charges`;
  return stage.shop.post<Shown>(path, { amount: 50, description: "Fees", externalReference }, { key });
}

const saves: Journey = {
  name: "a card is saved, and charged without its holder",
  needs: ["saveCard", "chargeStoredCard"],
  async run(stage) {
    const card = await addedCard(stage);
    // A gateway that does not say which card it is says neither network nor digits.
    if (card["last4"] === "") assert.deepEqual([card["brand"], card["expiryMonth"]], ["card", null]);
    else assert.match(String(card["last4"]), /^\d{4}$/);
    assert.equal(card["chargeable"], true);
    for (const [outcome, looked, ended] of [
      ["paid", "05", "12"],
      ["declined", "16", "25"],
    ] as const) {
      stage.standIn.acts.nextCharges?.(outcome);
      const answer = await chargeOf(stage, outcome);
      assert.equal(answer.status, 201, answer.text);
      const reference = String(answer.body["reference"]);
      if (answer.body["status"] === "pending") {
        // A charge that takes days is looked at by the gateway first.
        await stage.move(`2027-03-${looked}T10:00:00Z`);
        if ((await shown(stage, reference))["status"] === "pending")
          await stage.standIn.acts.endsDebit?.(reference, outcome === "paid" ? "paid" : "unpaid");
        await stage.move(`2027-03-${ended}T10:00:00Z`);
      }
      assert.equal((await shown(stage, reference))["status"], outcome === "paid" ? "complete" : "failed");
    }
  },
};

const unclearCharge: Journey = {
  name: "a charge whose answer is lost is not made twice",
  needs: ["saveCard", "chargeStoredCard"],
  async run(stage) {
    await addedCard(stage);
    stage.standIn.acts.nextCharges?.("unclear");
    const answer = await chargeOf(stage, "A");
    assert.equal(answer.status, 201, answer.text);
    const reference = String(answer.body["reference"]);
    for (const day of ["02", "03", "05"]) await stage.move(`2027-03-${day}T10:00:00Z`);
    assert.ok(inBooks(stage, reference).length <= 1, "charged twice");
    const status = (await shown(stage, reference))["status"];
    assert.ok(status === "complete" || status === "pending", String(status));
  },
};

export const CARD_JOURNEYS: readonly Journey[] = [saves, unclearCharge];
