-- A line of a bank statement may be a sale that has no invoice yet: its match makes one, which undoing the match cancels.
alter table reconciliation_allocations add column invoiced boolean not null default false;
