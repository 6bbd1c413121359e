// pgjdbc: simple, extended and binary, fetch size, batches, metadata, errors, transactions, cancel.
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;

public class Driver {
    static void check(String what, Object found, Object wanted) {
        boolean same = found instanceof byte[] a ? Arrays.equals(a, (byte[]) wanted) : Objects.equals(found, wanted);
        if (!same) throw new AssertionError(what + ": " + found + " is not " + wanted);
    }

    static void refused(String what, String code, Statement statement, String sql) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException error) {
            check(what, error.getSQLState(), code);
            return;
        }
        throw new AssertionError(what + ": no error");
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        String base = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE") + "?sslmode=require&user=" + env.get("PGUSER") + "&password=" + env.get("PGPASSWORD");
        for (String variant : new String[] {"", "&prepareThreshold=1", "&prepareThreshold=1&binaryTransfer=false", "&preferQueryMode=simple", "&reWriteBatchedInserts=true"}) {
            try (Connection connection = DriverManager.getConnection(base + variant)) {
                session(connection, variant);
            } catch (Throwable error) {
                throw new AssertionError("variant '" + variant + "'", error);
            }
        }
        System.out.println("pgjdbc: fine");
    }

    static void session(Connection connection, String variant) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE jdbc_t (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(20,5), t text, y bytea, d date, tm time, ts timestamp, tz timestamptz, u uuid, ia int4[], ta text[])");
        }
        byte[] bytes = new byte[256];
        for (int n = 0; n < 256; n++) bytes[n] = (byte) n;
        OffsetDateTime zoned = OffsetDateTime.of(2024, 7, 1, 10, 0, 0, 0, ZoneOffset.UTC);
        UUID id = new UUID(Long.MIN_VALUE, 1);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO jdbc_t VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")) {
            for (int run = 0; run < 7; run++) {
                insert.setBoolean(1, true);
                insert.setShort(2, Short.MIN_VALUE);
                insert.setInt(3, run);
                insert.setLong(4, Long.MIN_VALUE);
                insert.setFloat(5, 0.5f);
                insert.setDouble(6, 1e300);
                insert.setBigDecimal(7, new BigDecimal("123456789012345.67890"));
                insert.setString(8, "é\t\\");
                insert.setBytes(9, bytes);
                insert.setObject(10, LocalDate.of(2024, 2, 29));
                insert.setObject(11, LocalTime.of(23, 59, 59));
                insert.setObject(12, LocalDateTime.of(1999, 12, 31, 23, 59, 59, 1000));
                insert.setObject(13, zoned);
                insert.setObject(14, id);
                insert.setArray(15, connection.createArrayOf("int4", new Integer[] {1, null, -3}));
                insert.setArray(16, connection.createArrayOf("text", new String[] {"a,\"b\\", null, ""}));
                check("inserted", insert.executeUpdate(), 1);
            }
            insert.setNull(1, Types.BOOLEAN);
            for (int n = 2; n <= 16; n++) insert.setNull(n, Types.NULL);
            check("nulls", insert.executeUpdate(), 1);
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM jdbc_t WHERE i4 = ?")) {
            for (int run = 0; run < 7; run++) {
                select.setInt(1, run);
                try (ResultSet row = select.executeQuery()) {
                    check("row", row.next(), true);
                    check("bool", row.getBoolean(1), true);
                    check("int2", row.getShort(2), Short.MIN_VALUE);
                    check("int4", row.getInt(3), run);
                    check("int8", row.getLong(4), Long.MIN_VALUE);
                    check("float4", row.getFloat(5), 0.5f);
                    check("float8", row.getDouble(6), 1e300);
                    check("numeric", row.getBigDecimal(7), new BigDecimal("123456789012345.67890"));
                    check("text", row.getString(8), "é\t\\");
                    check("bytea", row.getBytes(9), bytes);
                    check("date", row.getObject(10, LocalDate.class), LocalDate.of(2024, 2, 29));
                    check("time", row.getObject(11, LocalTime.class), LocalTime.of(23, 59, 59));
                    check("timestamp", row.getObject(12, LocalDateTime.class), LocalDateTime.of(1999, 12, 31, 23, 59, 59, 1000));
                    check("timestamptz", row.getObject(13, OffsetDateTime.class).toInstant(), zoned.toInstant());
                    check("uuid", row.getObject(14), id);
                    check("int4[]", Arrays.asList((Object[]) row.getArray(15).getArray()), Arrays.asList(1, null, -3));
                    check("text[]", Arrays.asList((Object[]) row.getArray(16).getArray()), Arrays.asList("a,\"b\\", null, ""));
                    check("one row", row.next(), false);
                }
            }
        }
        connection.setAutoCommit(false);
        try (PreparedStatement many = connection.prepareStatement("SELECT i::int8 FROM range(25) AS t(i)")) {
            many.setFetchSize(10);
            for (int run = 0; run < 7; run++) {
                long sum = 0;
                int count = 0;
                try (ResultSet rows = many.executeQuery()) {
                    while (rows.next()) {
                        sum += rows.getLong(1);
                        count++;
                    }
                }
                check("fetch size: rows", count, 25);
                check("fetch size: sum", sum, 300L);
            }
        }
        connection.commit();
        try (Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM jdbc_t");
            refused("division", "22012", statement, "SELECT 1/0");
            refused("aborted", "25P02", statement, "SELECT 1");
            connection.rollback();
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM jdbc_t")) {
                row.next();
                check("after rollback", row.getLong(1), 8L);
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
        try (PreparedStatement batch = connection.prepareStatement("INSERT INTO jdbc_t (i4, t) VALUES (?, ?)")) {
            for (int n = 100; n < 120; n++) {
                batch.setInt(1, n);
                batch.setString(2, "batch");
                batch.addBatch();
            }
            batch.executeBatch();
        }
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM jdbc_t WHERE t = 'batch'")) {
                row.next();
                check("batch", row.getLong(1), 20L);
            }
            refused("missing", "42P01", statement, "SELECT * FROM no_such_table");
        }
        DatabaseMetaData metadata = connection.getMetaData();
        try (ResultSet tables = metadata.getTables(null, "public", "jdbc_t", new String[] {"TABLE"})) {
            check("getTables", tables.next(), true);
            check("getTables name", tables.getString("TABLE_NAME"), "jdbc_t");
        }
        try (ResultSet columns = metadata.getColumns(null, "public", "jdbc_t", "%")) {
            int count = 0;
            while (columns.next()) count++;
            check("getColumns", count, 16);
        }
        try (Statement statement = connection.createStatement()) {
            Thread canceller = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (Exception error) {
                    throw new RuntimeException(error);
                }
            });
            canceller.start();
            long start = System.nanoTime();
            refused("cancel", "57014", statement, "SELECT count(*) FROM range(1000000000000)");
            canceller.join();
            check("cancel in time", System.nanoTime() - start < 1_500_000_000L, true);
            statement.execute("DROP TABLE jdbc_t");
        }
    }
}
