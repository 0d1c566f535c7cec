/** Fills the kept rows of awaited payments from payments that were written without triggers, and that no statement has shown. */
export const AWAITED_PAYMENTS = `
  insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
  select organisation_id, id, type, currency, gateway_account_id, paid_at from transactions where type in ('eft', 'debit_order') and paid_at is not null
  on conflict do nothing;`;
