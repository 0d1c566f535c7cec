-- PostgreSQL parses and plans the text of every check of a table anew for each statement that writes to it. Tables that most requests write
-- to have the same conditions in a function, which a connection compiles once, and their lists of values as one constant (decision 210).
-- The rows were checked by the constraints that these replace; the next migration validates the new ones, without blocking who writes.

/** What holds for the amounts, times and status of each invoice; amounts in cents. */
create function is_valid_invoice(status text, subtotal bigint, tax bigint, total bigint, paid bigint, issued_at timestamptz,
  paid_at timestamptz, cancelled_at timestamptz, period_start date, period_end date)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return subtotal >= 0 and tax >= 0 and total > 0 and subtotal + tax = total and paid between 0 and total
     and case when status in ('draft', 'sent', 'overdue') then paid = 0
              when status = 'partially_paid' then paid > 0 and paid < total
              when status = 'paid' then paid = total
              else true end
     and (status = 'paid') = (paid_at is not null)
     and (status = 'cancelled') = (cancelled_at is not null)
     and (issued_at is not null or status in ('draft', 'cancelled'))
     and (period_start is null) = (period_end is null);
end $$;

/** What holds for each line of an invoice; amounts in cents. */
create function is_valid_line(line smallint, quantity numeric, unit_price numeric, tax_rate numeric, amount bigint, tax bigint)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return line > 0 and quantity > 0 and unit_price >= 0 and tax_rate between 0 and 100 and amount >= 0 and tax >= 0;
end $$;

/** What holds for each payment link; amounts in cents. */
create function is_valid_payment_link(amount bigint, recurring_frequency text, recurring_amount bigint, invoice_id text,
  collects_balance boolean, paid_count integer)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return amount between 1 and 1000000000
     and (recurring_frequency is null) = (recurring_amount is null)
     and (recurring_amount is null or recurring_amount > 0)
     and (invoice_id is not null or not collects_balance)
     and paid_count >= 0;
end $$;

/** What holds for each mail: it is written, or has the facts that it is written from; only then it may hold a secret. */
create function is_valid_email(from_name text, subject text, text_body text, html_body text, facts jsonb, secret_sealed text)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return num_nonnulls(from_name, subject, text_body, html_body) = case when facts is null then 4 else 0 end
     and (secret_sealed is null or facts is not null);
end $$;

alter table invoices add constraint invoices_check8 check (is_valid_invoice(status, subtotal_cents, tax_cents, total_cents, paid_cents,
  issued_at, paid_at, cancelled_at, period_start, period_end)) not valid;
alter table invoices drop constraint invoices_check;
alter table invoices drop constraint invoices_check1;
alter table invoices drop constraint invoices_check2;
alter table invoices drop constraint invoices_check3;
alter table invoices drop constraint invoices_check4;
alter table invoices drop constraint invoices_check5;
alter table invoices drop constraint invoices_check6;
alter table invoices drop constraint invoices_check7;
alter table invoices drop constraint invoices_subtotal_cents_check;
alter table invoices drop constraint invoices_tax_cents_check;
alter table invoices drop constraint invoices_total_cents_check;
alter table invoices rename constraint invoices_check8 to invoices_check;
alter table invoices drop constraint invoices_status_check;
alter table invoices add constraint invoices_status_check
  check (status = any ('{draft,sent,overdue,partially_paid,paid,cancelled}')) not valid;

alter table invoice_lines add constraint invoice_lines_check
  check (is_valid_line(line, quantity, unit_price, tax_rate, amount_cents, tax_cents)) not valid;
alter table invoice_lines drop constraint invoice_lines_line_check;
alter table invoice_lines drop constraint invoice_lines_quantity_check;
alter table invoice_lines drop constraint invoice_lines_unit_price_check;
alter table invoice_lines drop constraint invoice_lines_tax_rate_check;
alter table invoice_lines drop constraint invoice_lines_amount_cents_check;
alter table invoice_lines drop constraint invoice_lines_tax_cents_check;

alter table payment_links add constraint payment_links_check2 check (is_valid_payment_link(amount_cents, recurring_frequency,
  recurring_amount_cents, invoice_id, collects_balance, paid_count)) not valid;
alter table payment_links drop constraint payment_links_amount_cents_check;
alter table payment_links drop constraint payment_links_check;
alter table payment_links drop constraint payment_links_check1;
alter table payment_links drop constraint payment_links_paid_count_check;
alter table payment_links drop constraint payment_links_recurring_amount_cents_check;
alter table payment_links rename constraint payment_links_check2 to payment_links_check;
alter table payment_links drop constraint payment_links_recurring_frequency_check;
alter table payment_links add constraint payment_links_recurring_frequency_check
  check (recurring_frequency = any ('{monthly,quarterly,biannually,annually}')) not valid;

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any
  ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,reversal}')) not valid;

alter table journal_lines drop constraint journal_lines_account_check;
alter table journal_lines add constraint journal_lines_account_check check (account = any
  ('{receivable,revenue,vat_output,gateway_clearing,gateway_fees,customer_credit,refunds,bank}')) not valid;

alter table emails add constraint emails_check
  check (is_valid_email(from_name, subject, text_body, html_body, facts, secret_sealed)) not valid;
alter table emails drop constraint emails_written_check;
alter table emails drop constraint emails_secret_check;
alter table emails drop constraint emails_status_check;
alter table emails add constraint emails_status_check
  check (status = any ('{recorded,queued,sending,sent,failed,unknown}')) not valid;

alter table document_numbers drop constraint document_numbers_kind_check;
alter table document_numbers add constraint document_numbers_kind_check check (kind = any ('{invoice,quote,credit_note}')) not valid;
