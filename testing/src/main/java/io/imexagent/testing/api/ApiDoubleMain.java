package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.tls.KeyKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The double as a process of its own. It prints one line, {@code ready url=<url>}, once it serves, and ends on SIGTERM
 * or, unless {@code --detached} is given, when its standard input closes.
 */
public final class ApiDoubleMain {
    private static final Duration ONE_DAY = Duration.ofDays(1);

    private ApiDoubleMain() {}

    /** Starts the double as the flags say; exit code 2 for wrong flags, 1 where it cannot start. */
    public static void main(String[] arguments) throws InterruptedException {
        MainFlags flags;
        try {
            flags = MainFlags.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + MainFlags.USAGE);
            System.exit(2);
            return;
        }
        try (ApiDouble api = ApiDouble.start(flags.options())) {
            prepare(api, flags);
            announce(api, System.out);
            awaitEnd(flags);
        } catch (IOException e) {
            System.err.println("the API server double cannot run: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void prepare(ApiDouble api, MainFlags flags) throws IOException {
        for (Path file : flags.load()) {
            api.apply(file);
        }
        if (flags.certificateAuthority().isPresent()) {
            api.writeCertificateAuthority(flags.certificateAuthority().get());
        }
        for (Map.Entry<String, Path> node : flags.nodeKubeconfigs().entrySet()) {
            api.writeKubeconfig(
                    node.getValue(), login(api, flags, Identity.node(node.getKey()), "node:" + node.getKey()));
        }
        if (flags.kubeconfig().isPresent()) {
            api.writeKubeconfig(flags.kubeconfig().get(), login(api, flags, Identity.ADMIN, "admin"));
        }
    }

    /** A client certificate, or without TLS the token that stands for the same identity. */
    private static Login login(ApiDouble api, MainFlags flags, Identity identity, String token) {
        return flags.plainHttp()
                ? new Login.Token(token)
                : new Login.EmbeddedCertificate(api.issueCertificate(identity, KeyKind.RSA_PKCS8, ONE_DAY));
    }

    private static void announce(ApiDouble api, PrintStream out) {
        out.println("ready url=" + api.url());
        out.flush();
    }

    private static void awaitEnd(MainFlags flags) throws IOException, InterruptedException {
        if (flags.detached()) {
            Thread.sleep(Duration.ofDays(365));
        }
        while (System.in.read() >= 0) {
            // Whatever comes in means only that the other side is still there.
        }
    }
}
