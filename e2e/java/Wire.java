// pgjdbc: CopyManager, rewritten batches, fetch size, cancel, generated keys.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.copy.*;

public class Wire {
    static void check(String what, Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) throw new AssertionError(what + ": " + found + " is not " + wanted);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        String base = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE") + "?sslmode=require&user=" + env.get("PGUSER") + "&password=" + env.get("PGPASSWORD");
        for (String variant : new String[] {"", "&preferQueryMode=simple", "&prepareThreshold=1"}) {
            try (Connection connection = DriverManager.getConnection(base + "&reWriteBatchedInserts=true" + variant)) {
                session(connection, variant);
            }
        }
        System.out.println("pgjdbc: COPY, batches, fetch size, cancel, generated keys, columns of tables");
    }

    static void session(Connection connection, String variant) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE jdbc_w (i int4, t text)");
        }
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        StringBuilder lines = new StringBuilder();
        for (int n = 0; n < 10000; n++) lines.append(n).append("\tline ").append(n).append('\n');
        check("copied in", copies.copyIn("COPY jdbc_w FROM STDIN", new StringReader(lines.toString())), 10000L);
        CopyIn abandoned = copies.copyIn("COPY jdbc_w FROM STDIN");
        byte[] line = "1\tx\n".getBytes(StandardCharsets.UTF_8);
        abandoned.writeToCopy(line, 0, line.length);
        abandoned.cancelCopy();
        try {
            copies.copyIn("COPY jdbc_w FROM STDIN CSV", new StringReader("1,a\nx,b\n"));
            throw new AssertionError("a bad row was taken");
        } catch (SQLException error) {
            check("bad row", error.getSQLState(), "22P02");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        check("copied out", copies.copyOut("COPY (SELECT i, t FROM jdbc_w WHERE i < 2 ORDER BY i) TO STDOUT CSV", out), 2L);
        check("csv", out.toString(StandardCharsets.UTF_8), "0,line 0\n1,line 1\n");

        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO jdbc_w VALUES (?, ?)")) {
            for (int n = 0; n < 300; n++) {
                insert.setInt(1, 20000 + n);
                insert.setString(2, "batch");
                insert.addBatch();
            }
            for (int count : insert.executeBatch()) {
                if (count != 1 && count != Statement.SUCCESS_NO_INFO) throw new AssertionError("batch count " + count);
            }
        }
        connection.setAutoCommit(false);
        try (PreparedStatement select = connection.prepareStatement("SELECT i FROM jdbc_w WHERE i < 25 ORDER BY i")) {
            select.setFetchSize(10);
            int seen = 0;
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) check("row", rows.getInt(1), seen++);
            }
            check("rows", seen, 25);
        }
        connection.commit();
        connection.setAutoCommit(true);
        try (Statement insert = connection.createStatement()) {
            check("insert", insert.executeUpdate("INSERT INTO jdbc_w VALUES (777777, 'k')", new String[] {"i"}), 1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                check("a key", keys.next(), true);
                check("the key", keys.getInt(1), 777777);
            }
        }
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT w.t AS text, w.i, w.i + 1 AS more FROM jdbc_w AS w WHERE false")) {
            ResultSetMetaData columns = rows.getMetaData();
            check("the column's own name", columns.unwrap(org.postgresql.PGResultSetMetaData.class).getBaseColumnName(1), "t");
            check("the table's name", columns.unwrap(org.postgresql.PGResultSetMetaData.class).getBaseTableName(2), "jdbc_w");
            check("the schema's name", columns.unwrap(org.postgresql.PGResultSetMetaData.class).getBaseSchemaName(2), "public");
            check("no table's", columns.unwrap(org.postgresql.PGResultSetMetaData.class).getBaseTableName(3), "");
            check("label", columns.getColumnLabel(1), "text");
            check("counts itself", columns.isAutoIncrement(2), false);
            check("may be NULL", columns.isNullable(2), ResultSetMetaData.columnNullable);
        }
        try (Statement slow = connection.createStatement()) {
            Thread canceller = new Thread(() -> {
                try {
                    for (int n = 0; n < 100; n++) {
                        Thread.sleep(100);
                        slow.cancel();
                    }
                } catch (SQLException | InterruptedException error) {
                    // The statement has ended.
                }
            });
            canceller.start();
            try {
                slow.executeQuery("SELECT sum(a.i * b.i) FROM generate_series(1, 1000000) AS a(i), generate_series(1, 100000000) AS b(i)");
                throw new AssertionError("it was not cancelled");
            } catch (SQLException error) {
                check("cancelled", error.getSQLState(), "57014");
            }
            canceller.interrupt();
            canceller.join();
        }
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT count(*) FROM jdbc_w")) {
            rows.next();
            check("count" + variant, rows.getLong(1), 10301L);
            statement.execute("DROP TABLE jdbc_w");
        }
    }
}
