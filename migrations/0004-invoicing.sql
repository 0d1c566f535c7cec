-- Invoices, quotes, credit notes and bank transfers (spec 2.5, 2.6, 2.11).

-- Numbers without gaps (design 6.5): taken late, in the transaction that uses them, from one row a kind.
create table document_numbers (
  organisation_id text collate "C" not null references organisations,
  kind text collate "C" not null check (kind in ('invoice', 'quote', 'credit_note')),
  last_number bigint not null check (last_number >= 0),
  primary key (organisation_id, kind)
);

-- ---------------------------------------------------------------- invoices
create table invoices (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status in ('draft', 'sent', 'overdue', 'partially_paid', 'paid', 'cancelled')),
  external_reference text collate "C",
  customer_id text collate "C" not null,
  currency text not null,
  issue_date date not null,
  due_date date,
  tax_inclusive boolean not null,             -- the lines' gross was fixed and the VAT taken out of it (design 6.1)
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents > 0),
  paid_cents bigint not null default 0,       -- payments and credits applied
  notes text,
  metadata jsonb not null default '{}',
  period_start date,
  period_end date,
  quote_id text collate "C",
  issued_at timestamptz,                      -- when it entered the books: it left draft
  sent_at timestamptz,
  paid_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  check (subtotal_cents + tax_cents = total_cents),
  check (paid_cents between 0 and total_cents),
  check (status <> 'partially_paid' or paid_cents between 1 and total_cents - 1),
  check (status not in ('draft', 'sent', 'overdue') or paid_cents = 0),
  check ((status = 'paid') = (paid_at is not null) and (status <> 'paid' or paid_cents = total_cents)),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check (issued_at is not null or status in ('draft', 'cancelled')),
  check ((period_start is null) = (period_end is null))
);
create unique index invoices_external_reference on invoices (organisation_id, external_reference) where external_reference is not null;
create index invoices_customer on invoices (organisation_id, customer_id, id);
create index invoices_status on invoices (organisation_id, status, id);
create index invoices_open on invoices (organisation_id, customer_id, issue_date, id) where status in ('sent', 'overdue', 'partially_paid');

create table invoice_lines (
  organisation_id text collate "C" not null references organisations,
  invoice_id text collate "C" not null,
  line smallint not null check (line > 0),
  description text not null,
  details text,
  quantity numeric not null check (quantity > 0),
  unit_price numeric not null check (unit_price >= 0),   -- excluding VAT
  tax_rate numeric not null check (tax_rate between 0 and 100),
  amount_cents bigint not null check (amount_cents >= 0), -- excluding VAT
  tax_cents bigint not null check (tax_cents >= 0),
  period_start date,
  period_end date,
  primary key (organisation_id, invoice_id, line),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
);

-- What reduced an invoice's balance: its paid_cents is the sum of these, those that were undone left out.
create table invoice_payments (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  invoice_id text collate "C" not null,
  source text not null check (source in ('offline', 'transaction', 'credit_note')),
  subject text collate "C",                   -- the transaction's reference, or the credit note's id
  method text check (method in ('eft', 'cash', 'card', 'wallet', 'other')),  -- of an offline payment
  reference text,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  check ((source = 'offline') = (method is not null) and (source = 'offline') = (subject is null))
);
create index invoice_payments_invoice on invoice_payments (organisation_id, invoice_id, id);
create unique index invoice_payments_subject on invoice_payments (organisation_id, subject, invoice_id) where subject is not null;

-- ---------------------------------------------------------------- quotes
create table quotes (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status in ('draft', 'sent', 'expired', 'accepted', 'declined', 'invoiced')),
  customer_id text collate "C" not null,
  currency text not null,
  issue_date date not null,
  expiry_date date,                           -- the last valid day
  period_start date,
  period_end date,
  tax_inclusive boolean not null,
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents > 0),
  notes text,
  invoice_id text collate "C",
  sent_at timestamptz,
  accepted_at timestamptz,
  declined_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  check (subtotal_cents + tax_cents = total_cents),
  check (expiry_date is null or expiry_date >= issue_date),
  check ((period_start is null) = (period_end is null) and (period_end is null or period_end >= period_start)),
  check ((status = 'invoiced') = (invoice_id is not null))
);
create index quotes_customer on quotes (organisation_id, customer_id, id);
create index quotes_status on quotes (organisation_id, status, id);

create table quote_lines (
  organisation_id text collate "C" not null references organisations,
  quote_id text collate "C" not null,
  line smallint not null check (line > 0),
  description text not null,
  details text,
  quantity numeric not null check (quantity > 0),
  unit_price numeric not null check (unit_price >= 0),   -- with VAT when the quote is tax-inclusive
  tax_rate numeric not null check (tax_rate between 0 and 100),
  amount_cents bigint not null check (amount_cents >= 0), -- as the unit price: with VAT when tax-inclusive
  tax_cents bigint not null check (tax_cents >= 0),
  period_start date,
  period_end date,
  primary key (organisation_id, quote_id, line),
  foreign key (organisation_id, quote_id) references quotes (organisation_id, id) on delete cascade
);

