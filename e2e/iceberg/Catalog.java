import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.rest.HTTPRequest;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.apache.iceberg.rest.RESTResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/**
 * Iceberg's reference REST catalog on loopback, its tables in an S3 store, with OAuth2 client credentials in front.
 *
 * <p>The environment says everything: S3_ENDPOINT, S3_KEY_ID and S3_SECRET (the catalog's own keys), WAREHOUSE (an s3:// URL),
 * DIRECTORY (for its database), CLIENT_ID and CLIENT_SECRET, TOKEN_SECONDS, and VENDED_KEY_ID and VENDED_SECRET where it
 * vends keys with a table. It writes its port as one line and each request as a line after that.
 */
public final class Catalog {
    public static void main(String[] arguments) throws Exception {
        // The store takes plain bodies more reliably than those with a trailing checksum.
        System.setProperty("aws.requestChecksumCalculation", "WHEN_REQUIRED");
        System.setProperty("aws.responseChecksumValidation", "WHEN_REQUIRED");
        Map<String, String> properties = new HashMap<>();
        properties.put(CatalogProperties.CATALOG_IMPL, "org.apache.iceberg.jdbc.JdbcCatalog");
        properties.put(CatalogProperties.URI, "jdbc:sqlite:" + Path.of(env("DIRECTORY"), "catalog.sqlite"));
        properties.put("jdbc.schema-version", "V1");
        properties.put(CatalogProperties.WAREHOUSE_LOCATION, env("WAREHOUSE"));
        properties.put(CatalogProperties.FILE_IO_IMPL, "org.apache.iceberg.aws.s3.S3FileIO");
        properties.put("s3.endpoint", env("S3_ENDPOINT"));
        properties.put("s3.path-style-access", "true");
        properties.put("s3.access-key-id", env("S3_KEY_ID"));
        properties.put("s3.secret-access-key", env("S3_SECRET"));
        properties.put("client.region", "us-east-1");
        properties.put("http-client.type", "urlconnection");

        var adapter = new Vending(CatalogUtil.buildIcebergCatalog("reference", properties, null));
        var context = new ServletContextHandler();
        context.setContextPath("/");
        context.addServlet(new ServletHolder(new RESTCatalogServlet(adapter)), "/*");
        context.addFilter(new FilterHolder(new OAuth2()), "/*", EnumSet.of(DispatcherType.REQUEST));
        var server = new Server();
        var connector = new ServerConnector(server, new HttpConnectionFactory());
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
        server.start();
        System.out.println(connector.getLocalPort());
        server.join();
    }

    private static String env(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is not set");
        }
        return value;
    }

    /** Gives a table's reader keys for the store, where it has any to give. */
    private static final class Vending extends RESTCatalogAdapter {
        private final String keyId = System.getenv("VENDED_KEY_ID");

        Vending(org.apache.iceberg.catalog.Catalog catalog) {
            super(catalog);
        }

        @Override
        protected <T extends RESTResponse> T execute(
                HTTPRequest request,
                Class<T> type,
                Consumer<ErrorResponse> onError,
                Consumer<Map<String, String>> headers) {
            T response = super.execute(request, type, onError, headers);
            if (keyId == null || !(response instanceof LoadTableResponse table)) {
                return response;
            }
            var vended = LoadTableResponse.builder()
                    .withTableMetadata(table.tableMetadata())
                    .addAllConfig(table.config())
                    .addConfig("s3.access-key-id", keyId)
                    .addConfig("s3.secret-access-key", env("VENDED_SECRET"))
                    .addConfig("s3.endpoint", env("S3_ENDPOINT"))
                    .addConfig("s3.path-style-access", "true")
                    .addConfig("client.region", "us-east-1")
                    .build();
            return type.cast(vended);
        }
    }

    /** Answers the token endpoint, and refuses every other request without a token that it gave and that is still good. */
    private static final class OAuth2 implements Filter {
        private final Map<String, Long> expiries = new ConcurrentHashMap<>();
        private final long seconds = Long.parseLong(System.getenv().getOrDefault("TOKEN_SECONDS", "3600"));

        @Override
        public void doFilter(ServletRequest plain, ServletResponse answer, FilterChain chain)
                throws IOException, ServletException {
            var request = (HttpServletRequest) plain;
            var response = (HttpServletResponse) answer;
            String path = request.getRequestURI();
            if (path.equals("/v1/oauth/tokens")) {
                token(request, response);
            } else if (isGood(request.getHeader("Authorization"))) {
                chain.doFilter(request, response);
            } else {
                json(response, 401, "{\"error\":{\"message\":\"Not authorized\",\"type\":\"NotAuthorizedException\",\"code\":401}}");
            }
            System.out.println(request.getMethod() + " " + path + " " + response.getStatus());
        }

        private boolean isGood(String header) {
            if (header == null || !header.startsWith("Bearer ")) {
                return false;
            }
            return expiries.getOrDefault(header.substring("Bearer ".length()), 0L) > System.currentTimeMillis();
        }

        private void token(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String given = request.getParameter("client_id") + ":" + request.getParameter("client_secret");
            String header = request.getHeader("Authorization");
            if (header != null && header.startsWith("Basic ")) {
                byte[] plain = Base64.getDecoder().decode(header.substring("Basic ".length()));
                given = new String(plain, StandardCharsets.UTF_8);
            }
            boolean known = given.equals(env("CLIENT_ID") + ":" + env("CLIENT_SECRET"));
            if (!known || !"client_credentials".equals(request.getParameter("grant_type"))) {
                json(response, 401, "{\"error\":\"invalid_client\",\"error_description\":\"unknown client or wrong secret\"}");
                return;
            }
            String token = UUID.randomUUID().toString();
            expiries.put(token, System.currentTimeMillis() + seconds * 1000);
            json(response, 200, "{\"access_token\":\"" + token + "\",\"token_type\":\"bearer\",\"expires_in\":" + seconds + "}");
        }

        private static void json(HttpServletResponse response, int status, String text) throws IOException {
            response.setStatus(status);
            response.setContentType("application/json");
            response.getWriter().write(text);
        }
    }
}
