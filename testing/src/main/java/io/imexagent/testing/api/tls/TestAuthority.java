package io.imexagent.testing.api.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.Callable;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** A certificate authority made for one run of the double: self-signed, P-256, nowhere else trusted. */
public final class TestAuthority {
    private static final Duration ONE_YEAR = Duration.ofDays(365);
    /** A certificate starts in the past, so that a clock that is a little behind accepts it. */
    private static final Duration BACKDATED = Duration.ofHours(1);

    private final Clock clock;
    private final X509Bundle own;

    private TestAuthority(Clock clock) {
        this.clock = clock;
        this.own = sign(() -> valid(KeyKind.EC_PKCS8, ONE_YEAR)
                .subject("CN=api-double-ca")
                .setIsCertificateAuthority(true)
                .setKeyUsage(true, KeyUsage.keyCertSign, KeyUsage.cRLSign)
                .buildSelfSigned());
    }

    /** Makes a new authority, whose certificates are valid from the time of this clock. */
    public static TestAuthority create(Clock clock) {
        return new TestAuthority(clock);
    }

    /** The authority's own certificate as PEM: the {@code certificate-authority} of a kubeconfig. */
    public String pem() {
        return own.getCertificatePEM();
    }

    /** Issues a server certificate for localhost and the loopback addresses. */
    public IssuedCertificate issueServer() {
        return issue(
                KeyKind.EC_PKCS8,
                server().addSanDnsName("localhost").addSanIpAddress("127.0.0.1").addSanIpAddress("::1"));
    }

    /** Issues a server certificate for this DNS name alone. */
    public IssuedCertificate issueServer(String name) {
        return issue(KeyKind.EC_PKCS8, server().addSanDnsName(name));
    }

    private CertificateBuilder server() {
        return valid(KeyKind.EC_PKCS8, ONE_YEAR).subject("CN=kube-apiserver").addExtendedKeyUsageServerAuth();
    }

    /**
     * Issues a client certificate; Kubernetes takes the user from the common name and the groups from the
     * organizations.
     *
     * @param validity how long it is valid from now; a negative value makes one that has expired
     */
    public IssuedCertificate issueClient(String user, List<String> groups, KeyKind kind, Duration validity) {
        StringBuilder subject = new StringBuilder("CN=" + Rdn.escapeValue(user));
        groups.forEach(group -> subject.append(",O=").append(Rdn.escapeValue(group)));
        return issue(
                kind,
                valid(kind, validity)
                        .subject(new X500Principal(subject.toString()))
                        .addExtendedKeyUsageClientAuth());
    }

    /** Whether this authority signed the certificate and its time has come and not gone. */
    public boolean accepts(X509Certificate presented) {
        try {
            presented.checkValidity(Date.from(clock.instant()));
            presented.verify(own.getKeyPair().getPublic());
            return true;
        } catch (GeneralSecurityException e) {
            // A foreign signature, an unknown algorithm and a certificate out of its time mean the same: not ours.
            return false;
        }
    }

    private CertificateBuilder valid(KeyKind kind, Duration validity) {
        Instant end = clock.instant().plus(validity);
        Instant start = clock.instant().minus(validity.plus(BACKDATED).isPositive() ? BACKDATED : ONE_YEAR);
        return kind.builder().notBefore(start).notAfter(end);
    }

    private IssuedCertificate issue(KeyKind kind, CertificateBuilder builder) {
        X509Bundle issued = sign(() -> builder.buildIssuedBy(own));
        return new IssuedCertificate(issued, kind.pem(issued));
    }

    private static X509Bundle sign(Callable<X509Bundle> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw new IllegalStateException("the JDK lacks what certificates need", e);
        }
    }
}