alter table invoices add foreign key (organisation_id, quote_id) references quotes (organisation_id, id);
create index invoices_quote on invoices (organisation_id, quote_id) where quote_id is not null;

-- ---------------------------------------------------------------- credit notes
create table credit_notes (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status in ('issued', 'applied', 'partially_applied')),
  customer_id text collate "C" not null,
  invoice_id text collate "C",                -- the invoice it corrects (VAT Act, section 21); null: none
  currency text not null,
  tax_rate numeric not null check (tax_rate between 0 and 100),
  tax_cents bigint not null check (tax_cents >= 0 and tax_cents <= amount_cents),
  amount_cents bigint not null check (amount_cents > 0),  -- with VAT
  remaining_cents bigint not null check (remaining_cents between 0 and amount_cents),
  reason text not null,
  transaction_reference text collate "C",     -- the payment it credits; once each
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  check (status = case remaining_cents when 0 then 'applied' when amount_cents then 'issued' else 'partially_applied' end)
);
create index credit_notes_customer on credit_notes (organisation_id, customer_id, id);
create index credit_notes_open on credit_notes (organisation_id, customer_id, id) where remaining_cents > 0;
create index credit_notes_invoice on credit_notes (organisation_id, invoice_id) where invoice_id is not null;
create unique index credit_notes_transaction on credit_notes (organisation_id, transaction_reference) where transaction_reference is not null;

create table credit_note_applications (
  organisation_id text collate "C" not null references organisations,
  credit_note_id text collate "C" not null,
  invoice_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  applied_at timestamptz not null,
  primary key (organisation_id, credit_note_id, invoice_id),
  foreign key (organisation_id, credit_note_id) references credit_notes (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
);
create index credit_note_applications_invoice on credit_note_applications (organisation_id, invoice_id);

-- ---------------------------------------------------------------- bank transfers
create table eft_orders (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  reference text collate "C" not null,        -- the payer's, and the transaction's (spec 2.2)
  status text collate "C" not null check (status in ('awaiting_payment', 'awaiting_review', 'rejected', 'paid', 'expired', 'cancelled')),
  amount_cents bigint not null check (amount_cents between 1 and 1000000000),
  currency text not null,
  description text,
  external_reference text collate "C",
  metadata jsonb not null default '{}',
  customer_id text collate "C",
  payment_link_id text collate "C",           -- the pay page it began on; null when the API made it
  gateway_account_id text collate "C" not null,
  payer_email text,
  rejection_reason text,
  expires_at timestamptz not null,
  reminded_at timestamptz,
  reviewed_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, reference),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, payment_link_id) references payment_links (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id),
  check ((status = 'paid') = (paid_at is not null))
);
create index eft_orders_status on eft_orders (organisation_id, status, id);
create index eft_orders_customer on eft_orders (organisation_id, customer_id, id) where customer_id is not null;
create index eft_orders_external_reference on eft_orders (organisation_id, external_reference, id) where external_reference is not null;
create index eft_orders_link on eft_orders (organisation_id, payment_link_id, id) where payment_link_id is not null;

create table eft_proofs (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  order_id text collate "C" not null,
  file_name text not null,
  content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg')),
  size integer not null check (size between 1 and 10485760),
  source text not null check (source in ('api', 'dashboard', 'payer')),
  sha256 bytea not null,
  content bytea not null,                     -- here, so that every process can read it
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, order_id, sha256),
  foreign key (organisation_id, order_id) references eft_orders (organisation_id, id)
);
alter table eft_proofs alter column content set storage external;  -- images and PDFs are compressed already

-- ---------------------------------------------------------------- what was there
alter table payment_links
  add column invoice_id text collate "C",
  add column collects_balance boolean not null default false,  -- an invoice's own link: what is open is paid, whatever it was at first
  add foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  add check (invoice_id is not null or not collects_balance);
create index payment_links_invoice on payment_links (organisation_id, invoice_id) where invoice_id is not null;
-- What an invoice's payUrl opens: at most one.
create unique index payment_links_collecting on payment_links (organisation_id, invoice_id) where collects_balance and active;

alter table transactions
  add column invoice_id text collate "C",
  add column eft_order_id text collate "C",
  add foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  add foreign key (organisation_id, eft_order_id) references eft_orders (organisation_id, id);
create index transactions_invoice on transactions (organisation_id, invoice_id, id) where invoice_id is not null;

alter table gateway_notifications drop constraint gateway_notifications_source_check;
alter table gateway_notifications add constraint gateway_notifications_source_check
  check (source in ('notification', 'query', 'payer', 'sweep', 'staff'));

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check
  check (kind in ('payment', 'refund', 'refund_reversal', 'invoice', 'invoice_cancelled', 'offline_payment', 'credit_note', 'credit_application'));

do $$
declare t text;
begin
  foreach t in array array['document_numbers', 'invoices', 'invoice_lines', 'invoice_payments', 'quotes', 'quote_lines', 'credit_notes',
    'credit_note_applications', 'eft_orders', 'eft_proofs'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (organisation_id = app_organisation()) with check (organisation_id = app_organisation())', t);
    execute format('grant select, insert, update, delete on %I to tefo_app', t);
  end loop;
end $$;
