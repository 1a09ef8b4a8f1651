package io.imexagent.testing.api.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** A certificate authority made for one run of the double: self-signed, P-256, nowhere else trusted. */
public final class TestAuthority {
    private static final String ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String ORGANIZATION = "2.5.4.10";
    private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final byte[] IPV6_LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final String AUTHORITY_NAME = "api-double-ca";
    private static final Duration ONE_YEAR = Duration.ofDays(365);
    /** A certificate starts in the past, so that a clock that is a little behind accepts it. */
    private static final Duration BACKDATED = Duration.ofHours(1);

    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final KeyPair keys;
    private final X509Certificate certificate;

    private TestAuthority(Clock clock) throws GeneralSecurityException {
        this.clock = clock;
        this.keys = KeyKind.EC_PKCS8.generate();
        List<byte[]> extensions = List.of(
                extension("2.5.29.19", true, Der.sequence(Der.trueFlag())),
                extension("2.5.29.15", true, Der.bitString(1, new byte[] {0x06})));
        this.certificate = sign(name(AUTHORITY_NAME, List.of()), keys, extensions, ONE_YEAR);
    }

    /**
     * Makes a new authority.
     *
     * @param clock the time from which certificates are valid
     * @throws GeneralSecurityException when the JDK lacks P-256 or SHA256withECDSA
     */
    public static TestAuthority create(Clock clock) throws GeneralSecurityException {
        return new TestAuthority(clock);
    }

    /** The authority's own certificate as PEM: the {@code certificate-authority} of a kubeconfig. */
    public String pem() {
        return encode(certificate);
    }

    /**
     * Issues a server certificate for localhost and the loopback addresses.
     *
     * @throws GeneralSecurityException when signing fails
     */
    public IssuedCertificate issueServer() throws GeneralSecurityException {
        return issueServer(
                dns("localhost"), Der.implicit(7, new byte[] {127, 0, 0, 1}), Der.implicit(7, IPV6_LOOPBACK));
    }

    /**
     * Issues a server certificate for this DNS name alone.
     *
     * @throws GeneralSecurityException when signing fails
     */
    public IssuedCertificate issueServer(String name) throws GeneralSecurityException {
        return issueServer(dns(name));
    }

    private IssuedCertificate issueServer(byte[]... names) throws GeneralSecurityException {
        List<byte[]> extensions = List.of(
                extension("2.5.29.37", false, Der.sequence(Der.oid(SERVER_AUTH))),
                extension("2.5.29.17", false, Der.sequence(names)));
        return issue(name("kube-apiserver", List.of()), KeyKind.EC_PKCS8, extensions, ONE_YEAR);
    }

    private static byte[] dns(String name) {
        return Der.implicit(2, name.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Issues a client certificate; Kubernetes takes the user from the common name and the groups from the
     * organizations.
     *
     * @param validity how long it is valid from now; a negative value makes one that has expired
     * @throws GeneralSecurityException when signing fails
     */
    public IssuedCertificate issueClient(String user, List<String> groups, KeyKind kind, Duration validity)
            throws GeneralSecurityException {
        List<byte[]> extensions = List.of(extension("2.5.29.37", false, Der.sequence(Der.oid(CLIENT_AUTH))));
        return issue(name(user, groups), kind, extensions, validity);
    }

    /** Whether this authority signed the certificate and its time has come and not gone. */
    public boolean accepts(X509Certificate presented) {
        try {
            presented.checkValidity(Date.from(clock.instant()));
            presented.verify(keys.getPublic());
            return true;
        } catch (GeneralSecurityException e) {
            // A foreign signature, an unknown algorithm and a certificate out of its time mean the same: not ours.
            return false;
        }
    }

    /**
     * A server-side TLS context that asks for client certificates and lets any through, as the real API server does:
     * whether one is accepted is decided by authentication, which answers 401.
     *
     * @param issued the server's certificate
     * @throws GeneralSecurityException when the JDK does not take the certificate
     * @throws IOException when the key store cannot be initialised
     */
    public SSLContext serverContext(IssuedCertificate issued) throws GeneralSecurityException, IOException {
        char[] password = "in memory only".toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, password);
        store.setKeyEntry("server", issued.key(), password, new X509Certificate[] {issued.certificate(), certificate});
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keyManagers.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers.getKeyManagers(), new TrustManager[] {new AnyClientCertificate(certificate)}, random);
        return context;
    }

    private IssuedCertificate issue(byte[] subject, KeyKind kind, List<byte[]> extensions, Duration validity)
            throws GeneralSecurityException {
        KeyPair pair = kind.generate();
        X509Certificate issued = sign(subject, pair, extensions, validity);
        return new IssuedCertificate(issued, pair.getPrivate(), encode(issued), kind.pem(pair));
    }

    private X509Certificate sign(byte[] subject, KeyPair pair, List<byte[]> extensions, Duration validity)
            throws GeneralSecurityException {
        Instant now = clock.instant();
        Instant start = now.minus(BACKDATED).isBefore(now.plus(validity)) ? now.minus(BACKDATED) : now.minus(ONE_YEAR);
        byte[] algorithm = Der.sequence(Der.oid(ECDSA_WITH_SHA256));
        byte[] toBeSigned = Der.sequence(
                Der.explicit(0, Der.integer(BigInteger.TWO)),
                Der.integer(new BigInteger(120, random).setBit(119)),
                algorithm,
                name(AUTHORITY_NAME, List.of()),
                Der.sequence(Der.time(start), Der.time(now.plus(validity))),
                subject,
                pair.getPublic().getEncoded(),
                Der.explicit(3, Der.sequence(extensions)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(toBeSigned);
        byte[] der = Der.sequence(toBeSigned, algorithm, Der.bitString(signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    }

    private static byte[] extension(String oid, boolean critical, byte[] value) {
        return critical
                ? Der.sequence(Der.oid(oid), Der.trueFlag(), Der.octetString(value))
                : Der.sequence(Der.oid(oid), Der.octetString(value));
    }

    private static byte[] name(String commonName, List<String> organizations) {
        List<byte[]> parts = new ArrayList<>();
        for (String organization : organizations) {
            parts.add(Der.set(Der.sequence(Der.oid(ORGANIZATION), Der.text(organization))));
        }
        parts.add(Der.set(Der.sequence(Der.oid(COMMON_NAME), Der.text(commonName))));
        return Der.sequence(parts);
    }

    private static String encode(X509Certificate certificate) {
        try {
            return Pem.block("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was just parsed cannot be encoded", e);
        }
    }
}
