package io.imexagent.testing.api;

import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.tls.KeyKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The double as a process of its own, behind TLS. It prints one line, {@code ready url=<url>}, once it serves, and ends on
 * SIGTERM or when its standard input closes.
 */
public final class ApiDoubleMain {
    private static final Duration ONE_DAY = Duration.ofDays(1);
    private static final String USAGE = """
            flags, each of which may be repeated:
              --node-kubeconfig NODE=FILE  write a kubeconfig for the kubelet of a node
              --ca FILE                    write the certificate of the authority
              --load FILE                  load objects from YAML or JSON""";

    private ApiDoubleMain() {}

    /** Starts the double as the flags say; exit code 2 for wrong flags, 1 where it cannot start. */
    public static void main(String[] arguments) {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions())) {
            for (int i = 0; i < arguments.length; i += 2) {
                prepare(api, arguments[i], i + 1 < arguments.length ? arguments[i + 1] : "");
            }
            System.out.println("ready url=" + api.url());
            while (System.in.read() >= 0) {
                // Whatever comes in means only that the other side is still there.
            }
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + USAGE);
            System.exit(2);
        } catch (IOException e) {
            System.err.println("the API server double cannot run: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void prepare(ApiDouble api, String flag, String value) throws IOException {
        int equals = value.indexOf('=');
        if (flag.equals("--ca") && !value.isEmpty()) {
            Files.writeString(Path.of(value), api.certificateAuthorityPem());
        } else if (flag.equals("--load") && !value.isEmpty()) {
            api.apply(Path.of(value));
        } else if (flag.equals("--node-kubeconfig") && equals > 0) {
            UserIdentity kubelet = UserIdentity.node(value.substring(0, equals));
            api.writeKubeconfig(
                    Path.of(value.substring(equals + 1)),
                    new Login.EmbeddedCertificate(api.issueCertificate(kubelet, KeyKind.RSA_PKCS8, ONE_DAY)));
        } else {
            throw new IllegalArgumentException("cannot use " + flag + " " + value);
        }
    }
}
