import type { GatewayOption } from "../../templates/pages/gateway-choice.ts";

const SAMPLE: GatewayOption = {
  id: "preview",
  name: "Card (sample)",
  methods: ["None of your gateways takes this yet"],
  byHand: false,
  isDown: false,
};

/** The ways to pay in a preview: the organisation's own gateways; without any, a sample that says so. */
export const previewGateways = (own: readonly GatewayOption[]): readonly GatewayOption[] =>
  own.length > 0 ? own : [SAMPLE];
