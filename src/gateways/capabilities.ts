import type { Capability, Credentials, GatewayAdapter } from "./contract.ts";
import { credentialOf } from "./credentials.ts";

/** Whether an adapter has each capability, in the order in which they are listed. */
const PARTS: Readonly<Record<Capability, (adapter: GatewayAdapter) => boolean>> = {
  onceOff: (adapter) => adapter.checkout !== undefined,
  recurring: (adapter) => adapter.checkout !== undefined && adapter.subscriptions !== undefined,
  pause: (adapter) => adapter.subscriptions?.pausing !== undefined,
  resume: (adapter) => adapter.subscriptions?.pausing !== undefined,
  cancel: (adapter) => adapter.subscriptions !== undefined,
  changeAmount: (adapter) => adapter.subscriptions?.changing?.amount === true,
  changeDate: (adapter) => adapter.subscriptions?.changing?.nextDate === true,
  saveCard: (adapter) => adapter.checkout?.savesCards === true,
  chargeStoredCard: (adapter) => adapter.storedCards !== undefined,
  refund: (adapter) => adapter.refunds !== undefined,
  debitOrders: (adapter) => adapter.debitOrders !== undefined,
  eMandate: (adapter) => adapter.eMandates !== undefined,
  bankAccountCheck: (adapter) => adapter.bankAccountCheck !== undefined,
  manualBankTransfer: (adapter) => adapter.manualBankTransfer !== undefined,
};

export const CAPABILITIES = Object.keys(PARTS) as readonly Capability[];

/** The capabilities of a gateway. */
export const capabilitiesOf = (adapter: GatewayAdapter): readonly Capability[] =>
  CAPABILITIES.filter((capability) => PARTS[capability](adapter));

/** The capabilities of one gateway account, without those that need a credential that this account does not have. Contains no secret. */
export function accountCapabilities(adapter: GatewayAdapter, credentials: Credentials): readonly Capability[] {
  const withheld = new Set<Capability>();
  for (const field of adapter.credentialFields) {
    const { enables } = field;
    if (!enables) continue;
    const value = credentialOf(field, credentials);
    const on = enables.when === undefined ? value !== undefined && value !== "" : value === enables.when;
    if (!on) for (const capability of enables.capabilities) withheld.add(capability);
  }
  return capabilitiesOf(adapter).filter((capability) => !withheld.has(capability));
}
