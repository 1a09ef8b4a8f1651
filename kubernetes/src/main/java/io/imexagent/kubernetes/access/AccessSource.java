package io.imexagent.kubernetes.access;

import io.imexagent.core.claim.Sha256;
import io.imexagent.kubernetes.access.ExecPlugin.ExecCredential;
import io.imexagent.kubernetes.access.KubeconfigReader.ExecConfig;
import io.imexagent.kubernetes.access.KubeconfigReader.Kubeconfig;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads the kubeconfig, or a pod's service account, with all files and plugins that it names. Changes are detected by
 * content, not by links or times of files.
 */
public final class AccessSource {

    private final ClusterAccess access;
    private final InstantSource clock;
    private @Nullable PluginResult minted;
    private @Nullable Access lastRead;
    private @Nullable Path inUse;

    public AccessSource(ClusterAccess access, InstantSource clock) {
        this.access = access;
        this.clock = clock;
    }

    /**
     * Reads the access again; returns the last object itself if nothing changed. If the server {@code refused} the last
     * one, a plugin must issue another credential. The first kubeconfig that was usable stays in use. Fails if a part
     * cannot be used, for instance because it is being written at the moment.
     */
    public synchronized Access read(boolean refused) throws AccessException {
        Optional<ServiceAccount> account = access.account();
        if (account.isPresent()) {
            return read("service account", new byte[0], account.get().kubeconfig(), refused);
        }
        Path file = file();
        byte[] content = bytes(access.key(), file, access.remedy());
        Kubeconfig kubeconfig = KubeconfigReader.read(file, content, access.context());
        Access read = read("kubeconfig " + file, content, kubeconfig, refused);
        inUse = file;
        return read;
    }

    /**
     * Describes the access for people: the kubeconfig and its context, or the pod's service account, and the server.
     * Runs no plugin and makes no call.
     */
    public static String target(ClusterAccess access) throws AccessException {
        Optional<ServiceAccount> account = access.account();
        if (account.isPresent()) {
            if (access.context().isPresent()) {
                throw new AccessException(access.noneExists() + ", so there is no context "
                        + access.context().get() + "; " + access.remedy());
            }
            return "the service account of this pod, "
                    + account.get().kubeconfig().server();
        }
        Path file = existing(access);
        Kubeconfig read = KubeconfigReader.read(file, bytes(access.key(), file, access.remedy()), access.context());
        return "kubeconfig " + file + ", context " + read.context().orElse("") + ", " + read.server();
    }

    private Access read(String name, byte[] content, Kubeconfig kubeconfig, boolean refused) throws AccessException {
        ExecCredential given =
                kubeconfig.exec().isPresent() ? mint(kubeconfig.exec().get(), refused) : ExecCredential.NONE;
        Optional<Pem> authority = kubeconfig.authority();
        Optional<Pem> certificate = kubeconfig.certificate().or(given::certificate);
        Optional<Pem> key = kubeconfig.key().or(given::key).or(() -> certificate);
        String connection = digest(List.of(
                Optional.of(kubeconfig.server() + (kubeconfig.insecure() ? " insecure" : "")),
                authority.map(Pem::text),
                certificate.map(Pem::text),
                key.map(Pem::text)));
        Optional<String> token = token(name, kubeconfig, given);
        String fingerprint = digest(
                List.of(Optional.of(new String(content, StandardCharsets.ISO_8859_1)), Optional.of(connection), token));
        Access before = lastRead;
        if (before != null
                && before.fingerprint().equals(fingerprint)
                && before.validUntil().equals(given.expires())) {
            return before;
        }
        Optional<TlsMaterial.ClientIdentity> identity = identity(certificate, key);
        Optional<List<X509Certificate>> authorities =
                authority.isPresent() ? Optional.of(authority.get().certificates()) : Optional.empty();
        boolean https = kubeconfig.server().getScheme().equalsIgnoreCase("https");
        var fresh = new Access(
                kubeconfig.server(),
                https
                        ? Optional.of(TlsMaterial.context(authorities, kubeconfig.insecure(), identity))
                        : Optional.empty(),
                token,
                name + " (" + describe(kubeconfig, identity) + ")",
                given.expires(),
                fingerprint,
                connection);
        lastRead = fresh;
        return fresh;
    }

    private Path file() throws AccessException {
        Path kept = inUse;
        if (kept != null) {
            return kept;
        }
        return existing(access);
    }

    private static Path existing(ClusterAccess access) throws AccessException {
        return access.kubeconfig().orElseThrow(() -> new AccessException(access.noneExists() + "; " + access.remedy()));
    }

