-- The card that paid, as far as its gateway told: what names it to people.
alter table transactions add column card_brand text collate "C";
alter table transactions add column card_last4 text collate "C";
