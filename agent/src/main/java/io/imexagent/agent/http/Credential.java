package io.imexagent.agent.http;

import io.imexagent.core.claim.Sha256;
import io.imexagent.kubernetes.Reviews.User;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The credential of a client over TLS. */
sealed interface Credential {

    /** The key for caching: a hash, which does not reveal the credential. */
    String fingerprint();

    /** A bearer token; {@link #toString} does not reveal it. */
    record BearerToken(String text) implements Credential {

        @Override
        public String fingerprint() {
            return "token " + Sha256.hex(text);
        }

        @Override
        public String toString() {
            return fingerprint();
        }
    }

    /** A verified client certificate: its common name is the user, each organization a group, as for API servers. */
    record ClientCertificate(User user, String fingerprint) implements Credential {}

    /** The credential of a request. A token takes precedence over a certificate, since it is sent with the request. */
    static Optional<Credential> of(HttpServerRequest request) {
        return token(Optional.ofNullable(request.getHeader(HttpHeaders.AUTHORIZATION)))
                .or(() -> Optional.ofNullable(request.sslSession()).flatMap(Credential::certificate));
    }

    private static Optional<Credential> token(Optional<String> header) {
        return header.filter(text -> text.regionMatches(true, 0, "Bearer ", 0, 7))
                .map(text -> text.substring(7).strip())
                .filter(text -> !text.isEmpty())
                .map(BearerToken::new);
    }

    private static Optional<Credential> certificate(SSLSession session) {
        try {
            if (!(session.getPeerCertificates()[0] instanceof X509Certificate certificate)) {
                return Optional.empty();
            }
            // TLS checked the validity period only when the connection began.
            certificate.checkValidity();
            String fingerprint = "certificate " + Sha256.hex(certificate.getEncoded());
            return user(certificate).map(user -> new ClientCertificate(user, fingerprint));
        } catch (SSLPeerUnverifiedException | CertificateException | NamingException unknown) {
            return Optional.empty();
        }
    }

    private static Optional<User> user(X509Certificate certificate) throws NamingException {
        List<String> names = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
            values(part, "CN", names);
            values(part, "O", groups);
        }
        // The API server adds this group to every authenticated user.
        groups.add("system:authenticated");
        return names.isEmpty() || names.getLast().isEmpty()
                ? Optional.empty()
                : Optional.of(new User(names.getLast(), "", groups, Map.of()));
    }

    private static void values(Rdn part, String type, List<String> into) throws NamingException {
        Optional<Attribute> attribute = Optional.ofNullable(part.toAttributes().get(type));
        for (int i = 0; i < attribute.map(Attribute::size).orElse(0); i++) {
            if (attribute.get().get(i) instanceof String value) {
                into.add(value);
            }
        }
    }
}