    /**
     * Runs the plugin if its last result is stale. A failure, too, is kept for some seconds, so that callers do not
     * queue behind it.
     */
    private ExecCredential mint(ExecConfig exec, boolean refused) throws AccessException {
        PluginResult last = minted;
        Instant now = clock.instant();
        if (last == null || !last.by().equals(exec) || last.stale(now, refused)) {
            try {
                last = new PluginResult.PluginCredential(exec, ExecPlugin.run(exec));
            } catch (AccessException e) {
                last = new PluginResult.PluginFailure(exec, e, now);
            }
            if (!Thread.currentThread().isInterrupted()) {
                // The caller was interrupted; the plugin did not fail.
                minted = last;
            }
        }
        return switch (last) {
            case PluginResult.PluginCredential given -> given.credential();
            case PluginResult.PluginFailure failed -> throw failed.fault();
        };
    }

    private static Optional<TlsMaterial.ClientIdentity> identity(Optional<Pem> certificate, Optional<Pem> key)
            throws AccessException {
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        List<X509Certificate> chain = certificate.get().certificates();
        PrivateKey own = key.get()
                .privateKey()
                .orElseThrow(() -> new AccessException(key.get().where() + " holds no PEM private key"));
        return Optional.of(new TlsMaterial.ClientIdentity(own, chain));
    }

    private static Optional<String> token(String name, Kubeconfig kubeconfig, ExecCredential given)
            throws AccessException {
        if (kubeconfig.tokenFile().isPresent()) {
            Path tokenFile = kubeconfig.tokenFile().get();
            return Optional.of(checked(tokenFile.toString(), file("token file", tokenFile)));
        }
        if (kubeconfig.token().isPresent()) {
            return Optional.of(checked(name + " (token)", kubeconfig.token().get()));
        }
        return given.token().isPresent()
                ? Optional.of(checked("the credential plugin", given.token().get()))
                : Optional.empty();
    }

    /** Checks that a token is fit for an HTTP header: the HTTP client would quote a bad one in its exception. */
    private static String checked(String where, String token) throws AccessException {
        String trimmed = token.strip();
        // RFC 6750 allows fewer characters.
        if (!trimmed.matches("[\\x21-\\x7e]+")) {
            throw new AccessException(where + " holds no token: it is empty, or has characters that no token has");
        }
        return trimmed;
    }

    private static String describe(Kubeconfig kubeconfig, Optional<TlsMaterial.ClientIdentity> identity) {
        if (identity.isPresent()) {
            X509Certificate own = identity.get().chain().getFirst();
            return "client certificate of " + own.getSubjectX500Principal().getName() + ", valid until "
                    + own.getNotAfter().toInstant();
        }
        if (kubeconfig.tokenFile().isPresent()) {
            return "token of " + kubeconfig.tokenFile().get();
        }
        if (kubeconfig.token().isPresent()) {
            return "its token";
        }
        return kubeconfig
                .exec()
                .map(exec -> "token of plugin " + exec.command())
                .orElse("no credentials");
    }

    /** Reads a file's bytes as characters; only the ASCII characters have a meaning. */
    static String file(String what, Path path) throws AccessException {
        return new String(bytes(what, path, "create it, or correct the path"), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String what, Path path, String remedy) throws AccessException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            throw new AccessException(what + " " + path + " does not exist; " + remedy, e);
        } catch (IOException e) {
            String reason = e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
            throw new AccessException("cannot read " + what + " " + path + ": " + reason, e);
        }
    }

    private static String digest(List<Optional<String>> parts) {
        // The length before each part makes the text unambiguous.
        return Sha256.hex(parts.stream()
                .map(part ->
                        part.map(present -> present.length() + ":" + present).orElse("-1:"))
                .collect(Collectors.joining()));
    }

    private sealed interface PluginResult {

        ExecConfig by();

        boolean stale(Instant now, boolean refused);

        record PluginCredential(ExecConfig by, ExecCredential credential) implements PluginResult {

            @Override
            public boolean stale(Instant now, boolean refused) {
                return refused || Access.ends(credential.expires(), now);
            }
        }

        record PluginFailure(ExecConfig by, AccessException fault, Instant at) implements PluginResult {

            private static final Duration KEPT = Duration.ofSeconds(5);

            @Override
            public boolean stale(Instant now, boolean refused) {
                return Duration.between(at, now).abs().compareTo(KEPT) > 0;
            }
        }
    }

    /**
     * The server and the client's identity, as the kubeconfig and all that it names defined them at one moment. Without
     * {@code tls} connections are plain HTTP. The identity is for messages and holds no secret; {@code validUntil} is
     * the end of a plugin's credential. {@code fingerprint} is equal if nothing changed, {@code connectionFingerprint}
     * if open connections can still be used.
     */
    public record Access(
            URI server,
            Optional<SSLContext> tls,
            Optional<String> token,
            String identity,
            Optional<Instant> validUntil,
            String fingerprint,
            String connectionFingerprint) {

        /** Whether a plugin's credential ends within 10 s, so that no request carries an expired one. */
        public boolean expired(Instant now) {
            return ends(validUntil, now);
        }

        static boolean ends(Optional<Instant> validUntil, Instant now) {
            return validUntil.map(end -> now.isAfter(end.minusSeconds(10))).orElse(false);
        }

        /** Omits the token. */
        @Override
        public String toString() {
            return server + " as " + identity;
        }
    }
}
