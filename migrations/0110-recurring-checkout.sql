-- How often a gateway charges a recurring product again, as it was when its payment was begun.
alter table checkout_payments add column recurring_frequency text collate "C"
  check (recurring_frequency in ('monthly', 'quarterly', 'biannually', 'annually'));
