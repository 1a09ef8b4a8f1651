package io.imexagent.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void readsPkcs8(String algorithm) throws Exception {
        PrivateKey key = generate(algorithm);

        assertThat(pem("PRIVATE KEY", key.getEncoded()).privateKey()).contains(key);
    }

    @Test
    void readsTheSec1KeyThatTheKubeletWrites() throws Exception {
        var key = (ECPrivateKey) generate("EC");
        byte[] scalar = new byte[32];
        byte[] number = key.getS().toByteArray();
        int from = Math.max(0, number.length - 32);
        System.arraycopy(number, from, scalar, 32 - (number.length - from), number.length - from);
        byte[] sec1 = HexFormat.of()
                .parseHex("3031020101" + "0420" + HexFormat.of().formatHex(scalar) + "a00a06082a8648ce3d030107");

        assertThat(pem("EC PRIVATE KEY", sec1).privateKey().orElseThrow())
                .isInstanceOfSatisfying(
                        ECPrivateKey.class, read -> assertThat(read.getS()).isEqualTo(key.getS()));
    }

    @Test
    void readsPkcs1() throws Exception {
        PrivateKey key = generate("RSA");
        byte[] pkcs8 = key.getEncoded();
        // SEQUENCE, version, AlgorithmIdentifier, OCTET STRING: 26 bytes for a key of 2048 bits.
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);

        assertThat(pem("RSA PRIVATE KEY", pkcs1).privateKey()).contains(key);
    }

    @Test
    void refusesAnEncryptedKey() {
        assertThatThrownBy(() -> pem("ENCRYPTED PRIVATE KEY", new byte[8]).privateKey())
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("encrypted");
    }

    @Test
    void findsNoKeyInACertificateFile() throws AccessException {
        assertThat(pem("CERTIFICATE", new byte[8]).privateKey()).isEmpty();
    }

    @Property(tries = 300)
    void throwsNothingUnforeseenOnBrokenKeys(@ForAll byte[] der) throws AccessException {
        for (String label : new String[] {"PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "CERTIFICATE"}) {
            Pem pem = pem(label, der);
            try {
                pem.privateKey();
                pem.certificates();
            } catch (AccessException e) {
                assertThat(e).hasMessageStartingWith("key.pem");
            }
        }
    }

    private static PrivateKey generate(String algorithm) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (algorithm.equals("RSA")) {
            generator.initialize(2048);
        } else if (algorithm.equals("EC")) {
            generator.initialize(256);
        }
        return generator.generateKeyPair().getPrivate();
    }

    private static Pem pem(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder().encodeToString(der);
        String text = "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
        return new Pem("key.pem", text);
    }
}
