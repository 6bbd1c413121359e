// pgx: types in binary and by the simple protocol, errors, transactions, batches, cancel.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func must(err error, what string) {
	if err != nil {
		fmt.Println(what+":", err)
		os.Exit(1)
	}
}

func check(what string, found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		fmt.Printf("%s: %#v is not %#v\n", what, found, wanted)
		os.Exit(1)
	}
}

func code(err error) string {
	var report *pgconn.PgError
	if errors.As(err, &report) {
		return report.Code
	}
	return fmt.Sprint(err)
}

func main() {
	ctx := context.Background()
	config, err := pgx.ParseConfig("")
	must(err, "config")
	config.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		config.DefaultQueryExecMode = mode
		connection, err := pgx.ConnectConfig(ctx, config)
		must(err, "connect")
		session(ctx, connection, mode)
		must(connection.Close(ctx), "close")
	}
	fmt.Println("pgx: fine")
}

func session(ctx context.Context, connection *pgx.Conn, mode pgx.QueryExecMode) {
	what := mode.String()
	_, err := connection.Exec(ctx, "CREATE TABLE pgx_t (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, t text, y bytea, d date, ts timestamp, tz timestamptz, ia int4[], ta text[])")
	must(err, what+" create")
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	stamp := time.Date(1999, 12, 31, 23, 59, 59, 1000, time.UTC)
	all := make([]byte, 256)
	for index := range all {
		all[index] = byte(index)
	}
	tag, err := connection.Exec(ctx, "INSERT INTO pgx_t VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)",
		true, int16(-32768), int32(2147483647), int64(-9223372036854775808), float32(0.5), 1e300, "é\t\\", all, day, stamp, stamp, []int32{1, -3}, []string{"a,\"b\\", ""})
	must(err, what+" insert")
	check(what+" tag", tag.String(), "INSERT 0 1")
	var (
		b      bool
		i2     int16
		i4     int32
		i8     int64
		f4     float32
		f8     float64
		t      string
		y      []byte
		d, ts  time.Time
		tz     time.Time
		ia     []int32
		ta     []string
	)
	must(connection.QueryRow(ctx, "SELECT * FROM pgx_t").Scan(&b, &i2, &i4, &i8, &f4, &f8, &t, &y, &d, &ts, &tz, &ia, &ta), what+" select")
	check(what+" ints", []any{b, i2, i4, i8}, []any{true, int16(-32768), int32(2147483647), int64(-9223372036854775808)})
	check(what+" floats", []any{f4, f8, t}, []any{float32(0.5), 1e300, "é\t\\"})
	check(what+" bytes", bytes.Equal(y, all), true)
	check(what+" times", []bool{d.Equal(day), ts.Equal(stamp), tz.Equal(stamp)}, []bool{true, true, true})
	check(what+" arrays", []any{ia, ta}, []any{[]int32{1, -3}, []string{"a,\"b\\", ""}})
	_, err = connection.Exec(ctx, "SELECT * FROM no_such_table")
	check(what+" missing", code(err), "42P01")
	transaction, err := connection.Begin(ctx)
	must(err, what+" begin")
	_, err = transaction.Exec(ctx, "DELETE FROM pgx_t")
	must(err, what+" delete")
	_, err = transaction.Exec(ctx, "SELECT 1/0")
	check(what+" division", code(err), "22012")
	must(transaction.Rollback(ctx), what+" rollback")
	var count int64
	must(connection.QueryRow(ctx, "SELECT count(*) FROM pgx_t").Scan(&count), what+" count")
	check(what+" count", count, int64(1))
	batch := &pgx.Batch{}
	for n := range 10 {
		batch.Queue("INSERT INTO pgx_t (i4) VALUES ($1)", int32(n))
	}
	must(connection.SendBatch(ctx, batch).Close(), what+" batch")
	must(connection.QueryRow(ctx, "SELECT count(*) FROM pgx_t").Scan(&count), what+" count")
	check(what+" batch", count, int64(11))
	_, err = connection.Exec(ctx, "DROP TABLE pgx_t")
	must(err, what+" drop")
	go func() {
		time.Sleep(300 * time.Millisecond)
		must(connection.PgConn().CancelRequest(ctx), what+" cancel request")
	}()
	start := time.Now()
	_, err = connection.Exec(ctx, "SELECT count(*) FROM range(1000000000000)")
	check(what+" cancel", code(err), "57014")
	check(what+" cancel in time", time.Since(start) < 1500*time.Millisecond, true)
}
