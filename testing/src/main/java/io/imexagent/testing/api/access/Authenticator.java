package io.imexagent.testing.api.access;

import io.imexagent.testing.api.tls.TestAuthority;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Tells who sent a request: by bearer token, else by client certificate. Besides the tokens that were added, a token
 * {@code node:<name>} is the kubelet of that node.
 */
public final class Authenticator {
    private static final String NODE_TOKEN = "node:";

    private final TestAuthority authority;
    /** Whose each token is; nothing for a revoked one. */
    private final Map<String, Optional<UserIdentity>> tokens = new ConcurrentHashMap<>();

    private final Map<X509Certificate, UserIdentity> subjects = new ConcurrentHashMap<>();

    /** An authenticator for the certificates of one authority that knows these tokens from the start. */
    public Authenticator(TestAuthority authority, Map<String, UserIdentity> tokens) {
        this.authority = authority;
        tokens.forEach(this::accept);
    }

    public void accept(String token, UserIdentity identity) {
        tokens.put(token, Optional.of(identity));
    }

    public void revoke(String token) {
        tokens.put(token, Optional.empty());
    }

    /** The sender of a request, or empty where the credentials are missing or unknown. */
    public Optional<UserIdentity> identify(Optional<String> authorization, Optional<X509Certificate> certificate) {
        if (authorization.isPresent()) {
            String header = authorization.get();
            boolean bearer = header.regionMatches(true, 0, "Bearer ", 0, 7);
            return bearer ? byToken(header.substring(7).strip()) : Optional.empty();
        }
        return certificate
                .filter(authority::accepts)
                .map(known -> subjects.computeIfAbsent(known, Authenticator::readSubject));
    }

    /** Whose bearer token this is; empty where it is unknown. */
    public Optional<UserIdentity> byToken(String token) {
        Optional<UserIdentity> node = Optional.of(token)
                .filter(text -> text.startsWith(NODE_TOKEN))
                .map(text -> UserIdentity.node(text.substring(NODE_TOKEN.length())));
        return tokens.getOrDefault(token, node);
    }

    private static UserIdentity readSubject(X509Certificate certificate) {
        String user = "";
        Set<String> groups = new HashSet<>();
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equals("CN")) {
                    user = part.getValue().toString();
                } else if (part.getType().equals("O")) {
                    groups.add(part.getValue().toString());
                }
            }
        } catch (InvalidNameException e) {
            throw new IllegalStateException("the JDK wrote a distinguished name that it cannot read", e);
        }
        return new UserIdentity(user, groups);
    }
}
