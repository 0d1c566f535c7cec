-- The South African day of a charge has the name that the code and verify use.
alter table card_charges rename column business_day to charge_day;
