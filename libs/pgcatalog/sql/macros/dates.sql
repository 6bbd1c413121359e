CREATE OR REPLACE MACRO __pintail.pg.clock_timestamp() AS now();
CREATE OR REPLACE MACRO __pintail.pg.statement_timestamp() AS now();
CREATE OR REPLACE MACRO __pintail.pg.transaction_timestamp() AS now();
CREATE OR REPLACE MACRO __pintail.pg.timeofday() AS strftime(now(), '%a %b %d %H:%M:%S.%f %Y UTC');
CREATE OR REPLACE MACRO __pintail.pg.to_timestamp(a) AS system.main.to_timestamp(a::DOUBLE);
CREATE OR REPLACE MACRO __pintail.pg._to_timestamp(s, f) AS strptime(s, f)::TIMESTAMPTZ;
CREATE OR REPLACE MACRO __pintail.pg._to_date(s, f) AS strptime(s, f)::DATE;
CREATE OR REPLACE MACRO __pintail.pg.make_interval(years := 0, months := 0, weeks := 0, days := 0, hours := 0, mins := 0, secs := 0) AS
    to_years(years) + to_months(months) + to_days((weeks * 7 + days)::INTEGER) + to_hours(hours) + to_minutes(mins) + to_microseconds((secs * 1000000)::BIGINT);
CREATE OR REPLACE MACRO __pintail.pg.justify_days(i) AS to_months((date_part('year', i) * 12 + date_part('month', i) + date_part('day', i) // 30)::INTEGER) + to_days((date_part('day', i) % 30)::INTEGER) + (i - to_days(date_part('day', i)::INTEGER) - to_months((date_part('year', i) * 12 + date_part('month', i))::INTEGER));
CREATE OR REPLACE MACRO __pintail.pg.justify_hours(i) AS i
