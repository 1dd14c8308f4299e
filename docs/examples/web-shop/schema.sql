SET ROLE shop_owner;
CREATE TABLE customers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email citext NOT NULL UNIQUE);
CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer bigint NOT NULL REFERENCES customers, placed timestamptz NOT NULL DEFAULT now());
CREATE INDEX orders_placed ON orders (placed);
